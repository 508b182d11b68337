"""The table view: a small web server that shows a table to people and takes wagers and orders (docs/VIEW.md)."""
