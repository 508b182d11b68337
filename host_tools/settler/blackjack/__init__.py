"""Blackjack as far as its rules were read: wagers on boxes, and Super Sevens. No hand is settled here."""
