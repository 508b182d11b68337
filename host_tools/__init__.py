"""Host side of the Tai-Sai terminal: link, settler, store, simulator and the `tumbler` command."""
