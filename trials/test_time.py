"""Operations that would run for ever, one for each kind of loop over what a client sends: others are answered meanwhile, and the
operation ends when its time is up, when it is killed, when its client goes, and when the server is told to stop."""

import socket
import struct
import threading
import time
from contextlib import contextmanager

import bson
import pymongo
import pytest
import requests
from pymongo.errors import OperationFailure, PyMongoError
from server import Server

# Of a release build on a quiet machine. The short form runs on builds for tests and on busy machines too: it finds what goes on for
# ever, not what takes a little long.
PING_S, HEALTH_S, END_S = 0.050, 0.100, 0.200
PATIENCE = 40
LIMIT_MS = 500

MANY = {"$range": [0, 1_000_000]}
UNWOUND = [{"$documents": [{"a": 1}]}, {"$project": {"i": MANY}}, {"$unwind": "$i"}]


def nested(depth):
    """A sum over ranges within ranges: each level is a thousand times the work, and none is the same each time."""
    outer = [f"$$x{level}" for level in range(1, depth + 1)]

    def level(at):
        if at > depth:
            return {"$add": outer}
        return {"$sum": {"$map": {"input": {"$range": [0, 1000]}, "as": f"x{at}", "in": level(at + 1)}}}

    return level(1)


def over_many(expression):
    """The expression of `$$y` for each of many values, in one document. (What is the same for each would be evaluated once.)"""
    value = {"$sum": {"$map": {"input": {"$range": [0, 300]}, "as": "x", "in": {"$sum": {"$map": {"input": MANY, "as": "y", "in": expression}}}}}}
    return [{"$documents": [{"text": "a" * 20_000}]}, {"$project": {"r": value}}]


def pipeline(stages, **options):
    return lambda client, **more: list(client.trial.aggregate(stages, **options, **more))


def find(query, **options):
    def run(client, maxTimeMS=None, comment=None):
        return list(client.trial.things.find(query, max_time_ms=maxTimeMS, comment=comment, **options))
    return run


FOREVER = "function() { for (;;) {} }"
LOADS = {
    "nested maps": pipeline([{"$documents": [{"a": 1}]}, {"$project": {"r": nested(4)}}]),
    "a reduce": pipeline(over_many({"$reduce": {"input": {"$range": [0, 1000]}, "initialValue": "$$y", "in": {"$add": ["$$value", "$$this"]}}})),
    "a filter": pipeline(over_many({"$size": {"$filter": {"input": {"$range": [0, 1000]}, "cond": {"$gt": ["$$this", "$$y"]}}}})),
    "strings": pipeline(over_many({"$strLenCP": {"$replaceAll": {"input": "$text", "find": "a", "replacement": "bb"}}})),
    "substrings": pipeline(over_many({"$indexOfCP": ["$text", "aaab"]})),
    "regular expressions": pipeline(over_many({"$cond": [{"$regexMatch": {"input": "$text", "regex": "(a+)+b"}}, 1, 0]})),
    "a regular expression over a long text": pipeline([
        {"$documents": [{"text": ("a" * 1000 + " ") * 1000}]}, {"$project": {"r": {"$regexMatch": {"input": "$text", "regex": "a*a*[bc]"}}}}]),
    "regular expressions that go far back": pipeline(over_many(
        {"$cond": [{"$regexMatch": {"input": {"$concat": [{"$toString": "$$y"}, "a" * 26, "b"]}, "regex": "^[0-9]+(a|aa)+$"}}, 1, 0]})),
    "sets": pipeline(over_many({"$size": {"$setUnion": [{"$range": [0, 1000]}, ["$$y"]]}})),
    "sorted arrays": pipeline(over_many({"$size": {"$sortArray": {"input": {"$concatArrays": [{"$range": [0, 100_000]}, ["$$y"]]}, "sortBy": -1}}})),
    "dates": pipeline(over_many({"$strLenCP": {"$dateToString": {"date": {"$toDate": {"$toLong": "$$y"}}, "timezone": "Europe/Berlin"}}})),
    "a function in JavaScript": pipeline([{"$documents": [{"a": 1}]}, {"$project": {"r": {"$function": {"body": FOREVER, "args": [], "lang": "js"}}}}]),
    "$where": find({"$where": FOREVER}),
    "a group over an unwound million": pipeline([*UNWOUND, {"$group": {"_id": {"$mod": ["$i", 1000]}, "n": {"$sum": {"$multiply": ["$i", "$i"]}}}},
                                                 {"$project": {"r": nested(2)}}]),
    "a sort of an unwound million": pipeline([*UNWOUND, {"$set": {"s": {"$toString": {"$multiply": ["$i", 7919]}}}}, {"$sort": {"s": 1}},
                                              {"$project": {"r": nested(1)}}, {"$count": "n"}]),
    "a collated sort": pipeline([*UNWOUND, {"$set": {"s": {"$toString": {"$multiply": ["$i", 7919]}}}}, {"$sort": {"s": 1}}, {"$count": "n"}],
                                collation={"locale": "en", "strength": 1}),
    "a collated filter": find({"$or": [{"text": f"none {at}"} for at in range(4000)]}, collation={"locale": "en", "strength": 1}),
    "buckets": pipeline([*UNWOUND, {"$bucketAuto": {"groupBy": "$i", "buckets": 100}}, {"$project": {"r": nested(2)}}]),
    "windows": pipeline([*UNWOUND, {"$setWindowFields": {"sortBy": {"i": 1}, "output": {"s": {"$sum": "$i", "window": {"documents": [-500, 500]}}}}},
                         {"$count": "n"}]),
    "a join of all with all": pipeline([*UNWOUND, {"$lookup": {"from": "things", "pipeline": [{"$match": {"$expr": {"$gt": ["$k", 5]}}}], "as": "x"}},
                                        {"$count": "n"}]),
    "a filter with many clauses": find({"$or": [{"k": {"$gt": 100_000 + at}, "text": "none"} for at in range(5_000)]}),
    "a plan with many indexes": find({"$and": [{"$or": [{f"f{at % 10}": at}, {f"f{(at + 1) % 10}": at}]} for at in range(12)]}),
}
# They may be done before their time is up.
MAY_END = {"a filter with many clauses", "a plan with many indexes", "a collated filter", "a sort of an unwound million", "a collated sort",
           "regular expressions"}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    served = started(tmp_path_factory.mktemp("time") / "data")
    yield served
    served.stop()


