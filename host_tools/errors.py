"""The one exception for bad input: whatever a person can mend by typing, plugging in or editing something."""


class UserError(Exception):
    """Bad input: the message is one sentence that says what, where and how to mend it.

    When several rows are bad, the message has a line for each. The command line prints it on stderr and exits with 2.
    """
