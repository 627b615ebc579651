"""Python clients that cannot be installed beside those of today."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "python"))

from server import running  # noqa: E402, it is found there


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    with running(tmp_path_factory.mktemp("data")) as server:
        yield server
