"""Operations that would run for hours: others are served meanwhile, and time limits, kills and clients that leave end them."""

import socket
import struct
import threading
import time

import bson
import pymongo
import pytest
import requests
from pymongo.errors import ExecutionTimeout, OperationFailure, PyMongoError
from server import running


def total(name, body):
    return {"$sum": {"$map": {"input": {"$range": [0, 3000]}, "as": name, "in": body}}}


ENDLESS = total("p", total("q", total("r", {"$add": ["$$p", "$$q", "$$r", "$a"]})))
PIPELINE = [{"$documents": [{"a": 1}]}, {"$project": {"total": ENDLESS}}]


def command(comment, **options):
    return {"aggregate": 1, "pipeline": PIPELINE, "cursor": {}, "comment": comment, **options}


class Endless(threading.Thread):
    """A client that waits for an answer that takes hours."""

    def __init__(self, server, comment, **options):
        super().__init__()
        self.uri, self.command = server.uri, command(comment, **options)
        self.error = None

    def run(self):
        with pymongo.MongoClient(self.uri, retryReads=False) as client:
            try:
                client.db.command(self.command)
            except PyMongoError as error:
                self.error = error


def operations(client, comment):
    found = client.admin.aggregate([{"$currentOp": {}}])
    return [each for each in found if each["command"].get("comment") == comment]


def wait_until(holds):
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


# How long a busy machine may take for what an idle one does at once, which is far less than hours.
SOON = 20


def seconds(work):
    began = time.monotonic()
    work()
    return time.monotonic() - began


def test_others_are_served_and_the_time_limit_holds(server, client):
    limit = 6
    busy = [Endless(server, f"limited {number}", maxTimeMS=limit * 1000) for number in range(4)]
    began = time.monotonic()
    for each in busy:
        each.start()
    wait_until(lambda: operations(client, "limited 3"))
    slowest = 0
    while any(each.is_alive() for each in busy):
        slowest = max(slowest, seconds(lambda: client.admin.command("ping")))
        slowest = max(slowest, seconds(lambda: requests.get(f"{server.url}/health", timeout=60).raise_for_status()))
    # Who had to wait for one of them would wait until its time is up.
    assert slowest < limit / 3
    assert time.monotonic() - began < limit + SOON
    assert all(isinstance(each.error, ExecutionTimeout) for each in busy)


def test_kill_op_ends_an_evaluation(server, client):
    endless = Endless(server, "killed")
    endless.start()
    wait_until(lambda: operations(client, "killed"))
    [operation] = operations(client, "killed")
    client.admin.command("killOp", op=operation["opid"])
    assert seconds(lambda: endless.join(30)) < SOON
    assert endless.error.code == 11601


def test_an_operation_ends_when_its_client_goes(server, client):
    host, port = server.address.split(":")
    body = bson.encode({**command("abandoned"), "$db": "db"})
    with socket.create_connection((host, int(port))) as abandoned:
        abandoned.sendall(struct.pack("<iiiiI", 21 + len(body), 1, 0, 2013, 0) + b"\0" + body)
        wait_until(lambda: operations(client, "abandoned"))
    assert seconds(lambda: wait_until(lambda: not operations(client, "abandoned"))) < SOON


def test_an_update_by_an_expression_ends(collection):
    collection.insert_one({"_id": 1, "a": 1})
    update = {"q": {"_id": 1}, "u": [{"$set": {"total": ENDLESS}}]}
    began = time.monotonic()
    with pytest.raises(OperationFailure) as ended:
        collection.database.command("update", collection.name, updates=[update], maxTimeMS=200)
    assert ended.value.code == 50
    assert time.monotonic() - began < SOON
    collection.insert_one({"_id": 2})


def test_an_expression_that_doubles_its_value_meets_a_limit(database):
    doubled = {"$reduce": {"input": {"$range": [0, 40]}, "initialValue": ["a" * 10_000_000],
                           "in": {"$concatArrays": ["$$value", "$$value"]}}}
    with pytest.raises(OperationFailure, match="too much memory") as refused:
        list(database.aggregate([{"$documents": [{"a": 1}]}, {"$project": {"x": doubled}}]))
    assert refused.value.code == 146


def test_a_default_limit_holds_for_reads_that_give_none(tmp_path):
    with running(tmp_path, "--default-max-time-ms", "500") as server, pymongo.MongoClient(server.uri) as client:
        with pytest.raises(ExecutionTimeout):
            client.db.command(command("by default"))
        [cursor] = [client.db.command(command("later"), cursor={"batchSize": 0})["cursor"]]
        with pytest.raises(ExecutionTimeout):
            client.db.command("getMore", cursor["id"], collection="$cmd.aggregate")
        longer = Endless(server, "by itself", maxTimeMS=1500)
        assert seconds(longer.run) > 1.4


def test_the_server_stops_whatever_runs(tmp_path):
    with running(tmp_path) as server, pymongo.MongoClient(server.uri) as client:
        busy = [Endless(server, f"stopped {number}") for number in range(3)]
        for each in busy:
            each.start()
        wait_until(lambda: operations(client, "stopped 2"))
        # Less than the ten seconds that a stop waits for what does not end.
        assert seconds(lambda: server.stop()) < 8
        for each in busy:
            each.join(30)
            assert each.error
