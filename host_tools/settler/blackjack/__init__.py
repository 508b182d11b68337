"""Blackjack as far as its rules were read: boxes, and Super Sevens, by typed lines. No hand is settled here."""
