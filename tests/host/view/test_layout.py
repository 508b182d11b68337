"""The layout: every area of the paytable once, with an id that is its own and its odds as pairs."""

from dataclasses import replace

from host_tools.settler import paytable as paytables
from host_tools.settler.limits import Limit
from host_tools.view import layout
from tests.host.store.chain import HOIANA


def by_id(paytable):
    return {area.id: area for area in layout.areas(paytable)}


def test_the_areas_of_the_default_paytable():
    found = by_id(HOIANA)
    # small, big, any triple, 6 triples, 6 doubles, 14 totals, 15 pairs, 6 faces
    assert len(layout.areas(HOIANA)) == len(found) == 3 + 6 + 6 + 14 + 15 + 6
    assert found["small"].odds == [(1, 1)]
    assert found["total-4"].odds == [(50, 1)]
    assert found["face-6"].odds == [(1, 1), (2, 1), (3, 1)]
    assert (found["combination-1-6"].kind, found["combination-1-6"].selection) == ("combination", "1-6")


def test_a_paytable_with_every_kind_has_its_own_id_for_each_area():
    found = by_id(paytables.load("korea_daegu"))
    assert {"odd", "even", "three_dice-1-3-6", "three_dice-2-2-5", "four_numbers-6-5-4-3"} <= set(found)


def test_the_limits_of_a_kind_stand_with_its_areas():
    limited = replace(HOIANA, limits={"all": Limit(500, 50_000, 500), "triple": Limit(None, 2000, None)})
    found = by_id(limited)
    assert found["small"].limits.model_dump() == {"min_cents": 500, "max_cents": 50_000, "increment_cents": 500}
    assert found["triple-1"].limits.model_dump() == {"min_cents": None, "max_cents": 2000, "increment_cents": None}
    assert by_id(HOIANA)["small"].limits.model_dump() == {
        "min_cents": None,
        "max_cents": None,
        "increment_cents": None,
    }


def test_where_the_odds_come_from_and_what_they_do_not_cover():
    about = layout.about(HOIANA)
    assert (about.name, about.status, about.partial) == ("hoiana", "secondary", True)
    assert "odd" in about.not_covered
    assert about.hash == HOIANA.hash
