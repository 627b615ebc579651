"""How drivers' monitors watch the server: hellos that wait, and a stream of them."""

import threading
import time

import bson
import pymongo
import pytest
from pymongo import monitoring
from pymongo.errors import OperationFailure
from server import running


def hello(client, **arguments):
    return client.admin.command("hello", **arguments)


def test_a_hello_waits_for_another_topology(client):
    version = hello(client)["topologyVersion"]
    assert isinstance(version["processId"], bson.ObjectId) and version["counter"] == 0
    started = time.monotonic()
    assert hello(client, topologyVersion=version, maxAwaitTimeMS=300)["topologyVersion"] == version
    assert time.monotonic() - started >= 0.3
    other = {"processId": bson.ObjectId(), "counter": bson.Int64(0)}
    started = time.monotonic()
    assert hello(client, topologyVersion=other, maxAwaitTimeMS=60_000)["topologyVersion"] == version
    assert time.monotonic() - started < 30


def test_what_a_monitor_says_is_checked(client):
    version = hello(client)["topologyVersion"]
    for code, arguments in [
        (31368, {"topologyVersion": version}),
        (31368, {"maxAwaitTimeMS": 1}),
        (2, {"topologyVersion": version, "maxAwaitTimeMS": -1}),
        (31372, {"topologyVersion": {**version, "counter": bson.Int64(-1)}, "maxAwaitTimeMS": 1}),
        (51764, {"topologyVersion": {**version, "counter": bson.Int64(9)}, "maxAwaitTimeMS": 1}),
        (14, {"topologyVersion": {**version, "counter": 0}, "maxAwaitTimeMS": 1}),
        (14, {"topologyVersion": {**version, "processId": 0}, "maxAwaitTimeMS": 1}),
        (40414, {"topologyVersion": {"processId": bson.ObjectId()}, "maxAwaitTimeMS": 1}),
        (14, {"topologyVersion": 1, "maxAwaitTimeMS": 1}),
    ]:
        with pytest.raises(OperationFailure) as error:
            hello(client, **arguments)
        assert error.value.code == code


class Beats(monitoring.ServerHeartbeatListener):
    def __init__(self):
        self.awaited, self.lost = threading.Semaphore(0), threading.Event()

    def started(self, event):
        pass

    def succeeded(self, event):
        if event.awaited:
            self.awaited.release()

    def failed(self, event):
        self.lost.set()


def test_a_monitor_streams_and_notices_the_end(tmp_path):
    beats = Beats()
    with running(tmp_path) as server:
        options = {"serverMonitoringMode": "stream", "heartbeatFrequencyMS": 500, "serverSelectionTimeoutMS": 5000}
        with pymongo.MongoClient(server.uri, event_listeners=[beats], **options) as client:
            client.admin.command("ping")
            for _ in range(3):
                assert beats.awaited.acquire(timeout=30)
            started = time.monotonic()
            server.process.terminate()
            server.process.wait(timeout=30)
            assert time.monotonic() - started < 10
            assert beats.lost.wait(30)


def test_a_fail_point_strikes_the_handshake_of_an_application(tmp_path):
    with running(tmp_path, "--test-commands=true") as server, pymongo.MongoClient(server.uri) as client:
        data = {"failCommands": ["hello", "isMaster", "ismaster"], "closeConnection": True, "appName": "struck"}
        client.admin.command("configureFailPoint", "failCommand", mode="alwaysOn", data=data)
        with pymongo.MongoClient(server.uri, appname="struck", serverSelectionTimeoutMS=500) as struck:
            with pytest.raises(pymongo.errors.ServerSelectionTimeoutError):
                struck.admin.command("ping")
        with pymongo.MongoClient(server.uri, appname="spared") as spared:
            spared.admin.command("ping")
        client.admin.command("configureFailPoint", "failCommand", mode="off")
