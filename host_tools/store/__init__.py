"""The store: what boards said, what was wagered and how it was settled, kept in a database (docs/STORE.md)."""

from host_tools.store.rows import Arrived, Conflict, Gap, Ingested, Occurred, Refused, Settler
from host_tools.store.store import Store

__all__ = ["Arrived", "Conflict", "Gap", "Ingested", "Occurred", "Refused", "Settler", "Store"]
