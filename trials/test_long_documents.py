"""Documents of 7 to 16 MB, of which few are in memory at a time however many clients ask for them. In a group of 512 MB, as in
`test_memory.py`."""

import base64
import os
import struct
import time

import bson
import pytest
import requests
from limited import answer_or_limit, connections, server, together  # noqa: F401


def test_long_documents_read_by_many(server, long):
    """One document of 12 MB, read by many at once through each protocol: answers wait for each other."""
    with server.client() as client:
        client.default.long.insert_one({"_id": "d", "k": 1, "t": "x" * (12 << 20)})
        reads = {
            "MongoDB, by its id": lambda: client.default.long.find_one({"_id": "d"}),
            "MongoDB, by a filter": lambda: client.default.long.find_one({"k": 1}),
            "CouchDB": lambda: fetched(f"{server.couch}/long/d"),
            "Elasticsearch": lambda: fetched(f"{server.elastic}/long/_doc/d"),
            "Elasticsearch, the source": lambda: fetched(f"{server.elastic}/long/_source/d"),
            "Riak": lambda: fetched(f"{server.riak}/buckets/long/keys/d"),
            "the page": lambda: fetched(f"{server.url}/api/command/default", json={"find": "long"}),
        }

        def fetched(url, **body):
            answer = requests.request("POST" if body else "GET", url, timeout=600, **body)
            assert answer.status_code == 200 and len(answer.content) > 12 << 20, answer.text[:300]

        for name, read in reads.items():
            together(read, 64 if long else 24)
            print(f"{name}: {server.resident_mb()} MB at the most")
            assert server.resident_mb() < 350, name


FIRST = {"$group": {"_id": 1, "t": {"$first": "$t"}}}
ANSWERS_THAT_NOBODY_READS = {
    "a filter": {"find": "long", "filter": {"k": 1}, "$db": "default"},
    "an id": {"find": "long", "filter": {"_id": "d"}, "limit": 1, "$db": "default"},
    "a pipeline": {"aggregate": "long", "pipeline": [{"$match": {"k": 1}}], "cursor": {}, "$db": "default"},
    "a change": {"findAndModify": "long", "query": {"_id": "d"}, "update": {"$inc": {"n": 1}}, "$db": "default"},
    "a sort": {"find": "long", "sort": {"k": 1}, "$db": "default"},
    "a group": {"aggregate": "long", "pipeline": [{"$match": {"k": 1}}, FIRST], "cursor": {}, "$db": "default"},
}


def op_msg(command):
    body = struct.pack("<I", 0) + b"\0" + bson.encode(command)
    return struct.pack("<iiii", 16 + len(body), 1, 0, 2013) + body


REQUESTS_WHOSE_ANSWERS_NOBODY_READS = {
    "CouchDB": ("couch", "GET /long/d"),
    "CouchDB, all": ("couch", "GET /long/_all_docs?include_docs=true&startkey=%22d%22"),
    "Elasticsearch": ("elastic", "GET /long/_doc/d"),
    "Elasticsearch, a search": ("elastic", "GET /long/_search?q=k:1"),
    "Riak": ("riak", "GET /buckets/long/keys/d"),
    "the page": ("http", "POST /api/command/default", '{"find": "long", "filter": {"k": 1}}'),
}


@pytest.mark.parametrize("name", [*ANSWERS_THAT_NOBODY_READS, *REQUESTS_WHOSE_ANSWERS_NOBODY_READS])
def test_long_answers_that_nobody_reads(server, long, name):
    """Clients ask for one document of 12 MB and do not read the answer: the others wait until it is in a temporary file."""
    if name in ANSWERS_THAT_NOBODY_READS:
        protocol, message = "mongo", op_msg(ANSWERS_THAT_NOBODY_READS[name])
    else:
        protocol, line, *body = REQUESTS_WHOSE_ANSWERS_NOBODY_READS[name]
        body = "".join(body)
        message = f"{line} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
    with server.client() as client:
        # Among many short ones, so that their mean length says nothing.
        client.default.long.insert_many([{"_id": at, "k": 2 + at} for at in range(5_000)])
        client.default.long.insert_one({"_id": "d", "k": 1, "t": "x" * (12 << 20)})
        client.default.short.insert_one({"_id": 1, "k": 1})
        held, refused = connections(server, protocol, 120 if long else 48, message)
        assert refused == 0
        until = time.monotonic() + (60 if long else 5)
        while time.monotonic() < until:
            # Others are answered: what nobody takes goes to temporary files.
            assert client.default.short.find_one({"k": 1})["_id"] == 1
            time.sleep(0.1)
        print(f"{server.resident_mb()} MB at the most")
        assert server.resident_mb() < (450 if long else 350)
        for connection in held:
            connection.close()
        assert len(client.default.long.find_one({"k": 1})["t"]) == 12 << 20


