"""Files of a data folder flipped, cut and removed while no server has it."""

import hashlib
import os
import shutil
import subprocess

import pymongo
import pytest
import requests
from pymongo.errors import PyMongoError
from server import Server, running

DOCUMENTS = 3000
LOGGED = 200
FILES = 12


def square(n):
    return {"_id": n, "value": n * n, "text": f"number {n} " * 5}


def content_of(n):
    return bytes((n * i) % 251 for i in range(20_000 * (n + 1)))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A data folder as a kill leaves it: tables, large values, and a log that no table has yet."""
    folder = tmp_path_factory.mktemp("whole") / "data"
    with running(folder) as server, pymongo.MongoClient(server.uri) as client:
        client.trial.squares.create_index("value")
        client.trial.squares.insert_many(square(n) for n in range(DOCUMENTS))
        client.trial.large.insert_many({"_id": n, "bytes": content_of(n)} for n in range(FILES))
        for n in range(FILES):
            requests.put(f"{server.url}/files/trial/{n}", data=content_of(n), timeout=60).raise_for_status()
    server = Server(folder)
    with pymongo.MongoClient(server.uri) as client:
        for n in range(LOGGED):
            client.trial.logged.insert_one(square(n))
    server.kill()
    return folder


def largest(folder, pattern):
    return max(folder.glob(pattern), key=lambda file: file.stat().st_size)


def flip(file, chance, start=0.0, end=1.0):
    """Turns one bit somewhere in a part of the file."""
    size = file.stat().st_size
    at = min(size - 1, int(size * (start + (end - start) * chance.random())))
    with open(file, "r+b") as opened:
        opened.seek(at)
        byte = opened.read(1)[0]
        opened.seek(at)
        opened.write(bytes([byte ^ 1 << chance.randrange(8)]))


def cut(file, part):
    os.truncate(file, int(file.stat().st_size * part))


def damage_of(pattern, how):
    return lambda folder, chance: how(largest(folder, pattern), chance)


def remove(file, _):
    file.unlink()


def empty(file, _):
    file.write_bytes(b"")


DAMAGES = {
    "a bit of a table": damage_of("*.sst", flip),
    "a bit of a table's end": damage_of("*.sst", lambda file, chance: flip(file, chance, 0.99)),
    "half a table": damage_of("*.sst", lambda file, chance: cut(file, 0.5)),
    "a table removed": damage_of("*.sst", remove),
    "a bit of the log's start": damage_of("*.log", lambda file, chance: flip(file, chance, 0, 0.1)),
    "a bit of the log's middle": damage_of("*.log", lambda file, chance: flip(file, chance, 0.3, 0.7)),
    "the log's end cut": damage_of("*.log", lambda file, chance: cut(file, 0.8 + 0.19 * chance.random())),
    "the log's second half": damage_of("*.log", lambda file, _: cut(file, 0.5)),
    "the log empty": damage_of("*.log", empty),
    "the log removed": damage_of("*.log", remove),
    "a bit of the manifest": damage_of("MANIFEST-*", flip),
    "the manifest removed": damage_of("MANIFEST-*", remove),
    "CURRENT removed": damage_of("CURRENT", remove),
    "CURRENT empty": damage_of("CURRENT", empty),
    "a bit of a large value": damage_of("values/*.values", flip),
    "half the large values": damage_of("values/*.values", lambda file, chance: cut(file, 0.5)),
    "the large values removed": damage_of("values/*.values", remove),
    "the values' folder removed": lambda folder, chance: shutil.rmtree(folder / "values"),
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_damage_is_told_and_never_answered(whole, tmp_path, chance, long, kind):
    for attempt in range(7 if long else 1):
        folder = tmp_path / f"data{attempt}"
        shutil.copytree(whole, folder)
        DAMAGES[kind](folder, chance)
        told_or_harmless(folder)
        shutil.rmtree(folder)


def test_a_write_that_was_never_ended_is_left_out(whole, tmp_path, chance):
    """As a power cut leaves it: the start goes on with all that was acknowledged."""
    folder = tmp_path / "data"
    shutil.copytree(whole, folder)
    with open(largest(folder, "*.log"), "ab") as log:
        log.write(chance.randbytes(chance.randrange(1, 5000)))
    with running(folder) as server, pymongo.MongoClient(server.uri) as client:
        for read in READS.values():
            read(client.trial, server)


def test_a_log_that_is_cut_off_on_demand_costs_its_last_writes_alone(whole, tmp_path, chance):
    folder = tmp_path / "data"
    shutil.copytree(whole, folder)
    cut(largest(folder, "*.log"), 0.8 + 0.19 * chance.random())
    with pytest.raises(RuntimeError, match="larder repair --cut-log"):
        Server(folder)
    subprocess.run([os.environ["LARDER_BINARY"], "repair", "--cut-log", "--data", folder], check=True)
    with running(folder) as server, pymongo.MongoClient(server.uri) as client:
        left = [document["_id"] for document in client.trial.logged.find().sort("_id")]
        assert left == list(range(len(left))) and LOGGED // 4 < len(left) < LOGGED
        read_squares(client.trial, server)


def told_or_harmless(folder):
    """A start that is refused with a reason; or answers that are right, or errors that `validate` tells of too."""
    try:
        server = Server(folder)
    except RuntimeError as refused:
        words = str(refused).lower()
        assert any(word in words for word in ("damage", "missing", "corrupt", "checksum", "no such file")), words
        return
    try:
        with pymongo.MongoClient(server.uri) as client:
            failed = {name for name, read in READS.items() if not read_is_right(read, client.trial, server)}
            for name in ("squares", "large", "logged"):
                report = client.trial.command("validate", name, full=True)
                assert report["valid"] == (name not in failed), (name, report)
                assert report["valid"] or report["errors"], report
    finally:
        server.stop()


def read_is_right(read, database, server):
    """False where an error is the answer; a wrong answer is not caught."""
    try:
        read(database, server)
    except (PyMongoError, requests.RequestException):
        return False
    return True


def read_squares(database, _):
    assert list(database.squares.find().sort("_id")) == [square(n) for n in range(DOCUMENTS)]
    assert database.squares.find({"value": {"$gte": 0}}).hint("value_1").sort("value").to_list() == \
        [square(n) for n in range(DOCUMENTS)]
    assert database.squares.estimated_document_count() == DOCUMENTS


def read_large(database, _):
    found = {document["_id"]: document["bytes"] for document in database.large.find()}
    assert found == {n: content_of(n) for n in range(FILES)}


def read_logged(database, _):
    assert list(database.logged.find().sort("_id")) == [square(n) for n in range(LOGGED)]


def read_files(_, server):
    for n in range(FILES):
        answer = requests.get(f"{server.url}/files/trial/{n}", timeout=60)
        answer.raise_for_status()
        assert hashlib.sha256(answer.content).digest() == hashlib.sha256(content_of(n)).digest()


READS = {"squares": read_squares, "large": read_large, "logged": read_logged, "files": read_files}
