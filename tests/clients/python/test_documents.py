"""The life of documents through pymongo."""

import datetime
from concurrent.futures import ThreadPoolExecutor

import bson
import pymongo
import pytest
from bson import Binary, Code, DBRef, Decimal128, Int64, MaxKey, MinKey, ObjectId, Regex, Timestamp
from pymongo import DeleteOne, InsertOne, ReplaceOne, UpdateMany, UpdateOne
from pymongo.errors import BulkWriteError, DuplicateKeyError, OperationFailure, WriteError

EVERY_TYPE = {
    "double": 1.5,
    "string": "grüße \0 zero",
    "document": {"b": 1, "a": {"z": []}},
    "array": [1, "two", None, [3]],
    "binary": Binary(b"\x00\x01", 128),
    "uuid": Binary(b"0123456789abcdef", 4),
    "id": ObjectId("65a000000000000000000001"),
    "true": True,
    "date": datetime.datetime(1969, 12, 31, 23, 59, 59, 999000),
    "null": None,
    "regex": Regex("^a.*b$", "im"),
    "code": Code("return 1"),
    "scoped": Code("return x", {"x": 1}),
    "int": 42,
    "timestamp": Timestamp(5, 6),
    "long": Int64(2**53 + 1),
    "decimal": Decimal128("1.10"),
    "min": MinKey(),
    "max": MaxKey(),
    "ref": DBRef("other", 1),
}


def test_every_bson_type_comes_back_as_it_went(collection):
    collection.insert_one({"_id": 1, **EVERY_TYPE})
    codec = bson.CodecOptions(uuid_representation=bson.binary.UuidRepresentation.UNSPECIFIED)
    found = collection.with_options(codec).find_one({"_id": 1})
    assert list(found) == ["_id", *EVERY_TYPE]
    assert {name: found[name] for name in EVERY_TYPE} == EVERY_TYPE
    assert bson.encode(found) == bson.encode({"_id": 1, **EVERY_TYPE})


def test_documents_come_in_insertion_order_without_a_sort(collection):
    ids = [5, 1, 4, 2, 3]
    collection.insert_many({"_id": id} for id in ids)
    assert [d["_id"] for d in collection.find()] == ids


def test_a_cursor_goes_on_over_many_batches(collection):
    collection.insert_many({"_id": i} for i in range(1000))
    assert [d["_id"] for d in collection.find(batch_size=7).sort("_id", -1)] == list(range(999, -1, -1))


def test_a_taken_id_is_refused_with_key_and_value(collection):
    collection.insert_one({"_id": "a"})
    with pytest.raises(DuplicateKeyError) as refused:
        collection.insert_one({"_id": "a"})
    assert refused.value.details["keyPattern"] == {"_id": 1}
    assert refused.value.details["keyValue"] == {"_id": "a"}


def test_an_unordered_insert_writes_all_but_the_refused(collection):
    collection.insert_one({"_id": 3})
    with pytest.raises(BulkWriteError) as refused:
        collection.insert_many([{"_id": i} for i in range(5)], ordered=False)
    assert [e["index"] for e in refused.value.details["writeErrors"]] == [3]
    assert collection.count_documents({}) == 5


def test_an_ordered_insert_ends_at_the_first_refused(collection):
    collection.insert_one({"_id": 3})
    with pytest.raises(BulkWriteError):
        collection.insert_many([{"_id": i} for i in range(5)])
    assert sorted(collection.distinct("_id")) == [0, 1, 2, 3]


def test_updates_change_what_they_say(collection):
    collection.insert_one({"_id": 1, "n": 1, "list": [{"k": 1, "v": 1}, {"k": 2, "v": 2}], "gone": 0})
    result = collection.update_one(
        {"_id": 1, "list.k": 2},
        {"$inc": {"n": 2}, "$set": {"list.$.v": 9, "sub.field": "x"}, "$unset": {"gone": 1}},
    )
    assert (result.matched_count, result.modified_count) == (1, 1)
    assert collection.find_one() == {
        "_id": 1, "n": 3, "list": [{"k": 1, "v": 1}, {"k": 2, "v": 9}], "sub": {"field": "x"},
    }


def test_filtered_positions_and_pipelines_update(collection):
    collection.insert_one({"_id": 1, "marks": [50, 90, 70]})
    collection.update_one({"_id": 1}, {"$inc": {"marks.$[low]": 5}}, array_filters=[{"low": {"$lt": 75}}])
    collection.update_one({"_id": 1}, [{"$set": {"best": {"$max": "$marks"}}}])
    assert collection.find_one() == {"_id": 1, "marks": [55, 90, 75], "best": 90}


