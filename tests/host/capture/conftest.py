"""What the tests of captures share."""

import pytest

from host_tools.capture import files


@pytest.fixture(scope="module")
def no_waiting():
    """The disk is not waited for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files.os, "fsync", lambda _: None)
        yield
