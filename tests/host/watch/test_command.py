"""`tumbler watch`: what is refused in one sentence."""

from datetime import datetime, timedelta, timezone

import pytest

from host_tools.store.rows import Owner
from tests.host.store.chain import DEV, at

REAL_DEV = "e6614c31d3b8a52f-9c1e"


@pytest.fixture
def two_tables(url, store):
    store.enrol(REAL_DEV, "T2", at(0))
    return url


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), "Say which table to show with --table NAME: this store has 2 (T1, T2)."),
        (("--dev", DEV, "--table", "T1"), "not both"),
        (("--dev", "no dev"), "is not the dev of a board"),
        (("--table", "T9"), "No board serves a table 'T9'"),
        (("--table", "T1", "--paytable", "nosuch"), "nosuch"),
        (("--table", "T1", "--language", "fr"), "'fr'"),
        (("--table", "T1", "--rig", "none.sock"), "No rig answers at none.sock"),
        (("--table", "T2", "--rig", "none.sock"), f"--rig works a simulated board alone, and {REAL_DEV} is shown"),
        (("--table", "T1"), "draws on a terminal, and here is none"),
    ],
)
def test_a_bad_option_is_one_sentence(tumbler, two_tables, given, said):
    code, out, err = tumbler("watch", "--store", two_tables, *given)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_there_must_be_a_store(tumbler, tmp_path):
    code, _, err = tumbler("watch", "--store", f"sqlite:///{tmp_path}/none.db")
    assert (code, "There is no store" in err, list(tmp_path.glob("none.db"))) == (2, True, [])


def test_of_several_tables_the_only_one_with_a_run_on_is_shown_without_being_named(tumbler, two_tables, store):
    now = datetime.now(timezone.utc)
    for dev, since in ((DEV, now), (REAL_DEV, now - timedelta(hours=2))):  # the second was killed long ago
        assert (
            store.claim(Owner(dev, f"{dev}-run", 1, "here", since, since, since + timedelta(minutes=5)), None) is None
        )
    code, _, err = tumbler("watch", "--store", two_tables, "--rig", "none.sock")
    assert (code, "No rig answers at none.sock" in err) == (2, True)  # which is asked for at a simulated board alone