def test_an_upsert_makes_the_document_from_filter_and_update(collection):
    result = collection.update_one({"_id": "new", "kind": "a"}, {"$set": {"n": 1}, "$setOnInsert": {"m": 2}}, upsert=True)
    assert result.upserted_id == "new"
    assert collection.find_one() == {"_id": "new", "kind": "a", "n": 1, "m": 2}


def test_bulk_writes_of_all_kinds_are_counted(collection):
    result = collection.bulk_write([
        InsertOne({"_id": 1, "x": 1}), InsertOne({"_id": 2, "x": 1}), InsertOne({"_id": 3}),
        UpdateMany({"x": 1}, {"$inc": {"x": 1}}), UpdateOne({"_id": 9}, {"$set": {"x": 0}}, upsert=True),
        ReplaceOne({"_id": 3}, {"y": 1}), DeleteOne({"_id": 2}),
    ])
    counts = (result.inserted_count, result.matched_count, result.modified_count, result.deleted_count)
    assert counts == (3, 3, 3, 1)
    assert result.upserted_ids == {4: 9}


def test_find_and_modify_gives_before_or_after(collection):
    collection.insert_one({"_id": 1, "n": 1})
    assert collection.find_one_and_update({"_id": 1}, {"$inc": {"n": 1}})["n"] == 1
    after = pymongo.ReturnDocument.AFTER
    assert collection.find_one_and_update({"_id": 1}, {"$inc": {"n": 1}}, return_document=after)["n"] == 3
    assert collection.find_one_and_delete({"_id": 1})["n"] == 3


def test_counters_lose_no_update_under_many_writers(client, collection):
    collection.insert_one({"_id": "counter", "n": 0})

    def count(_):
        for _ in range(50):
            collection.update_one({"_id": "counter"}, {"$inc": {"n": 1}})

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(count, range(16)))
    assert collection.find_one()["n"] == 800


def test_projections_show_what_they_say(collection):
    collection.insert_one({"_id": 1, "a": 1, "b": {"c": 2, "d": 3}, "list": [1, 2, 3]})
    assert collection.find_one({}, {"b.c": 1}) == {"_id": 1, "b": {"c": 2}}
    assert collection.find_one({}, {"_id": 0, "b": 0, "list": 0}) == {"a": 1}
    assert collection.find_one({}, {"list": {"$slice": -1}, "a": 1, "_id": 0}) == {"a": 1, "list": [3]}


def test_an_unknown_operator_is_refused_as_mongodb_does(collection):
    with pytest.raises(OperationFailure) as refused:
        collection.find_one({"a": {"$nonsense": 1}})
    assert refused.value.code == 2
    with pytest.raises(WriteError) as refused:
        collection.update_one({}, {"$nonsense": {"a": 1}})
    assert refused.value.code == 9


def test_a_validator_refuses_what_does_not_match(database):
    schema = {"bsonType": "object", "required": ["name"], "properties": {"name": {"bsonType": "string"}}}
    people = database.create_collection("people", validator={"$jsonSchema": schema})
    people.insert_one({"name": "Ada"})
    with pytest.raises(WriteError) as refused:
        people.insert_one({"name": 7})
    assert refused.value.code == 121
    with pytest.raises(WriteError):
        people.update_one({}, {"$set": {"name": 7}})
    assert people.count_documents({}) == 1


def test_aggregation_groups_and_sorts(collection):
    collection.insert_many([{"k": i % 3, "n": i} for i in range(30)])
    stages = [{"$match": {"n": {"$gte": 3}}}, {"$group": {"_id": "$k", "sum": {"$sum": "$n"}, "count": {"$sum": 1}}},
              {"$sort": {"sum": -1}}, {"$limit": 2}, {"$project": {"sum": 1}}]
    assert list(collection.aggregate(stages)) == [{"_id": 2, "sum": 153}, {"_id": 1, "sum": 144}]


def test_a_transaction_is_refused_without_advice_against_retryable_writes(client, collection):
    with client.start_session() as session:
        session.start_transaction()
        with pytest.raises(OperationFailure) as refused:
            collection.insert_one({}, session=session)
        session.abort_transaction()
    assert refused.value.code == 263
    assert "retryWrites" not in str(refused.value)
    assert collection.count_documents({}) == 0
