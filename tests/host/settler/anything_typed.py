"""Lines of words that a table knows, in any order: whatever is typed is answered, or refused in a sentence."""

from hypothesis import strategies as st

from host_tools.errors import UserError


def lines_of(words):
    """Strategy of up to 30 lines, each of one to five of `words`, which are one text."""
    line = st.lists(st.sampled_from(words.split()), min_size=1, max_size=5).map(" ".join)
    return st.lists(line, max_size=30)


def answered_or_refused(session, lines):
    for line in lines:
        try:
            answers = session.do(line)
        except UserError as error:
            answers = [str(error)]
        assert all(answer and "\n" not in answer for answer in answers)
