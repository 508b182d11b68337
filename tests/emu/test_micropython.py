"""Where MicroPython's UF2 comes from."""

import pytest

from host_tools.emu import debian, micropython
from host_tools.errors import UserError
from host_tools.uf2 import write_uf2

WHOLE = write_uf2({0x10000000: bytes(256), 0x10000100: bytes(256)})


@pytest.fixture(autouse=True)
def _empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(micropython.VARIABLE, raising=False)


def _put_into_cache(tmp_path, data=WHOLE):
    path = tmp_path / "tumbler" / f"micropython-{micropython.VERSION}-RPI_PICO.uf2"
    path.parent.mkdir()
    path.write_bytes(data)
    return path


def test_without_any_it_says_what_to_do(tmp_path):
    with pytest.raises(UserError, match="make emu-firmware"):
        micropython.find_uf2()


def test_the_cached_one_is_found(tmp_path):
    path = _put_into_cache(tmp_path)
    assert micropython.find_uf2() == path


def test_the_variable_goes_before_the_cache_and_a_name_before_both(tmp_path, monkeypatch):
    _put_into_cache(tmp_path)
    other, named = tmp_path / "other.uf2", tmp_path / "named.uf2"
    other.write_bytes(WHOLE)
    named.write_bytes(WHOLE)
    monkeypatch.setenv(micropython.VARIABLE, str(other))
    assert micropython.find_uf2() == other
    assert micropython.find_uf2(str(named)) == named


def test_a_file_that_is_cut_off_is_refused(tmp_path):
    _put_into_cache(tmp_path, WHOLE[:-512])
    with pytest.raises(UserError):
        micropython.find_uf2()


def test_what_is_cached_is_neither_fetched_nor_built_again(tmp_path, monkeypatch):
    path = _put_into_cache(tmp_path)

    def must_not(*_):
        raise AssertionError("fetched or built again")

    monkeypatch.setattr(micropython, "_fetch", must_not)
    monkeypatch.setattr(debian, "build", must_not)
    assert micropython.make_uf2() == path


def test_where_it_cannot_be_fetched_it_is_built_once_and_each_step_has_a_line(tmp_path, monkeypatch, capsys):
    built = []

    def build(path, step):
        built.append(path)
        step("Compiling")
        path.write_bytes(WHOLE)

    monkeypatch.setattr(micropython, "_fetch", lambda: None)
    monkeypatch.setattr(debian, "build", build)
    assert micropython.make_uf2() == micropython.make_uf2() == micropython.find_uf2()
    assert len(built) == 1
    out, err = capsys.readouterr()
    assert out == "" and [line.split()[0] for line in err.splitlines()] == ["Fetching", "It", "Compiling"]


def test_a_build_that_stopped_leaves_nothing_that_is_taken_for_a_uf2(monkeypatch):
    def build(path, step):
        path.write_bytes(WHOLE[:100])
        raise UserError("stopped")

    monkeypatch.setattr(micropython, "_fetch", lambda: None)
    monkeypatch.setattr(debian, "build", build)
    with pytest.raises(UserError, match="stopped"):
        micropython.make_uf2()
    with pytest.raises(UserError, match="no file"):
        micropython.find_uf2()