def started(folder):
    served = Server(folder, memory="512m")
    with pymongo.MongoClient(served.uri) as client:
        client.trial.things.insert_many({"_id": at, "k": at, "text": "x" * 50 + str(at), **{f"f{i}": at % 7 for i in range(10)}} for at in range(5000))
        for at in range(10):
            client.trial.things.create_index([(f"f{at}", 1), (f"f{(at + 3) % 10}", 1)])
    return served


@pytest.fixture
def patience(long):
    return 1 if long else PATIENCE


class Others(threading.Thread):
    """Asks for little all the time, as other clients do, and notes what took longest."""

    def __init__(self, server):
        super().__init__()
        self.server, self.ended = server, threading.Event()
        self.ping_s = self.health_s = 0
        self.failure = None

    def run(self):
        try:
            with pymongo.MongoClient(self.server.uri) as client, requests.Session() as session:
                while not self.ended.wait(0.01):
                    self.ping_s = max(self.ping_s, took(lambda: client.admin.command("ping")))
                    self.health_s = max(self.health_s, took(lambda: session.get(f"{self.server.url}/health", timeout=60)))
        except Exception as error:
            self.failure = error


@contextmanager
def others(server, patience):
    """Others must be answered in time meanwhile."""
    asking = Others(server)
    asking.start()
    try:
        yield
    finally:
        asking.ended.set()
        asking.join()
    assert not asking.failure, asking.failure
    print(f"ping {asking.ping_s * 1000:.0f} ms, health {asking.health_s * 1000:.0f} ms at the most")
    assert asking.ping_s <= PING_S * patience and asking.health_s <= HEALTH_S * patience


def took(work):
    began = time.monotonic()
    work()
    return time.monotonic() - began


@pytest.mark.parametrize("name", LOADS)
def test_a_time_limit_ends_it_and_others_are_answered(server, patience, name):
    with pymongo.MongoClient(server.uri) as client, others(server, patience):
        began = time.monotonic()
        try:
            LOADS[name](client, maxTimeMS=LIMIT_MS)
            assert name in MAY_END, "it ended by itself"
        except OperationFailure as error:
            assert error.code == 50 or name in MAY_END, error
        assert time.monotonic() - began <= LIMIT_MS / 1000 + END_S * patience


def running(client, name):
    """The ids of operations that carry this comment."""
    return [found["opid"] for found in client.admin.aggregate([{"$currentOp": {}}, {"$match": {"command.comment": name}}])]


def wait_until(condition, within_s):
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began <= within_s, "it goes on"
        time.sleep(0.005)
    return time.monotonic() - began


class Started(threading.Thread):
    """A load that runs in a client of its own."""

    def __init__(self, server, name):
        super().__init__()
        self.server, self.name_of_load, self.error, self.ended_at = server, name, None, None
        self.client = pymongo.MongoClient(server.uri, retryReads=False)
        self.start()

    def run(self):
        try:
            LOADS[self.name_of_load](self.client, comment=self.name_of_load)
        except (PyMongoError, OSError) as error:
            self.error = error
        self.ended_at = time.monotonic()


ENDLESS = [name for name in LOADS if name not in MAY_END]
A_FEW = ["nested maps", "strings", "a function in JavaScript", "a join of all with all"]


