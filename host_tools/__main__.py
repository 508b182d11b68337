"""`python -m host_tools` is `tumbler`."""

from host_tools.cli import main

main()
