"""A store put back from a backup: `tumbler run` and `tumbler store` as processes, with the firmware."""

import pytest

from tests.host.run.table_process import Table, pytestmark  # noqa: F401

BOTH = "select round, dice, state, settled from rounds order by round"
PAID = "select round, wager_id, sum(returned_cents), count(*) from settlements group by round, wager_id"


@pytest.fixture
def table(tmp_path):
    made = Table(tmp_path, speed=1)  # a faster board is ahead of the time that its records are mapped to
    yield made
    made.close()


def test_after_accept_restore_the_board_sends_again_and_no_round_is_settled_twice(table):
    table.rig.next_dice(1, 3, 6)
    table.dealer.open_bets()
    table.until("select * from wagers")
    code, said = table.tumbler("store", "backup", "backup.db")
    assert code == 0, said
    table.dealer.close_bets()
    table.dealer.enter_result()
    table.rig.next_dice(2, 3, 3)
    table.dealer.play_round()
    table.until("select * from rounds where round = 2 and state = 'result' and settled")
    table.until("select count(*) from records where kind = 'meter' having count(*) = 2")
    table.board.step(2000)  # acked
    table.stop()
    lines = table.rows("select line from records order by seq")
    code, said = table.tumbler("store", "restore", "backup.db")
    assert code == 0 and "What was there is kept as" in said, said
    assert len(table.rows("select * from records")) == 3

    code, said = table.once()
    assert code == 2 and "store_behind" in said and "accept-restore" in said
    code, said = table.tumbler("store", "accept-restore", "--dev", table.dev, "--by", "anna")
    assert code == 0 and "its records 4 to" in said

    table.start()
    table.until("select * from rounds where round = 2 and state = 'result' and settled")
    table.until("select count(*) from records where kind = 'meter' having count(*) = 2")
    out = table.stop()
    assert "The store is from a backup" in out
    assert table.rows("select line from records order by seq") == lines
    assert table.rows(BOTH) == [(1, "136", "result", 1), (2, "233", "result", 1)]
    assert table.rows(PAID) == [(1, "W1", 2000, 1), (1, "W2", 0, 1)]  # round 2's wagers are in no store any more
    assert table.rows("select count(*) from alarms where confirmed_at is null") == [(0,)]
