"""The table in a terminal: the same state as the page of host_tools/view shows, drawn in characters."""
