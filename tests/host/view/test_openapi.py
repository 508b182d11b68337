"""Is the OpenAPI true? Requests made from it get no fault of the server, and every answer is as it says."""

from contextlib import suppress

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from host_tools.rig.server import RigServer
from host_tools.view import serve
from host_tools.view.app import create
from host_tools.view.desk import Rates
from host_tools.view.guard import Rate
from tests.host.store.chain import DEV

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
OFTEN = Rate(1e6, 10**6)
EXAMPLES = 8


@pytest.fixture
def schema(still, board, tmp_path):
    """Of a view whose bets are open, and in which one wager and one order are."""
    board.betting(batch=[])
    still.seconds = 2.0
    seen = {"display": "", "lamp": "off", "beeps": 0, "cover_open": True, "supervisor_on": False, "drum_turns": False}
    values = {"read": seen, "step": seen, "dice": [1, 3, 6]}
    with RigServer(lambda do, _: values.get(do), tmp_path / "rig.sock") as rig:
        parts = {"rates": Rates(OFTEN, OFTEN, OFTEN, OFTEN), "rig": rig.path}
        with still.serving(**parts):
            still.place({"kind": "small", "stake_cents": 1000})
            still.ask("POST", "/api/orders", "pit", json={"verb": "clear", "dev": DEV, "round": 1, "boot": 1, "seq": 1})
            app = create(serve.desk(still.served(**parts)), ["testserver"])
            yield schemathesis.openapi.from_asgi("/api/openapi.json", app).exclude(path="/api/events")


def test_requests_made_from_the_openapi_are_answered_as_it_says(schema, still):
    asked = set()
    for made in schema.get_all_operations():
        operation = made.ok()
        role = "pit" if operation.path.startswith(("/api/orders", "/api/sim")) else "desk"
        for mode in GenerationMode:
            _ask(operation, mode, {"authorization": f"Bearer {still.token[role]}"}, asked)
    assert {path for _, path, _ in asked} == {
        "/api/layout", "/api/state", "/api/token", "/api/wagers", "/api/wagers/{wager_id}", "/api/orders",
        "/api/orders/{number}", "/api/sim/keys", "/api/sim/table",
    }  # fmt: skip
    assert {("GET", "/api/state", 200), ("POST", "/api/wagers", 422), ("POST", "/api/sim/keys", 200)} <= asked


def _ask(operation, mode, headers, asked):
    """Requests to one path, made as its OpenAPI allows or forbids; what came is added to `asked`."""

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def ask(case):
        answer = case.call(headers=headers)
        asked.add((operation.method.upper(), operation.path, answer.status_code))
        case.validate_response(answer, checks=CHECKS)

    with suppress(Unsatisfiable):  # a path without parameters can be asked in no wrong way
        ask()


def test_the_known_answers_are_as_the_openapi_says(schema, still):
    """Those that chance does not find: taken, listed, withdrawn, ordered, refused."""
    of_round = {"dev": DEV, "round": 1}
    batch = {**of_round, "wagers": [{"kind": "big", "stake_cents": 500}]}
    order = {"verb": "clear", **of_round, "boot": 1, "seq": 1}
    desk, pit = ({"authorization": f"Bearer {still.token[name]}"} for name in ("desk", "pit"))
    for method, path, status, how in (
        ("POST", "/api/wagers", 201, {"body": batch, "headers": desk | {"idempotency-key": "k2"}}),
        ("POST", "/api/wagers", 422, {"body": batch | {"round": 2}, "headers": desk | {"idempotency-key": "k2"}}),
        ("POST", "/api/wagers", 409, {"body": batch | {"round": 2}, "headers": desk | {"idempotency-key": "k3"}}),
        ("POST", "/api/wagers", 401, {"body": batch, "headers": {"idempotency-key": "k3"}}),
        ("POST", "/api/wagers", 403, {"body": batch, "headers": pit | {"idempotency-key": "k3"}}),
        ("GET", "/api/wagers", 200, {"query": of_round, "headers": desk}),
        ("DELETE", "/api/wagers/{wager_id}", 200,
         {"query": of_round, "path_parameters": {"wager_id": "desk.k1.1"}, "headers": desk}),
        ("DELETE", "/api/wagers/{wager_id}", 404,
         {"query": of_round, "path_parameters": {"wager_id": "desk.k9.1"}, "headers": desk}),
        ("POST", "/api/orders", 202, {"body": order, "headers": pit}),
        ("GET", "/api/orders/{number}", 200, {"path_parameters": {"number": 1}, "headers": pit}),
        ("GET", "/api/orders/{number}", 404, {"path_parameters": {"number": 99}, "headers": pit}),
    ):  # fmt: skip
        kind = {"media_type": "application/json"} if "body" in how else {}
        case = schema[path][method].Case(**how, **kind)
        answer = case.call()
        assert answer.status_code == status, answer.text
        case.validate_response(answer, checks=CHECKS)
