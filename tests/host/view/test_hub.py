"""How many steps lie between the commit of a result and its event: what the 200 ms to a lit layout are made of."""

import asyncio
from contextlib import contextmanager
from itertools import count

from host_tools.view.hub import LOOK_S, Hub
from tests.host.store.chain import at

GOAL_MS = 200
LOOK_PART = 4  # the fourth part of it; the rest is for one reading, the way to the viewer, and the drawing


def test_a_result_is_told_with_the_first_look_behind_its_commit_and_one_reading(database, store, board, reader):
    board.uncovered(batch=[])
    did, looks = [], count(1)
    watching, read = database.watching, reader.read

    @contextmanager
    def watching_and_committing():
        with watching() as changes:

            def ask():
                did.append("look")
                if next(looks) == 3:  # the latest moment at which this look still finds it
                    did.clear()
                    board.take("result", 1, (6, 1, 3), 4)
                    store.update_live(board.dev, 1, "RESULT", 1, (6, 1, 3), at(0))
                return changes()

            yield ask

    def reading(now):
        did.append("read")
        return read(now)

    database.watching = watching_and_committing
    hub = Hub(database, reader, lambda: at(0))
    reader.read = reading

    async def first_result():
        hub.start()
        async for _ in hub.follow(None):
            if hub.state.result is not None:
                break
        await hub.closed()

    asyncio.run(asyncio.wait_for(first_result(), 20))
    assert did[0] == "read"
    assert hub.state.result.call == "1, 3, 6, total 10"
    assert LOOK_S * 1000 <= GOAL_MS / LOOK_PART