def test_long_documents_changed_by_many(server, long):
    """Changes of long documents, whose requests are short: a commit takes as many as make one batch."""
    with server.client() as client:
        things = client.trial.things
        things.insert_many([{"_id": at, "n": 0} for at in range(4)])
        for at in range(4):
            things.update_one({"_id": at}, {"$set": {"t": "x" * (12 << 20)}})
        times = iter(range(10_000))
        changes = {
            "one": lambda: things.update_one({"_id": 0}, {"$inc": {"n": 1}}),
            "four": lambda: things.update_one({"_id": next(times) % 4}, {"$inc": {"n": 1}}),
            "one, and it is given": lambda: things.find_one_and_update({"_id": 1}, {"$inc": {"n": 1}}),
        }
        count = 64 if long else 24
        for name, change in changes.items():
            together(change, count)
            print(f"{name}: {server.resident_mb()} MB at the most")
        assert sum(document["n"] for document in things.find({}, {"n": 1})) == 3 * count
        assert server.resident_mb() < 400


def test_operations_over_long_documents_by_many(server, long):
    """What reads many long documents and answers little: few of these operations have theirs in memory at a time."""
    with server.client() as client:
        things = client.trial.things
        for at in range(4):
            things.insert_one({"_id": at, "k": at, "n": 0, "t": "x" * (12 << 20)})
        length = {"$sum": {"$strLenBytes": "$t"}}
        others = {"from": "things", "localField": "k", "foreignField": "k", "as": "of", "pipeline": [{"$project": {"t": 0}}]}
        operations = {
            "update all": lambda: things.update_many({}, {"$inc": {"n": 1}}),
            "count": lambda: things.count_documents({"t": {"$gt": "y"}}),
            "distinct": lambda: things.distinct("t", {"k": 9, "t": {"$gt": "a"}}),
            "group": lambda: list(things.aggregate([{"$group": {"_id": "$k", "length": length}}])),
            "join": lambda: list(things.aggregate([{"$lookup": others}, {"$project": {"t": 0}}])),
            "sort": lambda: list(things.aggregate([{"$sort": {"n": 1}}, {"$limit": 2}, {"$project": {"t": 0}}])),
        }
        count = 64 if long else 24
        for name, operation in operations.items():
            together(lambda operation=operation: answer_or_limit(operation), count)
            print(f"{name}: {server.resident_mb()} MB at the most")
            assert server.resident_mb() < 450, name


def test_long_documents_given_by_pipelines_to_many(server, long):
    """What a pipeline makes of long documents is long too: each client gets all of it, in several batches."""
    with server.client() as client:
        things = client.trial.things
        kept = 4 if long else 2
        for at in range(kept):
            things.insert_one({"_id": at, "k": at, "t": "x" * (12 << 20)})
        joined = {"from": "things", "localField": "k", "foreignField": "k", "as": "of"}
        pipelines = {
            "group": (kept, [{"$group": {"_id": "$k", "t": {"$first": "$t"}}}]),
            "top": (kept, [{"$group": {"_id": "$k", "t": {"$top": {"output": "$t", "sortBy": {"k": 1}}}}}]),
            "join": (kept, [{"$project": {"k": 1}}, {"$lookup": joined}]),
            "unwind": (2 * kept, [{"$addFields": {"a": [1, 2]}}, {"$unwind": "$a"}]),
            "union": (2 * kept, [{"$unionWith": "things"}]),
        }
        clients = 64 if long else 24
        for name, (expected, pipeline) in pipelines.items():

            def given(pipeline=pipeline, expected=expected):
                assert sum(1 for _ in things.aggregate(pipeline)) == expected

            # What is joined to one document has no file to go to.
            together(given if name != "join" else lambda: answer_or_limit(given), clients)
            print(f"{name}: {server.resident_mb()} MB at the most")
            assert server.resident_mb() < 350, name
        names = iter(range(clients))
        together(lambda: list(things.aggregate([{"$out": f"out{next(names)}"}])), clients)
        print(f"out: {server.resident_mb()} MB at the most")
        assert server.resident_mb() < 350
        assert client.trial[f"out{clients - 1}"].count_documents({}) == kept


