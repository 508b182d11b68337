"""A rig over a socket, whose other end goes away."""

import socket
from threading import Event

from host_tools.rig.server import RigServer
from tests.host.wait import LIMIT_S, no_thread_is_left


def test_who_gave_up_before_the_answer_came_leaves_no_traceback_on_the_terminal_of_the_run(tmp_path, capfd):
    asked, go_on = Event(), Event()

    def slow(do, args):
        asked.set()
        go_on.wait(LIMIT_S)
        return {}

    with no_thread_is_left("Thread-"), RigServer(slow, tmp_path / "rig.sock") as rig:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(rig.path))
            client.sendall(b'{"do": "read", "args": {}}\n')
            assert asked.wait(LIMIT_S)
        go_on.set()
    assert capfd.readouterr() == ("", "")
