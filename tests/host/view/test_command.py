"""`tumbler table` and `tumbler run --view`: what is refused before anything begins, each in one sentence."""

import socket

import pytest

from host_tools.store import Store
from host_tools.view.command import where
from tests.host.store.chain import at


@pytest.fixture
def store(tmp_path):
    """A store that knows two boards, each at a table of its own."""
    url = f"sqlite:///{tmp_path}/t.db"
    opened = Store.open(url)
    opened.enrol("sim-0000000000a1-9c1e", "T1", at(0))
    opened.enrol("sim-0000000000b2-0001", "T2", at(0))
    opened.close()
    return url


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), "Say which table to show with --table NAME: this store has 2 (T1, T2)."),
        (("--table", "T9"), "No board serves a table 'T9'"),
        (("--dev", "sim-0000000000c3-0001"), "knows no board sim-0000000000c3-0001"),
        (("--dev", "no dev"), "is not the dev of a board"),
        (("--dev", "sim-0000000000a1-9c1e", "--table", "T1"), "not both"),
        (("--table", "T1", "--listen", "8080"), "--listen '8080' is no address with a port"),
        (("--table", "T1", "--listen", "127.0.0.1:99999"), "is no address with a port"),
        *(
            (("--table", "T1", "--listen", listen, "--reached-as", "x"), "is no address with a port")
            for listen in (
                "127.0.0.1:65536",
                "127.0.0.1:",
                "127.0.0.1:-1",
                "127.0.0.1:8o",
                "127.0.0.1:\u0661",
                ":80",
                "[]:80",
                "",
                f"127.0.0.1:{'1' * 5000}",
                "a..b:80",
                f"{'a' * 64}:80",
                "\udcff:80",
            )
        ),
        (("--table", "T1", "--listen", "0.0.0.0:8080"), "say so with --reached-as NAME"),
        (("--table", "T1", "--listen", "table.example:8080"), "say so with --reached-as NAME"),
        (("--table", "T1", "--reached-as", "*"), "is no host name or address"),
        (("--table", "T1", "--paytable", "nosuch"), "nosuch"),
        (("--table", "T1", "--listen", "192.0.2.1:0", "--reached-as", "x"), "cannot listen on 192.0.2.1:0"),
    ],
)
def test_a_bad_option_is_one_sentence(tumbler, store, given, said):
    code, out, err = tumbler("table", "--store", store, *given)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_there_must_be_a_store(tumbler, tmp_path):
    code, _, err = tumbler("table", "--store", f"sqlite:///{tmp_path}/none.db")
    assert (code, "There is no store" in err, list(tmp_path.glob("none.db"))) == (2, True, [])


def test_a_port_that_is_taken_is_said_before_a_board_is_started(tumbler, store, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = f"127.0.0.1:{taken.getsockname()[1]}"
        for command in (
            ("table", "--store", store, "--table", "T1", "--listen", listen),
            ("run", "--target", "sim", "--store", store, "--view", listen),
        ):
            code, out, err = tumbler(*command)
            assert (code, out, err.count("\n")) == (2, "", 1)
            assert f"cannot listen on {listen}" in err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("given", [("--deal",), ("--reached-as", "x")])
def test_what_belongs_to_a_view_is_refused_without_one(tumbler, given):
    code, _, err = tumbler("run", "--target", "sim", *given)
    assert (code, "give --view HOST:PORT" in err) == (2, True)


def test_where_a_view_listens_and_under_which_names_it_answers():
    loopback = ["127.0.0.1", "localhost", "[::1]"]
    assert where("--listen", "127.0.0.1:8080", []) == ("127.0.0.1", 8080, loopback)
    assert where("--listen", "[::1]:0", []) == ("::1", 0, loopback)
    assert where("--listen", "[::1]:80", []) == ("::1", 80, loopback)
    assert where("--listen", "127.0.0.1:65535", []) == ("127.0.0.1", 65535, loopback)
    assert where("--listen", "localhost:1", []) == ("localhost", 1, loopback)
    assert where("--listen", "0.0.0.0:80", ["t1.example"]) == ("0.0.0.0", 80, [*loopback, "t1.example"])


def test_tokens_are_made_listed_and_taken_back(tumbler, tmp_path):
    assert tumbler("table", "tokens")[1] == "Nobody has a token: `tumbler table token NAME` makes one.\n"
    code, token, _ = tumbler("table", "token", "desk")
    assert (code, len(token.strip()) >= 43) == (0, True)
    assert tumbler("table", "token", "anna", "--role", "supervisor")[0] == 0
    assert tumbler("table", "tokens")[1] == "desk  wager\nanna  supervisor\n"
    assert tumbler("table", "revoke", "desk")[0] == 0
    assert tumbler("table", "tokens")[1] == "anna  supervisor\n"
    code, _, err = tumbler("table", "token", "ben", "--role", "king")
    assert (code, err) == (2, "There is no role 'king': give one of wager, supervisor.\n")
    assert (tmp_path / "config" / "tumbler" / "view.tokens").is_file()
