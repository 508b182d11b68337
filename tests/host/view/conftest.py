"""A real store in a file, a reader of the table's state, and a view that serves it on loopback."""

import json
from contextlib import contextmanager

import httpx2
import pytest
from fastapi.testclient import TestClient

from host_tools.store.database import Database
from host_tools.view import serve, tokens
from host_tools.view.app import create
from host_tools.view.desk import USUAL_RATES
from host_tools.view.reading import Reader
from tests.host.store.chain import DEV, HOIANA, at


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/table.db"


@pytest.fixture
def database(url, store):
    opened = Database(url, make=False)
    yield opened
    opened.close()


@pytest.fixture
def reader(database):
    return Reader(database, lambda _: DEV, HOIANA)


class View:
    """A view; `seconds` is where its clock stands, `dev` the board of its table. Tokens of desk, other and pit are in
    `token`."""

    def __init__(self, database, folder):
        self.seconds, self.dev = 0.0, DEV
        self.database, self.path = database, folder / "view.tokens"
        self.token = {
            name: tokens.make(self.path, name, role)
            for name, role in (("desk", "wager"), ("other", "wager"), ("pit", "supervisor"))
        }

    def served(self, rates=USUAL_RATES, paytable=HOIANA, rig=None):
        return serve.Served(
            self.database, lambda _: self.dev, paytable, lambda: at(self.seconds), tokens.Tokens(self.path),
            ["127.0.0.1"], rig, rates,
        )  # fmt: skip

    @contextmanager
    def serving(self, **parts):
        """Asked in this process: quick, but without streams."""
        app = create(serve.desk(self.served(**parts)), ["127.0.0.1", "t1.example"])
        with TestClient(app, "http://127.0.0.1", client=("127.0.0.1", 1)) as client:
            self.client = client
            yield self

    @contextmanager
    def listening(self, port=0, **parts):
        """Asked over a port of loopback; 0: a free one."""
        with serve.listen("127.0.0.1", port) as listening, serve.beside(listening, self.served(**parts)):
            host, port = listening.getsockname()
            with httpx2.Client(base_url=f"http://{host}:{port}", timeout=10) as client:
                self.client = client
                yield self

    def ask(self, method, path, by=None, **how):
        headers = how.pop("headers", {}) | ({} if by is None else {"authorization": f"Bearer {self.token[by]}"})
        return self.client.request(method, path, headers=headers, **how)

    def place(self, *wagers, by="desk", key="k1", number=1, dev=DEV):
        body = {"dev": dev, "round": number, "wagers": list(wagers)}
        return self.ask("POST", "/api/wagers", by, json=body, headers={"idempotency-key": key})

    def own(self, by="desk", number=1, dev=DEV):
        return self.ask("GET", "/api/wagers", by, params={"dev": dev, "round": number}).json()["wagers"]

    def withdraw(self, wager_id, by="desk", number=1):
        return self.ask("DELETE", f"/api/wagers/{wager_id}", by, params={"dev": DEV, "round": number})


@pytest.fixture
def still(database, tmp_path):
    """A view that is not served yet."""
    return View(database, tmp_path)


@pytest.fixture
def view(still):
    """A view that is served."""
    with still.serving():
        yield still


def events(lines):
    """The events of a stream of lines, as they come -> (id, state)."""
    told = None
    for line in lines:
        name, _, value = line.partition(": ")
        if name == "id":
            told = int(value)
        elif name == "data":
            data = json.loads(value)
        elif not line and told is not None:
            yield told, data
            told = None
