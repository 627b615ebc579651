"""A server in a control group of 512 MB, many clients at once, and the answers that they may get."""

import os
import socket
import threading
import time
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import pymongo
import pytest
from pymongo.errors import OperationFailure
from server import Server

NUMBERS = count()
GROUPS = Path("/sys/fs/cgroup/memory")
LIMIT = 512 << 20
BUDGET = "128m"
# What tells the client which limit it met.
LIMITS = ("--memory", "out of memory", "memory limit", "too much memory", "maximum memory", "BSONObj size", "too large", "longer than 16MB")


@contextmanager
def group():
    """A group of processes that have 512 MB together."""
    path = GROUPS / f"larder-trial-{os.getpid()}-{next(NUMBERS)}"
    try:
        path.mkdir()
        (path / "memory.limit_in_bytes").write_text(str(LIMIT))
    except OSError as error:
        pytest.skip(f"memory groups (cgroup v1) cannot be made here: {error}")
    try:
        yield path
    finally:
        for _ in range(50):
            try:
                path.rmdir()
                break
            except OSError:
                time.sleep(0.1)


class Limited(Server):
    """A server within the group."""

    def __init__(self, folder, path, *options, **limits):
        wrapper = ("sh", "-c", f'echo $$ > {path}/cgroup.procs; exec "$@"', "sh")
        super().__init__(folder, *options, memory=BUDGET, wrapper=wrapper, **limits)
        self.group = path

    def resident_mb(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) // 1024

    def client(self, **options):
        return pymongo.MongoClient(self.uri, socketTimeoutMS=600_000, **options)


@contextmanager
def limited(folder):
    """A server within a group of its own, which must live to the end."""
    with group() as path:
        served = Limited(folder, path)
        try:
            yield served
            assert_alive(served)
            print(f"{served.resident_mb()} MB at the most")
        finally:
            if served.process.poll() is None:
                served.stop()
            else:
                served.kill()


def assert_alive(served):
    assert served.process.poll() is None, "the server was killed"
    with served.client() as client:
        client.admin.command("ping")


@pytest.fixture
def server(tmp_path):
    with limited(tmp_path / "data") as served:
        yield served


def fill(collection, count, text=""):
    for first in range(0, count, 5_000):
        documents = range(first, min(first + 5_000, count))
        collection.insert_many(
            [{"_id": at, "k": at * 7919 % count, "g": at % 1000, "s": f"{at * 104729 % count:08}", "t": text} for at in documents],
            ordered=False,
        )


def answer_or_limit(ask):
    """What came of it: an answer, or an error that says which limit was met."""
    try:
        return ask()
    except OperationFailure as error:
        assert any(limit in str(error) for limit in LIMITS), error
        return error


def connections(server, protocol, count, first=b""):
    held, refused = [], 0
    host, port = server.addresses[protocol].rsplit(":", 1)
    for at in range(count):
        connection = socket.socket()
        connection.settimeout(5)
        try:
            # Ports of one address are not enough for many.
            connection.bind((f"127.0.1.{1 + at // 4000}", 0))
            connection.connect((host, int(port)))
            connection.settimeout(0.2)
            # A server that has no memory for it reads no more of it.
            with suppress(TimeoutError):
                connection.sendall(first)
            held.append(connection)
        except OSError:
            refused += 1
            connection.close()
    return held, refused


def together(work, count):
    """Runs it so many times at once; fails where one failed."""
    failures = []

    def run():
        try:
            work()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]
