"""The question whether the store changed: another answer behind each commit of somebody else, the same behind none."""

from host_tools.store.database import Database
from tests.host.store.chain import DEV, at


def test_each_commit_of_another_changes_the_answer_and_reading_does_not(url, store, board):
    watcher = Database(url, make=False)
    with watcher.watching() as changes:
        answers = [changes()]
        assert changes() == answers[0]
        for commit in (
            lambda: board.take("spin", 1, 3),
            lambda: store.update_live(DEV, 1, "SPINNING", 1, None, at(0)),
            lambda: store.update_live(DEV, 1, "SPINNING", 1, None, at(1)),
            lambda: store.alarm(DEV, "totals", "They differ.", at(1)),
        ):
            commit()
            answers.append(changes())
            store.rounds()
            assert changes() == answers[-1]
    watcher.close()
    assert len(set(answers)) == 5


def test_what_is_read_behind_a_changed_answer_holds_the_commit(url, store, board):
    watcher = Database(url, make=False)
    with watcher.watching() as changes:
        before = changes()
        board.take("spin", 1, 3)
        assert changes() != before
        with watcher.reading() as connection:
            assert connection.exec_driver_sql("select state from rounds").scalars().all() == ["spin"]
    watcher.close()
