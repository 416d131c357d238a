"""The processes of the product: flags, a frozen Config, a list of controllers, run."""

from liqo.programs.first import listen_if_first
from liqo.programs.plain import read_without, read_without_roots

listen_if_first()  # before any of them reads its modules, which takes a second
read_without("rich", "structlog")
read_without_roots("aiohttp")
