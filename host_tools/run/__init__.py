"""`tumbler run`: one process that owns a board's port, captures it, stores and settles what it says, and shows it."""
