"""Gaming days: which one a round is of, in a time zone and by the hour at which a day begins there."""

import re
from datetime import date, datetime, timedelta, timezone
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from host_tools.errors import UserError

_DAY = timedelta(days=1)


class Days(NamedTuple):
    """Days of `zone` that begin at `start_hour` by the clock on its wall."""

    zone: ZoneInfo
    start_hour: int

    def of(self, moment: datetime) -> date:
        """The gaming day of a moment: from its begin() up to that of the next one."""
        day = (moment.astimezone(self.zone).replace(tzinfo=None) - timedelta(hours=self.start_hour)).date()
        if moment < self.begin(day):
            return day - _DAY
        # The clock on the wall may be set back over the hour at which the day began.
        return day if moment < self.begin(day + _DAY) else day + _DAY

    def begin(self, day: date) -> datetime:
        """The moment at which a gaming day begins, in UTC. Raises UserError for one that no clock shows."""
        try:
            at = datetime(day.year, day.month, day.day, self.start_hour, tzinfo=self.zone)
            return at.astimezone(timezone.utc)
        except OverflowError:
            raise UserError(f"The day {day} is out of every calendar: give one between them.") from None


def parse_zone(name: str) -> ZoneInfo:
    """Raises UserError unless it is a time zone by its name."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UserError(
            f"There is no time zone {name[:40]!r} here: give one by its name, like UTC or Pacific/Auckland."
        ) from None


def parse_day(option: str, text: str | None) -> date | None:
    """A day like 2026-03-01. Raises UserError, naming the option."""
    if text is None:
        return None
    try:
        if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise UserError(f"{option} {text[:40]!r} is no day: write it like 2026-03-01.")
