"""Compares the logs of a bench's folder with those that its own report lists, each with its SHA-256 (docs/BENCH.md)."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from host_tools.bench.results import LOG, LOG_DIGEST
from host_tools.errors import UserError

REPORTS = "junit*.xml"  # one for each attempt


def wrong_logs(folder: Path) -> list[str]:
    """A sentence for each log that the reports in `folder` list and that is not there, or is another one.

    A folder without a report lists none. Raises UserError for a report or a log that cannot be read.
    """
    listed: dict[str, str] = {}
    for report in sorted(folder.glob(REPORTS)):
        listed.update(_listed(report))
    return [sentence for log, digest in listed.items() if (sentence := _wrong(folder / log, digest))]


def _listed(report: Path) -> Iterator[tuple[str, str]]:
    """Each log, as a path from the report's folder, and its SHA-256 in hex. Several tests may name one log."""
    try:
        cases = list(ElementTree.parse(report).iter("testcase"))
    except (OSError, ElementTree.ParseError) as error:
        raise UserError(
            f"Report {report} cannot be read ({error}), so nobody knows which logs belong here: copy it from its "
            "backup, or name the logs themselves."
        ) from None
    for case in cases:
        said = {each.get("name"): each.get("value", "") for each in case.iterfind("properties/property")}
        if LOG in said:
            yield said[LOG], said.get(LOG_DIGEST, "")


def _wrong(log: Path, digest: str) -> str:
    try:
        found = hashlib.sha256(log.read_bytes()).hexdigest()
    except (FileNotFoundError, NotADirectoryError):
        return f"{log} is missing: the report lists it"
    except (OSError, ValueError) as error:
        raise UserError(f"Log {log} cannot be read ({error}): copy it from its backup.") from None
    return "" if found == digest else f"{log} was altered: the report lists another SHA-256 for it"
