"""Makes benches and clears them away."""

import pytest

from tests.host.run.table_bench import Bench


@pytest.fixture
def bench(tmp_path, monkeypatch):
    monkeypatch.setattr("host_tools.link.port.READ_TIMEOUT_S", 0.005)
    benches = []

    def make(beside=False, **kwargs):
        """A run on one store; those that were made before have ended, unless it is `beside` them."""
        for made in benches:
            if not beside:
                made.run._ownership.release()
        benches.append(Bench(tmp_path, **kwargs))
        return benches[-1]

    yield make
    for made in benches:
        made.port.close()
        made.capture.close()
        made.store.close()
