"""Connections that ask nothing: too many of them, and those that never come to the point, hold up nobody."""

import resource
import socket
from contextlib import ExitStack
from http.client import HTTPResponse

import pytest

from host_tools.view import connections, serve
from tests.host.wait import no_thread_is_left

HALF = b"GET /api/state HTTP/1.1\r\nHost: 127.0.0.1\r\n"
LIMIT_S = 20


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(connections, "MOST_OF_ADDRESS", 5)


@pytest.fixture
def soon(monkeypatch):
    monkeypatch.setattr(connections, "WHOLE_REQUEST_S", 0.1)


@pytest.fixture
def connect(still):
    """Opens a connection to a view that listens; all are closed in the end."""
    with ExitStack() as opened:

        def connect():
            url = still.client.base_url
            return opened.enter_context(socket.create_connection((url.host, url.port), LIMIT_S))

        with still.listening():
            yield connect


def closed(connection):
    """Waits until the server has ended it, whatever it answered before."""
    try:
        while connection.recv(65536):
            pass
    except ConnectionResetError:
        pass
    return True


def answered(connection):
    connection.sendall(HALF + b"\r\n")
    answer = HTTPResponse(connection)
    answer.begin()
    return answer.read() != b"" and answer.status == 200


def test_connections_of_one_address_are_bounded_and_those_that_are_there_go_on(few, connect):
    there = [connect() for _ in range(5)]
    assert all(map(answered, there))
    assert closed(connect())
    assert all(map(answered, there))


def test_all_connections_are_bounded(monkeypatch, connect):
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 5)
    there = [connect() for _ in range(5)]
    assert all(map(answered, there))
    assert closed(connect())


def test_one_that_left_makes_room(few, connect, still):
    for _ in range(20):
        with connect() as one:
            assert answered(one)
            one.shutdown(socket.SHUT_WR)
            assert closed(one)


@pytest.mark.parametrize("sent", [b"", b"G", HALF, b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{"])
def test_a_connection_that_sends_no_whole_request_is_closed(soon, connect, sent):
    one = connect()
    one.sendall(sent)
    assert closed(one)


@pytest.mark.parametrize("begun", [HALF, b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{"])
def test_a_request_that_was_begun_behind_a_whole_one_keeps_no_connection(soon, connect, begun):
    one = connect()
    one.sendall(HALF + b"\r\n" + begun)
    assert closed(one)


def test_a_byte_now_and_then_keeps_no_connection(monkeypatch, connect):
    """Each byte comes long before the time is over."""
    monkeypatch.setattr(connections, "WHOLE_REQUEST_S", 0.5)
    one = connect()
    one.settimeout(0.05)

    def broken_off_after(byte):
        try:
            one.sendall(bytes([byte]))
            return one.recv(1) == b""
        except TimeoutError:
            return False
        except OSError:
            return True

    assert any(map(broken_off_after, HALF * 20))


def test_who_asked_in_time_is_not_closed_between_requests(monkeypatch, connect):
    monkeypatch.setattr(connections, "WHOLE_REQUEST_S", 0.1)
    one, idle = connect(), connect()
    assert answered(one)
    assert closed(idle)  # so the time is over
    assert answered(one)


def test_descriptors_are_kept_back_where_few_are_allowed(monkeypatch):
    limits = [300, 4096]
    monkeypatch.setattr(resource, "getrlimit", lambda _: tuple(limits))
    assert connections.most_connections() == 300 - connections.KEPT_BACK
    limits[0] = 4096
    assert connections.most_connections() == 600
    limits[0] = 64
    assert connections.most_connections() == 16


@pytest.mark.parametrize(
    ("before", "after"), [((256, 4096), (1024, 4096)), ((256, 512), (512, 512)), ((256, -1), (1024, -1))]
)
def test_the_limit_of_descriptors_is_raised(monkeypatch, before, after):
    told = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: before)
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: told.append(limits))
    connections.allow_files()
    assert told == [after]


def test_a_port_that_is_lost_ends_neither_what_runs_beside_it_nor_its_end(still, capfd):
    with no_thread_is_left("view"), serve.listen("127.0.0.1", 0) as listening, serve.beside(listening, still.served()):
        address = listening.getsockname()
        with socket.create_connection(address, LIMIT_S) as one:
            assert answered(one)
            listening.close()
            assert answered(one)
        with pytest.raises(OSError, match="refused"):
            socket.create_connection(address, LIMIT_S)
    assert capfd.readouterr().err.splitlines()[-1].startswith("The table view ended by a fault (")


@pytest.mark.parametrize(
    "sent",
    [
        b"\x00\x01 nonsense\r\n\r\n",
        HALF
        + b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n\r\n",
        HALF + b"Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
        HALF + b"Content-Length: -1\r\n\r\n",
    ],
)
def test_nothing_that_is_sent_writes_on_the_terminal(capfd, connect, sent):
    one = connect()
    one.sendall(sent)
    one.shutdown(socket.SHUT_WR)
    assert closed(one)
    assert capfd.readouterr() == ("", "")


def test_the_dealers_page_opens_while_other_computers_hold_all_places_that_they_may(monkeypatch, still):
    monkeypatch.setattr(connections, "WHOLE_REQUEST_S", 3 * LIMIT_S)
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 12)
    monkeypatch.setattr(connections, "is_loopback", lambda host: host == "127.0.0.1")  # the others stand for computers
    with ExitStack() as opened, still.listening():
        url = still.client.base_url

        def connect(source):
            connection = socket.create_connection((url.host, url.port), LIMIT_S, source_address=(source, 0))
            return opened.enter_context(connection)

        there = [connect(f"127.0.0.{2 + number // 6}") for number in range(9)]
        assert all(map(answered, there))
        assert closed(connect("127.0.0.4"))
        assert all(answered(connect("127.0.0.1")) for _ in range(3))


def test_an_address_has_a_third_where_there_are_few_descriptors(monkeypatch, connect):
    monkeypatch.setattr(connections, "WHOLE_REQUEST_S", 3 * LIMIT_S)  # so that it is not the time that closes one
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 30)
    there = [connect() for _ in range(10)]
    assert all(map(answered, there))
    assert closed(connect())
