"""Orders of people for a board, given from another process than the run that sends them."""
