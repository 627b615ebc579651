"""Data folders of earlier versions are read by this one."""

import shutil
from pathlib import Path

import pytest
from format_content import check
from server import running

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures").glob("*.tar.gz"))


@pytest.mark.parametrize("archive", FIXTURES, ids=lambda path: path.name)
def test_a_data_folder_of_each_version_is_read(archive, tmp_path):
    shutil.unpack_archive(archive, tmp_path, filter="data")
    # Once as it was left, once as this version leaves it.
    for _ in range(2):
        with running(tmp_path) as server:
            check(server)


def test_there_is_a_data_folder_to_read():
    assert FIXTURES
