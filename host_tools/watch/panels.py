"""What stands above, beside and below the layout: the state of the round, the last results, the figures, the board."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from rich.console import Group, RenderableType
from rich.text import Text

from host_tools.view.contract import Comparison, Figures, LayoutArea, LayoutPaytable, PastRound, State
from host_tools.view.simkeys import Seen
from host_tools.watch.cloth import LIT, cloth
from host_tools.watch.flow import Flow, padded
from host_tools.watch.words import Words
from host_tools.words import printable

TITLE = "bold underline"
WARNING = "bold white on red"
BEAD = 5  # cells that a result takes in the road, `S10* `
SIDES = {"small": "bright_cyan", "big": "bright_magenta", "triple": "bright_yellow"}


def head(state: State, lost: bool, words: Words) -> Group:
    """What must be seen at every moment."""
    where = [words.title]
    if state.table is not None:
        where.append(words.table(printable(state.table)))
    where.append(f"{words.round} {words.none if state.round is None else state.round}")
    first = [Text(f" {words.not_for_play} ", WARNING)] if state.simulated else []
    numbers = " ".join(f"[{face}]" for face in state.numbers) or words.no_numbers
    rows: list[RenderableType] = [
        Flow([*first, Text(" · ".join(where))], gap=2),
        Flow([Text(words.states[_word(state)], "bold reverse"), *_call(state, words)], gap=2),
        Flow([Text(words.numbers), Text(numbers, "bold")]),
    ]
    why = _why(state, words)
    if why:
        rows.append(Text(why, "bold yellow"))
    if lost:
        rows.append(Text(words.lost, WARNING))
    return Group(*rows)


def layout(state: State, areas: Sequence[LayoutArea], about: LayoutPaytable, words: Words) -> Group:
    """The areas, those that win once more with what each pays, and where the odds come from."""
    winning = state.result.winning if state.result else []
    by_id = {area.id: area for area in areas}
    won = [
        Text(f"{words.area(by_id[each.area].kind, by_id[each.area].selection)}: {words.odds(*each.odds)}", LIT)
        for each in winning
    ]
    return Group(
        *cloth(areas, {each.area: each.odds for each in winning}, words),
        Flow([Text(words.winning, TITLE), *(won or [Text(words.no_winning)])], gap=2),
        Text(words.paytable(about.title, about.status, about.not_covered), "dim"),
    )


def road(rounds: Sequence[PastRound], words: Words) -> Group:
    """One bead a round: a letter beside its colour."""
    if not rounds:
        return Group(Flow([Text(words.road, TITLE), Text(words.road_empty)]))
    beads = [_bead(each, words) for each in rounds]
    return Group(Flow([Text(f"{words.road} ", TITLE), *beads], gap=0), Text(words.road_key, "dim"))


def figures(told: Figures, words: Words) -> Group:
    """Faces and sides against expectation, with the test that they allow."""
    return Group(
        Flow([Text(words.figures, TITLE), Text(words.figures_rounds(told.rounds))]),
        _comparison(words.faces, told.faces, told.rounds, words, {}),
        _comparison(words.side_hits, told.sides, told.rounds, words, words.sides),
        Text(words.figures_note, "dim"),
    )


def health(state: State, words: Words) -> Group:
    """The board as the store knows it, and the alarms that nobody confirmed."""
    facts = {"dev": state.dev, **state.board.model_dump()}
    rows: list[RenderableType] = [
        Text(f"{words.alarm} {each.id} ({each.kind}) {printable(each.text)} {_time(each.raised_at)}", "bold red")
        for each in state.alarms
    ]
    rows.append(Text(words.alarms_note if rows else words.no_alarms))
    said = [Text(f"{name}: {_fact(facts[field], words)}") for field, name in words.board.items()]
    return Group(Flow([Text(words.health, TITLE)]), *rows, Flow(said, gap=3))


def at_the_keys(seen: Seen | None, words: Words) -> Text:
    """What can be seen at the simulated terminal; None: it does not answer."""
    if seen is None:
        return Text(words.key_failed, WARNING)
    dice = " ".join(f"[{face}]" for face in seen.dice) if seen.dice else words.hidden
    display = printable(seen.display)
    return Text(
        f"{words.display} [{display:4}]  {words.lamp} {words.lamps[seen.lamp]}  {words.in_drum} {dice}", no_wrap=True
    )


def _word(state: State) -> str:
    """A board that nobody runs cannot be heard: that is said, and not that it is silent."""
    return "no_run" if state.state == "away" and state.board.run_since is None else state.state


def _call(state: State, words: Words) -> list[Text]:
    return [Text(words.call(state.result), "bold")] if state.result else []


def _why(state: State, words: Words) -> str:
    """What else must be known of the round, most urgent first."""
    said: list[str] = []
    if state.alarms:
        said.append(words.alarm_open)
    if state.fault:
        said.append(words.fault(printable(state.fault.code)))
    if not state.paytable_fits:
        said.append(words.misfit)
    if state.state == "void":
        said.append(words.void(words.void_reasons[state.void_reason or "replaced"]))
    if state.result and state.result.mark:
        said.append(words.marks[state.result.mark])
    return " ".join(said)


def _bead(past: PastRound, words: Words) -> Text:
    if past.side is None:
        return Text(padded("--", BEAD))
    bead = f"{words.road_letters[past.side]}{past.total}{'*' if past.mark else ''}"
    return Text(padded(bead, BEAD), SIDES[past.side])


def _comparison(title: str, told: Comparison, rounds: int, words: Words, names: Mapping[str, str]) -> Flow:
    cells = [Text(f"{names.get(cell.value, cell.value)}: {cell.hits} ({cell.expected:.1f})") for cell in told.cells]
    return Flow([Text(title, "bold"), *cells, Text(_verdict(told, rounds, words))], gap=2)


def _verdict(told: Comparison, rounds: int, words: Words) -> str:
    if told.chi_square is None or told.p is None:
        return words.not_enough(rounds, told.rounds_needed)
    return words.test(f"{told.chi_square:.2f}", told.degrees, "< 0.001" if told.p < 0.001 else f"= {told.p:.3f}")


def _fact(value: object, words: Words) -> str:
    if value is None:
        return words.none
    return _time(value) if isinstance(value, datetime) else printable(str(value))


def _time(when: datetime) -> str:
    return f"{when:%Y-%m-%d %H:%M:%S} UTC"
