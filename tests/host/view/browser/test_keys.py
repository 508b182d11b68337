"""The keys of a simulated board in the page, at a rig at which somebody else may have hands too."""

import pytest

from host_tools.rig.server import RigServer
from tests.host.view.test_simkeys import Hands


@pytest.fixture
def hands():
    return Hands()


@pytest.fixture
def rig(hands, tmp_path):
    with RigServer(hands.call, tmp_path / "rig.sock") as server:
        yield server.path


def wait_for_key(page, text):
    page.wait_for_function("text => document.getElementById('key-supervisor').textContent === text", arg=text)


def test_the_supervisor_key_is_turned_from_where_it_stands_whoever_turned_it(shown, hands):
    hands.call("supervisor", {"on": True})
    page = shown.open()
    wait_for_key(page, "Supervisor key off")
    page.click("#key-supervisor")
    wait_for_key(page, "Supervisor key on")
    hands.call("supervisor", {"on": True})  # in another window
    wait_for_key(page, "Supervisor key off")
    page.keyboard.press("u")
    wait_for_key(page, "Supervisor key on")
    assert hands.did == [("supervisor", on) for on in (True, False, True, False)]
