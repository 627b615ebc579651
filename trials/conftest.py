import os
import random

import pytest
from disk import mounted


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="run each trial for as long as it takes to trust it")


@pytest.fixture
def long(request):
    """True where the long form of a trial is asked for."""
    return request.config.getoption("--long")


@pytest.fixture
def chance():
    """The dice of a trial; its seed is in the output of a failure and can be given again by `TRIALS_SEED`."""
    seed = int(os.environ.get("TRIALS_SEED") or random.SystemRandom().randrange(1 << 32))
    print(f"TRIALS_SEED={seed}")
    return random.Random(seed)


@pytest.fixture
def disk(tmp_path):
    with mounted(tmp_path / "disk") as disk:
        yield disk
