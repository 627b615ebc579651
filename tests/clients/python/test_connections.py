"""Connections that take as much as they can, or come from a forbidden origin."""

import contextlib
import os
import socket
import struct
import time

import bson
import pymongo
import pytest
import requests
from server import running

HOST_KNOWN, HOST_UNKNOWN = "localhost", "evil.example"
DESCRIPTORS = 256
IDLE = 400


def open_idle(stack, addresses, count):
    for number in range(count):
        host, port = addresses[number % len(addresses)].split(":")
        with contextlib.suppress(ConnectionError):
            stack.enter_context(socket.create_connection((host, int(port)), timeout=30))


def wait_until(holds, seconds=30):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come to this"
        time.sleep(0.05)


def refused(url):
    """What somebody new is told; None where the connection was closed without a word."""
    try:
        return requests.get(url, timeout=30).status_code
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


def status(url, **headers):
    return requests.get(url, headers=headers, timeout=30).status_code


def test_without_users_only_names_of_the_machine_itself_are_answered(tmp_path):
    with running(tmp_path) as server:
        for url in (f"{server.couch}/_all_dbs", f"{server.url}/health"):
            assert status(url, Host=HOST_KNOWN) == 200
            # The page's own port says that the request was not meant for this server.
            assert status(url, Host=f"{HOST_UNKNOWN}:5984") == (421 if url.startswith(server.url) else 403)
            assert status(url, Origin=f"http://{HOST_UNKNOWN}") == 403
            assert status(url, Origin="http://localhost:3000") == 200
        page = {"Host": HOST_UNKNOWN, "Origin": f"http://{HOST_UNKNOWN}"}
        admin = f"{server.couch}/_node/_local/_config/admins/evil"
        refused = requests.put(admin, json="pw", headers=page, timeout=30)
        assert refused.status_code == 403 and "--allowed-hosts" in refused.json()["reason"]
        # CouchDB's own settings say which pages may ask.
        config = f"{server.couch}/_node/_local/_config"
        requests.put(f"{config}/chttpd/enable_cors", json="true", timeout=30)
        requests.put(f"{config}/cors/origins", json="http://app.example", timeout=30)
        assert status(f"{server.couch}/_all_dbs", Origin="http://app.example") == 200
        assert status(f"{server.couch}/_all_dbs", Origin=f"http://{HOST_UNKNOWN}") == 403
        # From here on everybody has to log in, under whatever name.
        assert requests.put(f"{config}/admins/root", json="pw", timeout=30).status_code == 200
        assert status(f"{server.couch}/_all_dbs", Host=HOST_UNKNOWN) == 401
    with running(tmp_path / "named", "--allowed-hosts", HOST_UNKNOWN) as server:
        assert status(f"{server.couch}/_all_dbs", Host=HOST_UNKNOWN) == 200


def test_failed_logins_are_logged_on_every_port_with_their_address(tmp_path):
    with running(tmp_path) as server:
        config = f"{server.couch}/_node/_local/_config"
        assert requests.put(f"{config}/admins/root", json="pw", timeout=30).status_code == 200
        wrong = ("root\nforged", "guess")
        assert requests.get(f"{server.couch}/_all_dbs", auth=wrong, timeout=30).status_code == 401
        assert requests.get(f"{server.url}/files/fs", auth=wrong, timeout=30).status_code == 401
        with pymongo.MongoClient(server.uri, username="root", password="guess") as client, \
                contextlib.suppress(pymongo.errors.OperationFailure):
            client.db.things.find_one()
        wait_until(lambda: sum("a login failed" in line for line in server.log) >= 3)
        told = [line for line in server.log if "a login failed" in line]
        assert all("127.0.0.1:" in line for line in told)
        assert not any(line.startswith("forged") for line in server.log)


@pytest.mark.parametrize("port", ["couch", "http"])
def test_who_fails_to_log_in_again_and_again_waits(tmp_path, port):
    with running(tmp_path) as server:
        config = f"{server.couch}/_node/_local/_config"
        assert requests.put(f"{config}/admins/root", json="pw", timeout=30).status_code == 200
        url = f"{server.couch}/_all_dbs" if port == "couch" else f"{server.url}/files/fs"
        began = time.monotonic()
        for _ in range(9):
            assert requests.get(url, auth=("root", "guess"), timeout=30).status_code == 401
        # The first few cost nothing; then each waits twice as long as the one before.
        waited = time.monotonic() - began
        assert waited > 1
        # Others do not wait for whoever guesses, who would now wait for as long as all nine have.
        began = time.monotonic()
        assert requests.get(url, auth=("somebody", "guess"), timeout=30).status_code == 401
        assert time.monotonic() - began < waited / 2


def is_answered(address):
    """Whether a new connection says hello and is answered, rather than closed."""
    host, port = address.split(":")
    body = bson.encode({"hello": 1, "$db": "admin"})
    with socket.create_connection((host, int(port)), timeout=30) as stream:
        # MongoDB's wire protocol, OP_MSG: the header, no flags, one section of kind 0.
        stream.sendall(struct.pack("<iiiiiB", 21 + len(body), 1, 0, 2013, 0, 0) + body)
        try:
            return stream.recv(1) != b""
        except ConnectionError:
            return False


def test_a_storm_of_connections_is_slowed_down_where_an_administrator_says_so(tmp_path):
    with running(tmp_path) as server, pymongo.MongoClient(server.uri) as client:
        limit = "ingressConnectionEstablishment"

        def limited(name, value):
            client.admin.command("setParameter", 1, **{limit + name: value})

        client.admin.command("ping")
        # Five tokens, of which none comes back while the test runs.
        limited("RatePerSec", 0.001)
        limited("BurstCapacitySecs", 5000)
        limited("RateLimiterEnabled", True)
        address = server.addresses["mongo"]
        answered = sum(is_answered(address) for _ in range(25))
        # The client's own monitor may have taken some.
        assert 0 < answered <= 5
        status = client.admin.command("serverStatus")
        assert status["connections"]["establishmentRateLimit"]["rejected"] >= 20
        assert status["queues"]["ingressSessionEstablishment"]["totalAvailableTokens"] < 1
        limited("RateLimiterEnabled", False)
        assert is_answered(address)
