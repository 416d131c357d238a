"""An address leads to the plugin that speaks its protocol."""

from __future__ import annotations

import subprocess
import sys

from liqo.plugin.address import parse
from liqo.plugin.grpc import GrpcPlugin
from liqo.plugin.http import HttpPlugin
from liqo.plugin.opening import at


def test_the_address_says_which_protocol_is_spoken() -> None:
    assert isinstance(at(parse("plugin.liqo:6001")), GrpcPlugin)
    assert isinstance(at(parse("http://plugin.liqo:8080")), HttpPlugin)


def test_who_has_no_plugin_does_not_pay_for_grpc() -> None:
    seen = "import sys, liqo.plugin.opening; sys.exit('grpclib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", seen], check=False).returncode == 0
