"""The lowest layer of the product's image: Debian's Python, and little else.

Packages are unpacked, not installed: without package manager, Perl and their scripts two thirds
of a minimal installation are not there to be carried about or attacked. What those scripts would
have done for us is done by the hooks below.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from liqo.playground.command import run
from liqo.playground.errors import PlaygroundError
from liqo.playground.images.cache import Slot, slot

SUITE = "bookworm"
PACKAGES = ("base-files", "busybox", "ca-certificates", "netbase", "python3")
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"

LEFT_OUT = (
    "/usr/share/doc/*",
    "/usr/share/man/*",
    "/usr/share/locale/*",
    "/usr/share/perl5/*",
    "/usr/lib/*/gconv/*",  # character sets other than Unicode's
    "/usr/lib/python3*/lib2to3/*",
    "/usr/lib/python3*/pydoc_data/*",
    "/usr/lib/python3*/test/*",
)
KEPT = ("/usr/share/doc/*/copyright",)

# Shell commands; "$1" is the new file system.
HOOKS = (
    # scanners read here which packages, and so which known weaknesses, an image has
    'for deb in "$1"/var/cache/apt/archives/*.deb; do dpkg-deb --field "$deb";'
    ' printf "Status: install ok installed\\n\\n"; done > "$1/var/lib/dpkg/status"',
    f'cat "$1"/usr/share/ca-certificates/mozilla/*.crt > "$1{CERTIFICATES}"',
    'echo "root:x:0:0:root:/root:/bin/sh" > "$1/etc/passwd"; echo "root:x:0:" > "$1/etc/group"',
    'echo "nonroot:x:65532:65532::/tmp:/bin/sh" >> "$1/etc/passwd"',
    'echo "nonroot:x:65532:" >> "$1/etc/group"',
    'chroot "$1" /bin/busybox --install -s',
    'chroot "$1" python3 -m compileall -q --invalidation-mode unchecked-hash /usr/lib/python3.11',
    'rm -rf "$1"/usr/share/ca-certificates "$1"/var/cache/*',
    'rm -f "$1"/etc/hostname "$1"/etc/resolv.conf',  # of the machine that made it
)


def place() -> Slot:
    """Where the base is kept; its name changes with the recipe."""
    return slot("base", __file__)


async def base(say: Callable[[str], None]) -> Path:
    """A tar of the file system, made once."""
    made = place()
    if not made.is_filled():
        say("unpacking Debian's Python for the image (15 s to a minute)")
        with made.filling() as scratch:
            await run(
                _mmdebstrap(),
                "--quiet",
                "--format=tar",
                "--variant=extract",
                "--skip=output/dev",
                f"--include={','.join(PACKAGES)}",
                *(f"--dpkgopt=path-exclude={pattern}" for pattern in LEFT_OUT),
                *(f"--dpkgopt=path-include={pattern}" for pattern in KEPT),
                *(f"--extract-hook={hook}" for hook in HOOKS),
                SUITE,
                scratch / "tar",
                env={**os.environ, "SOURCE_DATE_EPOCH": "0"},
            )
    return made.path


def _mmdebstrap() -> str:
    found = shutil.which("mmdebstrap")
    if found is None:
        raise PlaygroundError(
            "mmdebstrap is needed to make the image and is not on PATH."
            " On Debian, as root: apt-get install --no-install-recommends mmdebstrap"
        )
    return found