@pytest.fixture(params=ENDLESS)
def endless(request, long):
    if not long and request.param not in A_FEW:
        pytest.skip("one of each kind is enough for the short form")
    return request.param


def test_a_kill_ends_it(server, patience, endless):
    with pymongo.MongoClient(server.uri) as client:
        load = Started(server, endless)
        wait_until(lambda: running(client, endless), 60)
        time.sleep(0.3)
        began = time.monotonic()
        for operation in running(client, endless):
            client.admin.command("killOp", 1, op=operation)
        load.join(30)
        assert load.ended_at and load.ended_at - began <= END_S * patience
        assert getattr(load.error, "code", None) == 11601, load.error


def test_it_ends_with_its_client(server, patience, endless):
    command = bson.encode(command_of(endless))
    body = struct.pack("<IB", 0, 0) + command
    with pymongo.MongoClient(server.uri) as client:
        host, port = server.address.rsplit(":", 1)
        connection = socket.create_connection((host, int(port)))
        connection.sendall(struct.pack("<iiii", 16 + len(body), 1, 0, 2013) + body)
        wait_until(lambda: running(client, endless), 60)
        time.sleep(0.3)
        connection.close()
        wait_until(lambda: not running(client, endless), END_S * patience)


def command_of(name):
    """The command that the load sends."""
    return {**Recorded.of(LOADS[name], name), "$db": "trial", "comment": name}


class Recorded:
    """Stands for a client, and keeps the command that it is asked for."""

    def __init__(self):
        self.command = None
        self.trial = self.things = self

    @staticmethod
    def of(load, name):
        recorded = Recorded()
        load(recorded, comment=name)
        return recorded.command

    def aggregate(self, stages, comment=None, **options):
        self.command = {"aggregate": 1, "pipeline": stages, "cursor": {}, **options}
        return []

    def find(self, query, max_time_ms=None, comment=None, **options):
        self.command = {"find": "things", "filter": query, **options}
        return []


def test_sigterm_ends_endless_operations(tmp_path, patience, endless):
    server = started(tmp_path / "data")
    with pymongo.MongoClient(server.uri) as client:
        load = Started(server, endless)
        wait_until(lambda: running(client, endless), 60)
        time.sleep(0.3)
    # The end of the server itself takes a moment too: what is in memory goes to the disk.
    assert took(server.stop) <= (END_S + 1) * patience
    load.join(30)
    assert load.error


JSON_LOADS = {
    "a large body of JSON": lambda couch: requests.post(
        f"{couch}/trial_json/_bulk_docs", data='{"docs":[' + ",".join('{"a":[%s]}' % ("1," * 50_000 + "1") for _ in range(60)) + "]}",
        headers={"content-type": "application/json"}, timeout=600),
    "a selector of many clauses": lambda couch: requests.post(
        f"{couch}/trial_json/_find", json={"selector": {"$or": [{f"a{at}": {"$regex": "(x+)+y"}} for at in range(1000)]}, "limit": 1}, timeout=600),
    "a view": lambda couch: requests.get(f"{couch}/trial_json/_design/v/_view/slow?limit=1", timeout=600),
}


@pytest.mark.parametrize("name", JSON_LOADS)
def test_others_are_answered_during_requests_of_couchdb(server, patience, name):
    couch = server.couch
    if requests.put(f"{couch}/trial_json", timeout=60).status_code == 201:
        docs = [{"_id": f"d{at}", "text": "x" * 50, "n": at} for at in range(2000)]
        requests.post(f"{couch}/trial_json/_bulk_docs", json={"docs": docs}, timeout=60)
        slow = "function(d){var n=0;for(var i=0;i<20000;i++)n+=i;for(var j=0;j<20;j++)emit([d.text,j],n)}"
        requests.put(f"{couch}/trial_json/_design/v", json={"views": {"slow": {"map": slow, "reduce": "_stats"}}}, timeout=60)
    with others(server, patience):
        assert JSON_LOADS[name](couch).status_code in (200, 201)


def test_others_are_answered_while_much_bson_is_read(server, patience):
    nested_document = {"a": 1}
    for _ in range(90):
        nested_document = {"a": nested_document, "b": [1, 2, 3]}
    documents = [{"n": nested_document, "x": list(range(2000))} for _ in range(600)]
    with pymongo.MongoClient(server.uri) as client, others(server, patience):
        client.trial.read.insert_many(documents)


def test_a_limit_can_be_set_for_all(tmp_path, patience):
    server = Server(tmp_path / "data", "--default-max-time-ms", str(LIMIT_MS))
    try:
        with pymongo.MongoClient(server.uri) as client:
            began = time.monotonic()
            with pytest.raises(OperationFailure) as ended:
                LOADS["nested maps"](client)
            assert ended.value.code == 50
            assert time.monotonic() - began <= LIMIT_MS / 1000 + END_S * patience
    finally:
        server.stop()
