"""The terminal view itself: follows the state of a table, and on a simulated one works the dealer's keys."""

import asyncio
import contextlib
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from rich.cells import cell_len
from rich.console import Group
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Button, Static

from host_tools.errors import UserError
from host_tools.rig.server import RemoteRig
from host_tools.settler.paytable import Paytable
from host_tools.view import layout
from host_tools.view.hands import Hands
from host_tools.view.hub import Hub
from host_tools.view.simkeys import Hand, Seen, see, work
from host_tools.watch import panels
from host_tools.watch.words import Words

LOOK_S = 0.4
"""The simulated terminal is looked at so often: its display and the dice in its drum are no part of the state."""
WIDE = 130
"""From so many columns on the results, figures and health stand beside the layout."""
SHORTCUTS = {"c": "cover", "s": "spin", "n": "no_more_bets", "e": "entry", "u": "supervisor"}
NUMBERS = ("1", "2", "3", "4", "5", "6")


class Watch(App[None]):
    """A table in the terminal. hub: its state, not started yet; rig: the socket of the simulated board to deal at."""

    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = "#body"
    HORIZONTAL_BREAKPOINTS: ClassVar[Any] = [(0, "-narrow"), (WIDE, "-wide")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,Q", "quit"),
        Binding("ctrl+c", "quit", priority=True),
        Binding("ctrl+z", "suspend_process", priority=True),
        *(Binding(f"{letter},{letter.upper()}", f"work('{key}')") for letter, key in SHORTCUTS.items()),
        *(Binding(number, f"work('{number}')") for number in NUMBERS),
    ]
    CSS = """
    #head, #keys, #help { height: auto; padding: 0 1; }
    #body { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; }
    #body Static { height: auto; }
    .-wide #body { layout: horizontal; }
    .-wide #layout { width: 3fr; margin-right: 2; }
    .-wide #rest { width: 2fr; }
    #keys { display: none; border-top: solid $primary; }
    #keys.there { display: block; }
    #keys Horizontal { height: 1; }
    #keys Button { margin-right: 1; min-width: 3; }
    #seen { width: 1fr; height: 1; }
    """

    def __init__(self, hub: Hub, paytable: Paytable, words: Words, rig: Path | None = None) -> None:
        super().__init__()
        self._hub, self._words = hub, words
        self._rig = None if rig is None else Hands(rig)
        self._areas, self._about = layout.areas(paytable), layout.about(paytable)
        self._working = asyncio.Lock()  # one key after another: the terminal takes two at once for a mistake
        self._seen: Seen | None = None
        self._was_lost = False

    def compose(self) -> ComposeResult:
        of = self._words.sim_keys
        yield Static(id="head")
        with VerticalScroll(id="body"):
            yield Static(id="layout")
            yield Static(id="rest")
        with Vertical(id="keys"):
            with Horizontal():
                yield self._button("cover", of["cover_open"], of["cover_shut"])
                yield self._button("spin", of["spin"])
                yield self._button("no_more_bets", of["no_more_bets"])
                yield self._button("entry", of["entry"])
                yield self._button("supervisor", of["supervisor_on"], of["supervisor_off"])
            with Horizontal():
                for number in NUMBERS:
                    yield self._button(number, number)
                yield Static(id="seen", markup=False)
            yield Static(self._words.shortcuts, markup=False)
        yield Static(self._words.help, id="help", markup=False)

    @staticmethod
    def _button(key: str, *texts: str) -> Button:
        """It has room for each text that it may bear, so that no key moves under the hand."""
        button = Button(texts[0], id=f"key-{key}", compact=True, action=f"app.work('{key}')")
        button.styles.width = max(map(cell_len, texts)) + 2
        return button

    async def on_mount(self) -> None:
        with contextlib.suppress(NotImplementedError):  # on Windows
            for each in (signal.SIGTERM, signal.SIGINT):  # so that the terminal is given back
                asyncio.get_running_loop().add_signal_handler(each, self.exit)
        self._hub.start()
        self.run_worker(self._follow())
        self.set_interval(LOOK_S, self._look)

    async def on_unmount(self) -> None:
        if self._rig is not None:
            self._rig.close()
        await self._hub.closed()

    @property
    def failure(self) -> Exception | None:
        """A fault of the program that ended the view."""
        return self._exception

    def _fatal_error(self) -> None:
        # Textual's own prints the values of all variables, and the address of a store may hold a password.
        self._close_messages_no_wait()

    # ------------------------------------------------------------ the state

    async def _follow(self) -> None:
        async for _ in self._hub.follow(None):
            self._show()

    def _show(self) -> None:
        if not self.is_running:  # its widgets have gone first
            return
        state, words = self._hub.state, self._words
        self._was_lost = self._hub.lost is not None
        self.query_one("#head", Static).update(panels.head(state, self._was_lost, words))
        self.query_one("#layout", Static).update(panels.layout(state, self._areas, self._about, words))
        rest = (
            panels.road(state.last_rounds, words),
            panels.health(state, words),
            panels.figures(state.figures, words),
        )
        self.query_one("#rest", Static).update(Group(*rest))
        self.query_one("#keys").set_class(self._may_deal(), "there")

    async def _look(self) -> None:
        if self._was_lost != (self._hub.lost is not None):
            self._show()
        if self._may_deal() and not self._working.locked():
            await self._at_rig(see)

    # ------------------------------------------------------------ the dealer's keys

    def _may_deal(self) -> bool:
        """A real board may have come to the table since the start."""
        return self._rig is not None and self._hub.state.simulated

    def action_work(self, key: str) -> None:
        """Tap a key, or set a switch the other way."""
        if self._may_deal():
            self.run_worker(self._work(key))

    async def _work(self, key: str) -> None:
        def do(rig: RemoteRig) -> Seen:
            if key == "cover":
                return work(rig, Hand(key="cover", on=not see(rig).cover_open))
            if key == "supervisor":
                return work(rig, Hand(key="supervisor", on=not see(rig).supervisor_on))
            return work(rig, Hand.model_validate({"key": key}))

        await self._at_rig(do)

    async def _at_rig(self, do: Callable[[RemoteRig], Seen]) -> None:
        """do(rig) -> Seen, in a thread; what it saw is shown."""
        assert self._rig is not None, "asked for by _may_deal"
        async with self._working:
            try:
                self._seen = await self._rig.do(do)
            except UserError:
                self._seen = None
        if not self.is_running:
            return
        of = self._words.sim_keys
        opened = self._seen is not None and self._seen.cover_open
        key_on = self._seen is not None and self._seen.supervisor_on
        self.query_one("#seen", Static).update(panels.at_the_keys(self._seen, self._words))
        self.query_one("#key-cover", Button).label = of["cover_shut" if opened else "cover_open"]
        self.query_one("#key-supervisor", Button).label = of["supervisor_off" if key_on else "supervisor_on"]