def test_idle_cursors_over_long_documents(server, long):
    """Long documents among many short ones, so that their mean length says nothing."""
    count = 60 if long else 24
    with server.client() as client:
        things = client.trial.things
        things.insert_many([{"_id": at, "k": 0} for at in range(20_000)])
        for at in range(count):
            things.insert_one({"_id": f"long{at}", "long": True, "k": at * 7 % count, "t": os.urandom(7 << 20)})
        things.create_index("long")
        ids = [f"long{at}" for at in range(count)]
        finds = {
            "ids": lambda: things.find({"_id": {"$in": ids}}),
            "an index": lambda: things.find({"long": True}),
            "an index and a filter": lambda: things.find({"long": True, "k": {"$gte": 0}}),
            "a sort": lambda: things.find({"long": True}).sort("k", 1),
            "a pipeline": lambda: things.aggregate([{"$match": {"long": True}}, {"$sort": {"k": 1}}], allowDiskUse=True),
        }
        opened = []
        for find in list(finds.values()) * (8 if long else 4):
            cursor = find()
            next(cursor)
            opened.append(cursor)
        # They leave memory to others.
        things.insert_one({"_id": "short"})
        assert len(list(things.find({"k": 0, "long": None}).sort("_id", -1).limit(5))) == 5
        assert things.update_many({"long": True}, {"$set": {"seen": True}}).modified_count == count
        for name, cursor in zip(finds, opened):
            assert sum(1 for _ in cursor) == count - 1, name
        for cursor in opened:
            cursor.close()
        assert things.delete_many({"long": True}).deleted_count == count


def test_long_documents_searched_and_mapped(server, long):
    """Long documents with many words, which a full-text index takes in, a multi-get asks for at once, and scripts see."""
    count = 60 if long else 24
    ids = [f"long{at}" for at in range(count)]
    requests.put(f"{server.couch}/trial", timeout=60)
    short = [{"_id": f"{at:05}", "k": at} for at in range(20_000)]
    assert requests.post(f"{server.couch}/trial/_bulk_docs", json={"docs": short}, timeout=600).status_code == 201
    lengths = []
    for name in ids:
        text = base64.b64encode(os.urandom(5_000_000)).decode()
        answer = requests.put(f"{server.couch}/trial/{name}", json={"long": True, "t": text}, timeout=600)
        assert answer.status_code == 201, answer.text
        lengths.append(len(text))
    search = {"query": {"term": {"long": True}}, "size": 2, "_source": ["long"]}
    until = time.monotonic() + 120
    while time.monotonic() < until:
        answer = requests.post(f"{server.elastic}/trial/_search", json=search, timeout=600)
        assert answer.status_code == 200 or "--memory" in answer.text, answer.text[:300]
        indices = requests.get(f"{server.elastic}/trial/_stats", timeout=600).json()["_all"]["total"]
        if answer.status_code == 200 and indices["segments"]["count"] > 0:
            break
    answer = requests.post(f"{server.elastic}/trial/_mget", json={"ids": ids}, timeout=600)
    assert answer.status_code == 429 and "--memory" in answer.text, answer.text[:300]
    answer = requests.post(f"{server.elastic}/trial/_mget?_source=long", json={"ids": ids}, timeout=600)
    assert [one["_source"] for one in answer.json()["docs"]] == [{"long": True}] * count
    source = "function(value) { return [JSON.parse(value.values[0].data).t.length]; }"
    job = {"inputs": [["trial", name] for name in ids], "query": [{"map": {"language": "javascript", "source": source}}]}
    answer = requests.post(f"{server.riak}/mapred", json=job, timeout=600)
    assert answer.status_code == 200 and answer.json() == lengths, answer.text[:300]
    # By many clients: short documents of a bucket first, long ones behind them; and long ones by their names.
    for inputs in ("trial", [["trial", name] for name in ids]):
        job = {"inputs": inputs, "query": [{"link": {"bucket": "_", "tag": "_", "keep": True}}]}

        def mapped(job=job):
            answer = requests.post(f"{server.riak}/mapred", json=job, timeout=600)
            assert answer.status_code == 200 and answer.json() == [], answer.text[:300]

        together(mapped, 64 if long else 16)
        print(f"{'a bucket' if inputs == 'trial' else 'names'}: {server.resident_mb()} MB at the most")
