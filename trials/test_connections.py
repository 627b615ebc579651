"""Crowds of connections that send nothing, or never finish a request."""

import os
import socket
import struct
import time
from contextlib import ExitStack

import pymongo
import pytest
import requests
from server import running

DESCRIPTORS = 512
HALF_MESSAGE = struct.pack("<iiii", 47_000_000, 1, 0, 2013) + bytes(100_000)
HALF_HEAD = b"GET /_up HTTP/1.1\r\nHost: localhost\r\nX-Long: "
HALF_BODY = b"POST /trial/_bulk_docs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 40000000\r\n\r\n{"


def connect(address):
    host, port = address.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=5)


def crowd(stack, address, n, first=b""):
    """Up to `n` connections that say `first` and no more; those that the server refuses or closes are left out."""
    held = []
    for _ in range(n):
        try:
            connection = stack.enter_context(connect(address))
            if first:
                connection.sendall(first)
            held.append(connection)
        except OSError:
            continue
    return held


def resident_mb(server):
    with open(f"/proc/{server.process.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) // 1024


def is_closed(connection, within_s):
    connection.settimeout(within_s)
    try:
        while connection.recv(4096):
            pass
        return True
    except TimeoutError:
        return False
    except OSError:
        return True


@pytest.mark.parametrize("protocol", ["mongo", "couch", "http"])
def test_more_connections_than_descriptors_stop_nobody_who_is_served(tmp_path, protocol):
    with running(tmp_path, descriptors=DESCRIPTORS) as server, ExitStack() as stack, \
            pymongo.MongoClient(server.uri, maxPoolSize=2) as client:
        client.trial.things.insert_one({"_id": "before"})
        crowd(stack, server.addresses[protocol], DESCRIPTORS * 2)
        # More than the write buffers hold, so that tables, logs and merges need descriptors meanwhile.
        for _ in range(80):
            client.trial.things.insert_many({"bytes": os.urandom(1000)} for _ in range(1000))
        stack.close()
        assert client.trial.things.count_documents({}) == 80_001
        assert requests.get(f"{server.url}/health", timeout=60).status_code == 200


@pytest.mark.parametrize("protocol, first", [("mongo", HALF_MESSAGE), ("couch", HALF_HEAD), ("couch", HALF_BODY), ("http", HALF_HEAD)],
                         ids=["message", "head", "body", "head of a file"])
def test_half_requests_cost_little_and_stop_nobody(tmp_path, protocol, first, long):
    with running(tmp_path) as server, ExitStack() as stack, pymongo.MongoClient(server.uri, maxPoolSize=1) as client:
        client.trial.things.insert_one({"_id": 1})
        before = resident_mb(server)
        crowd(stack, server.addresses[protocol], 2000 if long else 300, first)
        began = time.monotonic()
        client.trial.things.insert_one({"_id": 2})
        assert time.monotonic() - began < 30
        assert resident_mb(server) - before < 128


@pytest.mark.parametrize("protocol, drip", [("couch", b"a"), ("http", b"a")])
def test_a_head_that_drips_is_not_waited_for(tmp_path, protocol, drip, long):
    if not long:
        pytest.skip("takes minutes: --long")
    with running(tmp_path) as server, connect(server.addresses[protocol]) as connection:
        connection.sendall(HALF_HEAD)
        ends = time.monotonic() + 150
        while time.monotonic() < ends:
            try:
                connection.sendall(drip)
            except OSError:
                return
            if is_closed(connection, 1):
                return
        pytest.fail("a head that never ends is still read after 150 s")
