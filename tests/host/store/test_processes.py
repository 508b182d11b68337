"""Several processes on one store: none waits for a reader, each write is there, a busy store gives a sentence."""

import multiprocessing
from contextlib import ExitStack

import pytest

from host_tools.errors import UserError
from host_tools.store import Store, database, wagers
from host_tools.store.rows import Balance, InForce
from host_tools.store.schema import rounds
from tests.host.store.chain import BATCH, DEV, HOIANA, SETTLER, Chain, at

ORDERS, ROUNDS = 30, 10


def queue_orders(url, name):
    store = Store.open(url)
    for number in range(ORDERS):
        store.queue_command(DEV, "void", f"host:{name}", at(0), round=number, ref_boot=1, ref_seq=2, reason="other")
    store.close()


def test_two_processes_queue_orders_while_rounds_are_settled(url, store, board):
    spawn = multiprocessing.get_context("spawn")
    others = [spawn.Process(target=queue_orders, args=(url, name)) for name in ("anna", "bela")]
    for other in others:
        other.start()
    for number in range(1, ROUNDS + 1):
        board.result(number)
    for other in others:
        other.join(60)
        assert other.exitcode == 0
    sent = []
    while (command := store.next_command(DEV, at(1))) is not None:
        sent.append((command.by, command.round))
        assert store.mark_sent(command.id, "0" * 16, len(sent))
        assert store.answer_command("0" * 16, len(sent), True, "done", at(1))
    assert sorted(sent) == sorted((f"host:{name}", number) for name in ("anna", "bela") for number in range(ORDERS))
    assert all(store.balance(DEV, number).returned_cents == 5000 for number in range(1, ROUNDS + 1))


def adjust_when_asked(url, asked):
    store = Store.open(url)
    asked.wait()
    for number in range(1, ROUNDS + 1):
        in_force = InForce((1, 5 * number), None)
        store.adjust(DEV, number, in_force, (3, 3, 6), "wrong_entry", "host:anna", SETTLER, at(90))
    store.close()


def test_an_adjustment_and_the_settling_of_what_waited_at_once_settle_every_wager_once(url, store, board):
    """Whoever comes first, the adjustment stands in the end, and nothing is paid twice."""
    store.enrol(DEV, "T1", at(0))
    alarm = store.alarm(DEV, "gap", "It stops settling.", at(0))
    for number in range(1, ROUNDS + 1):
        board.take("spin", number, 3)
        board.take("bets_open", number, 3)
        with store._db.writing() as connection:
            wagers.place_replayed(connection, DEV, number, BATCH, HOIANA, at(5 * number))
        for kind, *values in (("bets_closed", "dealer"), ("uncovered",), ("result", (6, 1, 3), 4)):
            board.take(kind, number, *values)
    board.take("spin", ROUNDS + 1, 3)
    assert store.confirm_alarm(alarm, "anna", at(1))
    spawn = multiprocessing.get_context("spawn")
    asked = spawn.Barrier(2)
    other = spawn.Process(target=adjust_when_asked, args=(url, asked))
    other.start()
    asked.wait(60)
    store.settle_due(DEV, SETTLER, at(89))
    other.join(60)
    assert other.exitcode == 0
    assert all(store.balance(DEV, number) == Balance(4000, 6000, 8500, 1500, 0) for number in range(1, ROUNDS + 1))


def test_a_reader_in_the_midst_of_reading_holds_up_no_writer(url, impatient):
    reader, writer = Store.open(url), Store.open(url)
    with reader._db.reading() as connection:
        before = connection.exec_driver_sql("select count(*) from records").scalar()
        Chain(writer).take("spin", 1, 3)
        assert connection.exec_driver_sql("select count(*) from records").scalar() == before == 0
    assert len(reader.rounds()) == 1
    reader.close()
    writer.close()


def test_a_writer_holds_up_no_reader(url, impatient):
    reader, writer = Store.open(url), Store.open(url)
    with writer._db.writing() as connection:
        connection.exec_driver_sql("delete from live")
        assert reader.rounds() == [] and reader.last_identity(DEV) is None
    reader.close()
    writer.close()


def test_a_second_writer_to_the_same_round_gets_a_sentence_and_can_try_again(url, store, board, impatient):
    store.enrol(DEV, "T1", at(0))
    board.result()
    board.take("spin", 2, 3)
    other = Store.open(url)
    work = (DEV, 1, InForce((1, 5), None), (3, 3, 6), "wrong_entry", "host:anna", SETTLER, at(90))
    with store._db.writing() as connection:
        connection.execute(rounds.update().where(rounds.c.round == 1).values(settled=True))
        with pytest.raises(UserError, match=r"is busy: .* try again\.$"):
            other.adjust(*work)
    assert other.adjust(*work).count == 8
    other.close()


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_second_writer_gets_a_sentence_and_can_try_again(url, impatient):
    one, other = Store.open(url), Store.open(url)
    with one._db.writing():
        with pytest.raises(UserError, match=r"is busy: .* try again\.$"):
            other.alarm(DEV, "gap", "A record is missing.", at(0))
        with pytest.raises(UserError, match="is busy"):
            Chain(other).take("spin", 1, 3)
    Chain(other).take("spin", 1, 3)
    assert len(one.rounds()) == 1
    one.close()
    other.close()


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_run_says_that_another_program_holds_the_store_and_writes_once_it_let_go(url, impatient):
    other = Store.open(url)
    held = ExitStack()
    said = []

    def busy(why):
        said.append(why)
        if len(said) == 2:
            held.close()

    run = Store.open(url, busy)
    held.enter_context(other._db.writing())
    Chain(run).take("spin", 1, 3)
    assert len(said) == 2
    assert "is busy: another program holds it; this run waits" in said[0]
    assert len(other.rounds()) == 1
    with other._db.writing(), pytest.raises(UserError, match=r"is busy: .* try again\.$"):
        Chain(run).take("spin", 2, 3)
    assert len(said) == 2 + database.RUN_TRIES - 1
    with other._db.writing(), pytest.raises(UserError, match="is busy"):
        run.enrol(DEV, "T1", at(0))  # as a run that gave up does once more at its end
    assert len(said) == 2 + database.RUN_TRIES - 1
    run.close()
    other.close()
