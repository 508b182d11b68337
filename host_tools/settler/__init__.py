"""The games: rules, paytables and the settling of wagers; nothing here knows a port, a board or a database."""
