"""What stands before every path: rates, sizes, names, other sites, and the headers of every answer."""

import pytest

from host_tools.view.desk import Rates
from host_tools.view.guard import MOST_BODY_BYTES, Buckets, Rate
from tests.host.store.chain import DEV

FEW = Rate(0.5, 2)
MANY = Rate(1000, 1000)


def test_a_bucket_gives_its_burst_and_then_its_rate():
    now = [0.0]
    bucket = Buckets(Rate(2, 3), lambda: now[0])
    assert [bucket.take("a") for _ in range(4)] == [0, 0, 0, 0.5]
    assert bucket.take("b") == 0
    now[0] = 0.25
    assert bucket.take("a") == 0.25
    now[0] = 0.5
    assert [bucket.take("a"), bucket.take("a")] == [0, 0.5]
    now[0] = 100
    assert [bucket.take("a") for _ in range(4)] == [0, 0, 0, 0.5]


@pytest.mark.parametrize(
    ("rates", "by", "what"),
    [
        (Rates(address=FEW, token=MANY), "desk", "This address"),
        (Rates(address=MANY, token=FEW), "desk", "The token of desk"),
        (Rates(address=MANY, no_token=FEW), None, "without a token"),
    ],
)
def test_who_asks_too_often_is_told_when_to_come_back(still, rates, by, what):
    with still.serving(rates=rates):
        answers = [still.ask("GET", "/api/wagers", by, params={"dev": DEV, "round": 1}) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200 if by else 401] * 2 + [429]
    assert answers[2].headers["retry-after"] == "2"
    assert what in answers[2].json()["detail"]


def test_an_address_that_is_only_claimed_lifts_no_limit(still):
    with still.listening(rates=Rates(address=FEW)):
        answers = [still.ask("GET", "/api/state", headers={"x-forwarded-for": f"192.0.2.{n}"}) for n in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]


def test_one_token_that_is_used_too_often_holds_up_no_other(still):
    with still.serving(rates=Rates(token=FEW)):
        params = {"dev": DEV, "round": 1}
        assert [still.ask("GET", "/api/wagers", "desk", params=params).status_code for _ in range(3)][2] == 429
        assert still.ask("GET", "/api/wagers", "other", params=params).status_code == 200


def test_all_desks_together_are_bounded_and_an_order_does_not_wait_for_them(still):
    with still.serving(rates=Rates(wagers=FEW)):
        wager = {"kind": "small", "stake_cents": 1000}
        answers = [still.place(wager, by=by, key=f"k{n}") for n, by in enumerate(("desk", "other", "desk"))]
        assert [answer.status_code for answer in answers] == [409, 409, 429]  # no round is open
        assert "All desks together" in answers[2].json()["detail"]
        assert still.withdraw("desk.k0.1").status_code == 429
        assert still.own() == []
        assert still.ask("POST", "/api/orders", "pit", json={}).status_code == 422


def test_a_large_body_is_refused_whether_it_says_its_size_or_not(view):
    def chunks():
        for _ in range(5):
            yield b" " * (MOST_BODY_BYTES // 4)

    headers = {"content-type": "application/json", "idempotency-key": "k1"}
    for body in (b" " * (MOST_BODY_BYTES + 1), chunks()):
        assert view.ask("POST", "/api/wagers", "desk", content=body, headers=headers).status_code == 413
    assert view.ask("POST", "/api/wagers", "desk", content=b" " * 100, headers=headers).status_code == 422


def test_another_host_name_is_refused(view):
    """A page whose name was bound to this address by its own DNS."""
    for host in ("evil.example", "127.0.0.1.evil.example", "evil.example:80"):
        assert view.ask("GET", "/api/state", headers={"host": host}).status_code == 400


def test_a_page_of_another_site_writes_nothing(view):
    for origin in ("https://evil.example", "null", "http://127.0.0.1:1"):
        answer = view.ask("POST", "/api/orders", "pit", json={}, headers={"origin": origin})
        assert (answer.status_code, "another site" in answer.json()["detail"]) == (403, True)
    own = str(view.client.base_url).rstrip("/")
    assert view.ask("POST", "/api/orders", "pit", json={}, headers={"origin": own}).status_code == 422


@pytest.mark.parametrize("path", ["/", "/api/state", "/api/layout", "/api/nothing", "/api/wagers", "/api/openapi.json"])
def test_every_answer_keeps_the_browser_strict_and_allows_no_other_site(view, path):
    headers = view.ask("GET", path, headers={"origin": "https://evil.example"}).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")
    assert headers["cache-control"] == ("no-store" if path.startswith("/api/") else "no-cache")
    assert "access-control-allow-origin" not in headers


def test_a_preflight_of_another_site_is_not_granted(view):
    headers = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    answer = view.ask("OPTIONS", "/api/wagers", headers=headers)
    assert answer.status_code == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_no_token_is_ever_printed(view, board, capfd):
    board.betting(batch=[])
    view.seconds = 2.0
    view.place({"kind": "small", "stake_cents": 1000})
    view.ask("POST", "/api/wagers", "desk", json={"token": view.token["desk"]})
    view.ask("GET", f"/api/wagers/{view.token['desk']}", "desk")
    shown = capfd.readouterr()
    assert view.token["desk"] not in shown.out + shown.err
    answer = view.ask("POST", "/api/wagers", "desk", json={"dev": view.token["desk"], "round": 1, "wagers": []})
    assert view.token["desk"] not in answer.text
