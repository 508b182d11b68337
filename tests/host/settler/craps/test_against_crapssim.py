"""Craps against an independent simulator, the package crapssim, roll by roll.

Outcomes are compared first, by the wagers that stand after each roll, then amounts, by what comes back. Stakes of 30.00
pay whole cents at all odds, as crapssim counts in floats. One difference is known and taken out: crapssim leaves a
place wager that won on the table and pays its winnings alone; here it is settled, and its stake comes back.
"""

import random

from crapssim import bet as theirs
from crapssim.strategy.tools import NullStrategy
from crapssim.table import Table, TableUpdate

from host_tools.errors import UserError
from host_tools.settler.craps import wagers as craps
from host_tools.settler.craps.bets import Bets
from host_tools.settler.craps.table import called_roll
from host_tools.settler.settle import Wager

SEED = 7
ROLLS = 100_000
STAKE_CENTS = 3000
STAKE = STAKE_CENTS / 100


def their_bet(kind, selection):
    flats = {"pass": "PassLine", "dont_pass": "DontPass", "come": "Come", "dont_come": "DontCome"}
    others = {"place": "Place", "hardway": "HardWay", "field": "Field", "any_seven": "Any7", "any_craps": "AnyCraps"}
    if kind in flats:
        return getattr(theirs, flats[kind])(STAKE)
    if kind in craps.BEHIND:
        return theirs.Odds(getattr(theirs, flats[craps.BEHIND[kind]]), int(selection), STAKE)
    made = getattr(theirs, others[kind])
    return made(int(selection), STAKE) if selection else made(STAKE)


def our_area(bet, point):
    """Where one of their bets stands, in our words."""
    names = {"PassLine": "pass", "DontPass": "dont_pass", "Come": "come", "DontCome": "dont_come"}
    name = type(bet).__name__
    if name == "Odds":
        return f"{names[bet.base_type.__name__]}_odds", str(bet.number)
    if name in ("PassLine", "DontPass"):
        return names[name], str(point or "")
    if name in names:
        return names[name], str(bet.number or "")
    return {"Place": "place", "HardWay": "hardway"}[name], str(bet.number)


def test_every_roll_decides_moves_and_pays_as_in_crapssim():
    chance = random.Random(SEED)
    table = Table()
    table.add_player(bankroll=1e9, strategy=NullStrategy())
    player = table.players[0]
    bets, point = Bets(craps.load()), None
    decided = 0
    for number in range(ROLLS):
        standing = {standing.area for standing in bets.standing.values()}
        # Not twice on one area: crapssim would make one bet of both.
        for kind, selection in sorted(set(bets.paytable.placeable) - standing):
            if chance.random() < 0.15:
                try:
                    bets.place(Wager(f"{number} {kind} {selection}", "p", kind, selection, STAKE_CENTS), point)
                except UserError:
                    continue
                player.add_bet(their_bet(kind, selection))
        dice = (chance.randint(1, 6), chance.randint(1, 6))
        before = player.bankroll
        settled, _ = bets.roll(dice, come_out=point is None)
        TableUpdate().run(table, dice_outcome=dice)
        point = called_roll(point, sum(dice))[1]
        stays = {str(s.wager.selection) for s in settled if (s.wager.kind, s.outcome) == ("place", "win")}
        for bet in [bet for bet in player.bets if type(bet) is theirs.Place and str(bet.number) in stays]:
            player.bets.remove(bet)
            player.bankroll += STAKE
        ours = sorted(standing.area for standing in bets.standing.values())
        assert ours == sorted(our_area(bet, point) for bet in player.bets), (number, dice)
        returned_cents = sum(settlement.returned_cents for settlement in settled)
        assert round((player.bankroll - before) * 100) == returned_cents, (number, dice, settled)
        decided += len(settled)
    assert decided > ROLLS
