"""Flushing, and holding writes back while the data folder is copied."""

import shutil
import threading

import pymongo
import pytest
from bson import Int64
from pymongo.errors import OperationFailure
from server import running


@pytest.fixture
def locking(tmp_path):
    """A server that no other test shares: a lock stops all."""
    with running(tmp_path / "data") as server, pymongo.MongoClient(server.uri) as client:
        yield server, client


def refused(run):
    with pytest.raises(OperationFailure) as error:
        run()
    return error.value.code


def is_waiting(client, name):
    return any(operation.get("ns") == name for operation in client.admin.command("currentOp")["inprog"])


def test_writes_wait_and_reads_go_on(locking):
    _, client = locking
    client["d"]["c"].insert_one({"_id": 1})
    locked = client.admin.command({"fsync": 1, "lock": True})
    assert (locked["lockCount"], locked["info"]) == (1, "now locked against writes, use db.fsyncUnlock() to unlock")
    assert isinstance(locked["lockCount"], Int64) and "numFiles" not in locked
    assert client.admin.command("currentOp")["fsyncLock"] is True
    writers = [threading.Thread(target=lambda at=at: client["d"][f"w{at}"].insert_one({})) for at in range(3)]
    for writer in writers:
        writer.start()
    while not all(is_waiting(client, f"d.w{at}") for at in range(3)):
        pass
    assert client["d"]["c"].count_documents({}) == 1
    assert client["d"].list_collection_names() == ["c"]
    assert client.admin.command({"fsync": 1})["numFiles"] == 1
    assert client.admin.command("fsyncUnlock")["lockCount"] == 0
    for writer in writers:
        writer.join(60)
    assert sorted(client["d"].list_collection_names()) == ["c", "w0", "w1", "w2"]
    assert "fsyncLock" not in client.admin.command("currentOp")


def test_a_copy_of_a_locked_folder_is_a_store(locking, tmp_path):
    server, client = locking
    documents = [{"_id": n, "text": "t" * n, "large": "l" * 100_000 if n % 50 == 0 else ""} for n in range(1000)]
    client["d"]["c"].insert_many(documents)
    client["d"]["c"].create_index("text")
    client.admin.command({"fsync": 1, "lock": True})
    writer = threading.Thread(target=lambda: client["d"]["c"].delete_many({}))
    writer.start()
    while not is_waiting(client, "d.c"):
        pass
    shutil.copytree(server.folder, tmp_path / "copy")
    client.admin.command("fsyncUnlock")
    writer.join(60)
    assert client["d"]["c"].count_documents({}) == 0
    with running(tmp_path / "copy") as copy, pymongo.MongoClient(copy.uri) as copied:
        assert list(copied["d"]["c"].find()) == documents
        assert copied["d"].command("validate", "c", full=True)["valid"]


def test_locks_are_counted(locking):
    server, client = locking
    with pymongo.MongoClient(server.uri) as other:
        assert other.admin.command({"fsync": 1, "lock": True})["lockCount"] == 1
    lock = lambda **options: client.admin.command({"fsync": 1, "lock": 1, **options})["lockCount"]
    assert [lock(), lock(fsyncLockAcquisitionTimeoutMillis=1)] == [2, 3]
    unlock = lambda: client.admin.command({"fsyncUnlock": 1, "comment": "done"})["lockCount"]
    assert [unlock(), unlock(), unlock()] == [2, 1, 0]
    assert refused(unlock) == 20
    assert client.admin.command({"fsync": 1, "lock": 0.0})["numFiles"] == 1
    assert refused(unlock) == 20


def test_a_locked_server_ends_when_it_is_asked_to(locking):
    server, client = locking
    client["d"]["c"].insert_one({"_id": 1})
    client.admin.command({"fsync": 1, "lock": True})
    assert server.stop() == 0


def test_locks_that_are_asked_for_wrongly_are_refused(client, database):
    assert refused(lambda: client.admin.command({"fsync": 1, "lock": [True]})) == 14
    for timeout in ("1", 1.0, Int64(1)):
        command = {"fsync": 1, "lock": True, "fsyncLockAcquisitionTimeoutMillis": timeout}
        assert refused(lambda: client.admin.command(command)) == 14
    assert refused(lambda: database.command({"fsync": 1, "lock": True})) == 13
    assert refused(lambda: database.command({"fsyncUnlock": 1})) == 13
