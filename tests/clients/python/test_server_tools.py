"""Commands for administrators: sizes of parts, usage, the log."""

import pymongo
import pytest
from bson import Int64, encode
from pymongo.errors import OperationFailure


def refused(run):
    with pytest.raises(OperationFailure) as error:
        run()
    return error.value.code


def test_the_size_of_a_collection_and_of_a_range(database):
    documents = [{"_id": n, "x": n, "y": -n, "pad": "p" * n} for n in range(100)]
    database["c"].insert_many(documents)
    database["c"].create_index([("x", pymongo.ASCENDING), ("y", pymongo.ASCENDING)])
    database["c"].create_index([("y", pymongo.DESCENDING)])
    name = f"{database.name}.c"
    size = lambda **options: database.command({"dataSize": name, **options})
    bytes_of = lambda some: sum(len(encode(document)) for document in some)
    whole = size()
    assert (whole["numObjects"], whole["size"], whole["estimate"]) == (100, bytes_of(documents), False)
    assert isinstance(whole["size"], Int64) and whole["millis"] >= 0
    part = {"numObjects": 40, "size": bytes_of(documents[10:50])}
    for options in ({"keyPattern": {"x": 1}, "min": {"x": 10}, "max": {"x": 50}},
                    {"keyPattern": {"_id": 1}, "min": {"_id": 10}, "max": {"_id": 50}},
                    {"min": {"_id": 10}, "max": {"_id": 50}},
                    {"keyPattern": {"y": -1}, "min": {"y": -10}, "max": {"y": -50}}):
        found = size(**options)
        assert {name: found[name] for name in part} == part, options
    for low, high in ((5, 5), (50, 10), (1000, 2000)):
        assert size(keyPattern={"x": 1}, min={"x": low}, max={"x": high})["numObjects"] == 0
    cut = size(maxObjects=10)
    assert cut["maxReached"] is True and cut["numObjects"] == 11
    assert database.command({"dataSize": f"{database.name}.missing"})["numObjects"] == 0


def test_sizes_that_cannot_be_told_are_refused(database):
    database["c"].insert_one({"x": 1})
    database.create_collection("v", viewOn="c", pipeline=[])
    name = f"{database.name}.c"
    for command, code in (({"dataSize": "nodot"}, 73), ({"dataSize": None}, 40414), ({"dataSize": 1}, 14),
                          ({"dataSize": name, "min": {"_id": 1}}, 2), ({"dataSize": name, "keyPattern": 1}, 14),
                          ({"dataSize": name, "min": {"x": 1}, "max": {"x": 2}}, 96),
                          ({"dataSize": f"{database.name}.v"}, 166), ({"dataSize": name, "other": 1}, 40415)):
        assert refused(lambda: database.command(command)) == code, command


def test_usage_is_counted_for_each_collection(client, database):
    database["c"].insert_many([{"_id": n} for n in range(10)])
    list(database["c"].find(batch_size=2))
    database["c"].update_one({"_id": 0}, {"$set": {"a": 1}})
    database["c"].delete_one({"_id": 1})
    database["c"].count_documents({})
    top = client.admin.command("top")["totals"]
    assert top["note"] == "all times in microseconds"
    used = top[f"{database.name}.c"]
    counts = {name: used[name]["count"] for name in used}
    assert counts == {"total": 10, "readLock": 7, "writeLock": 3, "queries": 1, "getmore": 5, "insert": 1, "update": 1,
                      "remove": 1, "commands": 1}
    assert all(used[name]["time"] > 0 for name in used)
    assert refused(lambda: database.command("top")) == 13


def test_the_log_is_somebody_elses_to_rotate(client, database):
    for value in (1, 0, True, "server"):
        assert client.admin.command({"logRotate": value})["ok"] == 1
    assert refused(lambda: client.admin.command({"logRotate": "audit"})) == 4
    assert refused(lambda: client.admin.command({"logRotate": {}})) == 14
    assert refused(lambda: client.admin.command({"logRotate": 1, "other": 1})) == 40415
    assert refused(lambda: database.command({"logRotate": 1})) == 13
