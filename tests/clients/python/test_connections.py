"""Connections that take all they can get."""

import contextlib
import os
import socket
import time

import pymongo
import requests
from server import running

DESCRIPTORS = 256
IDLE = 400


def open_idle(stack, addresses, count):
    for number in range(count):
        host, port = addresses[number % len(addresses)].split(":")
        with contextlib.suppress(ConnectionError):
            stack.enter_context(socket.create_connection((host, int(port)), timeout=10))


def wait_until(holds, seconds=30):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come to this"
        time.sleep(0.05)


def refused(url):
    """What somebody new is told; None where the connection was closed without a word."""
    try:
        return requests.get(url, timeout=10).status_code
    except requests.ConnectionError:
        return None


def test_idle_connections_do_not_stop_writes(tmp_path):
    with running(tmp_path, descriptors=DESCRIPTORS) as server, pymongo.MongoClient(server.uri) as client:
        things = client.db.things
        things.insert_one({"_id": "before"})
        with contextlib.ExitStack() as stack:
            open_idle(stack, list(server.addresses.values()), IDLE)
            wait_until(lambda: refused(f"{server.couch}/_up") == 503)
            # More than a log and a write buffer take, so that new files are made.
            for _ in range(40):
                things.insert_many([{"bytes": os.urandom(20_000)} for _ in range(50)])
            assert len(os.listdir(f"/proc/{server.process.pid}/fd")) < DESCRIPTORS
        wait_until(lambda: refused(f"{server.couch}/_up") == 200)
        assert requests.get(f"{server.url}/health").status_code == 200
        things.insert_one({"_id": "after"})
        with pymongo.MongoClient(server.uri) as other:
            assert other.db.things.count_documents({}) == 2 + 40 * 50
        told = [line for line in server.log if "refused: too many connections" in line]
        assert 1 <= len(told) <= 10
