"""What is shared: the ConfigMap that the controllers follow, so that a change restarts nobody."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from liqo.api.kubernetes import ConfigMap
from liqo.api.meta import JSON
from liqo.install.kinds import manifest
from liqo.install.marks import marks
from liqo.install.settings import Settings
from liqo.rules import names
from liqo.rules.capacity import OF_PEER, PERCENTAGE, ROUNDING

VALUES = {  # by the setting, the value that says it
    PERCENTAGE: "controllerManager.config.resourceSharingPercentage",
    ROUNDING: "controllerManager.config.sharingRounding",
}
OF_PEERS = "controllerManager.config.sharingPercentageOfPeers"


def manifests(settings: Settings) -> list[JSON]:
    begun = manifest(ConfigMap.KIND, names.SHARING, marks(settings, "sharing"), settings.namespace)
    return [{**begun, "data": _written(settings)}]


def _written(settings: Settings) -> dict[str, str]:
    of_peers = settings[OF_PEERS]
    return {
        **{setting: str(settings[value]) for setting, value in VALUES.items()},
        **{f"{OF_PEER}{peer}": percentage for peer, percentage in of_peers.items()},
    }


def forgotten(
    before: Mapping[str, str], given: Collection[str], settings: Settings
) -> Iterator[str]:
    """What stands, and is another in a moment because nobody repeated it.

    A percentage of one peer goes only if we wrote it: what others added to the ConfigMap stays.
    """
    after = _written(settings)
    for setting, value in VALUES.items():
        then, now = before.get(setting, after[setting]), after[setting]
        if value not in given and then != now:
            yield (
                f"the sharing {setting} goes from {then} to {now}, its default; "
                f"to keep it, add --set {value}={then}"
            )
    for setting in sorted(before.keys() - after.keys()):
        if setting.startswith(OF_PEER):
            peer, then = setting.removeprefix(OF_PEER), before[setting]
            yield (
                f'the sharing percentage of cluster "{peer}", {then}, is not repeated: if liqoctl '
                f"set it, it goes back to {after[PERCENTAGE]}; to keep it, add "
                f"--set {OF_PEERS}.{peer}={then}"
            )
