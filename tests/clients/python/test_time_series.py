"""Several documents of a time series with the same `_id`, which MongoDB allows."""

from datetime import datetime, timedelta

import pymongo
import pytest
import requests

START = datetime(2026, 5, 1)


@pytest.fixture
def series(database):
    database.create_collection("series", timeseries={"timeField": "at", "metaField": "m"})
    documents = [{"_id": "abc"[n // 2], "at": START + timedelta(seconds=n), "m": n % 2, "n": n} for n in range(6)]
    assert database.series.insert_many(documents).inserted_ids == list("aabbcc")
    return database.series


def numbers(cursor):
    return sorted(document["n"] for document in cursor)


def test_all_of_an_id_are_found(series):
    assert numbers(series.find({"_id": "b"})) == [2, 3]
    assert numbers(series.find({"_id": {"$gte": "b"}})) == [2, 3, 4, 5]
    assert numbers(series.find({"_id": {"$in": ["a", "c"]}, "m": 1})) == [1, 5]
    assert [d["n"] // 2 for d in series.find().sort("_id", -1)] == [2, 2, 1, 1, 0, 0]
    assert series.count_documents({"_id": "c"}) == 2
    assert series.count_documents({}) == series.estimated_document_count() == 6
    assert series.distinct("_id") == list("abc")
    grouped = series.aggregate([{"$group": {"_id": "$_id", "n": {"$sum": 1}}}, {"$sort": {"_id": 1}}])
    assert [(group["_id"], group["n"]) for group in grouped] == [("a", 2), ("b", 2), ("c", 2)]
    joined = series.aggregate([{"$match": {"n": 0}}, {"$lookup": {
        "from": "series", "localField": "_id", "foreignField": "_id", "as": "all"}}]).next()
    assert numbers(joined["all"]) == [0, 1]
    assert series.find_one({"_id": "a"})["_id"] == "a"


def test_they_are_changed_and_deleted_one_by_one(series):
    assert series.update_many({"m": 1}, {"$set": {"m": 7}}).modified_count == 3
    for _ in range(2):
        assert series.delete_one({"_id": "b"}).deleted_count == 1
    assert series.delete_one({"_id": "b"}).deleted_count == 0
    assert series.delete_many({"_id": "c"}).deleted_count == 2
    assert numbers(series.find()) == [0, 1]
    assert series.database.command("validate", series.name, full=True)["valid"]
    series.insert_one({"_id": "c", "at": START, "n": 9})
    assert numbers(series.find({"_id": "c"})) == [9]


def test_couchdb_sees_the_first_of_an_id(server, series):
    url = f"{server.couch}/{series.database.name}%2F{series.name}"
    assert requests.get(url).json()["doc_count"] == 3
    rows = requests.get(f"{url}/_all_docs?include_docs=true").json()
    assert (rows["total_rows"], [row["doc"]["n"] for row in rows["rows"]]) == (3, [0, 2, 4])
    changes = requests.get(f"{url}/_changes?include_docs=true").json()["results"]
    assert [change["doc"]["n"] for change in changes] == [0, 2, 4]
    assert requests.get(f"{url}/b").json()["n"] == 2
    view = "function (doc) { emit(doc.n) }"
    assert requests.put(f"{url}/_design/d", json={"views": {"v": {"map": view}}}).ok
    keys = [row["key"] for row in requests.get(f"{url}/_design/d/_view/v").json()["rows"]]
    assert [key for key in keys if key is not None] == [0, 2, 4]
    found = {"selector": {"n": {"$gte": 0}}, "fields": ["n"]}
    shown = lambda: [doc["n"] for doc in requests.post(f"{url}/_find", json=found).json()["docs"]]
    assert shown() == [0, 2, 4]
    assert requests.post(f"{url}/_index", json={"index": {"fields": ["n"]}}).ok
    assert shown() == [0, 2, 4]
    series.delete_one({"n": 2})
    assert requests.get(f"{url}/b").json() == {"error": "not_found", "reason": "deleted"}
    assert shown() == [0, 4]


def test_a_series_that_is_restored_twice_is_not_doubled(series):
    buckets = series.database["system.buckets.series"]
    dumped = list(buckets.find())
    for bucket in dumped:
        with pytest.raises(pymongo.errors.DuplicateKeyError):
            buckets.insert_one(bucket)
    assert numbers(series.find()) == [0, 1, 2, 3, 4, 5]
    series.delete_many({"n": {"$in": [0, 3]}})
    with pytest.raises(pymongo.errors.BulkWriteError):
        buckets.insert_many(dumped, ordered=False)
    assert numbers(series.find()) == [0, 1, 2, 3, 4, 5]
