"""A database that is read and created anew by the commands of dumping tools: everything that listings show is accepted."""

import struct
from datetime import datetime, timedelta, timezone

import pytest
from bson import Binary, Decimal128, Int64, ObjectId, Timestamp
from pymongo.errors import BulkWriteError, OperationFailure

GERMAN = {"locale": "de", "strength": 2}
SPRING = datetime(2024, 3, 1, tzinfo=timezone.utc)

# What a collection is made with, by its name.
COLLECTIONS = {
    "plain": {},
    "collated": {"collation": GERMAN},
    "checked": {"validator": {"n": {"$gte": 0}}, "validationLevel": "moderate", "validationAction": "warn"},
    "ring": {"capped": True, "size": 4096, "max": 3},
    "clustered": {"clusteredIndex": {"key": {"_id": 1}, "unique": True, "name": "by id"}, "expireAfterSeconds": 600},
    "clustered and collated": {"clusteredIndex": {"key": {"_id": 1}, "unique": True}, "collation": GERMAN},
    "odd näme/%.x'\"": {},
    "view": {"viewOn": "plain", "pipeline": [{"$match": {"n": {"$gt": 1}}}]},
    "view on view": {"viewOn": "view", "pipeline": [{"$project": {"n": 1}}]},
    "collated view": {"viewOn": "plain", "pipeline": [], "collation": GERMAN},
    "series": {"timeseries": {"timeField": "at"}},
    "series of sensors": {"timeseries": {"timeField": "at", "metaField": "sensor", "granularity": "hours"},
                          "expireAfterSeconds": 864000000},
    "series of a span": {"timeseries": {"timeField": "at", "metaField": "sensor", "bucketMaxSpanSeconds": 300,
                                        "bucketRoundingSeconds": 300}},
}

INDEXES = {
    "plain": [
        {"key": {"a": 1, "b": -1}, "name": "compound"},
        {"key": {"sparse": 1}, "name": "sparse", "sparse": True},
        {"key": {"partial": 1}, "name": "partial", "partialFilterExpression": {"n": {"$gt": 1}}},
        {"key": {"h": "hashed"}, "name": "hashed"},
        {"key": {"$**": 1}, "name": "wildcard", "wildcardProjection": {"w": 1}},
        {"key": {"tree.$**": 1}, "name": "wildcard of a path"},
        {"key": {"old": 1}, "name": "expiring", "expireAfterSeconds": 3600},
        {"key": {"hidden": 1}, "name": "hidden", "hidden": True},
        {"key": {"u": 1}, "name": "unique", "unique": True, "sparse": True},
        {"key": {"p": 1}, "name": "to be unique", "prepareUnique": True, "sparse": True},
        {"key": {"text": 1}, "name": "of a collation", "collation": {"locale": "fr", "strength": 1}},
        {"key": {"words": "text", "title": "text"}, "name": "text", "weights": {"title": 3}, "default_language": "none"},
        {"key": {"flat": "2d"}, "name": "2d", "bits": 20, "min": -10, "max": 10},
        {"key": {"place": "2dsphere"}, "name": "2dsphere"},
        {"key": {"kept": 1}, "name": "background", "background": True},
    ],
    "collated": [
        {"key": {"a": 1}, "name": "of the collection"},
        {"key": {"a": 1}, "name": "simple", "collation": {"locale": "simple"}},
    ],
    "clustered": [{"key": {"a": 1}, "name": "a_1"}],
    "series": [{"key": {"v": 1}, "name": "v_1"}],
    "series of sensors": [{"key": {"sensor.room": 1}, "name": "rooms", "hidden": True}],
}

DOCUMENTS = {
    "plain": [{"_id": n, "n": n, "u": n, "zero": Timestamp(0, 0), "big": Int64(n), "price": Decimal128("1.10")}
              for n in range(5)],
    "collated": [{"_id": "b"}, {"_id": "a", "a": "Ä"}],
    "checked": [{"_id": 1, "n": 1}],
    "ring": [{"_id": n} for n in (3, 1, 2)],
    "clustered": [{"_id": 2}, {"_id": 1}],
    "odd näme/%.x'\"": [{"_id": Binary(b"\0\1", 5), "": "empty name"}],
}


def sensors(count):
    """Measurements of two sensors, by turns."""
    return [{"_id": ObjectId(), "at": SPRING + timedelta(seconds=7 * n), "sensor": {"room": n % 2}, "v": n / 4,
             **({"note": f"n{n}"} if n % 3 == 0 else {})} for n in range(count)]


def insert(database, name, documents):
    done = database.command({"insert": name, "documents": documents, "ordered": True, "bypassEmptyTsReplacement": True})
    assert done["n"] == len(documents), done


def make(database):
    for name, options in COLLECTIONS.items():
        database.command({"create": name, **options})
    for name, indexes in INDEXES.items():
        database.command({"createIndexes": name, "indexes": indexes})
    for name, documents in DOCUMENTS.items():
        insert(database, name, documents)
    database["series"].insert_many([{"_id": n, "at": SPRING + timedelta(hours=n), "v": n} for n in range(50)])
    database["series of sensors"].insert_many(sensors(3000))
    database["series of a span"].insert_many(sensors(300))
    database["series of a span"].insert_many([{"_id": 7, "at": SPRING, "sensor": {"room": 9}, "v": n} for n in range(3)])


def listed(database):
    """The collections as a tool reads them: those of the system belong to the server."""
    entries = database.command({"listCollections": 1})["cursor"]["firstBatch"]
    return {entry["name"]: entry for entry in entries if not entry["name"].startswith("system.")}


def indexes(database, entry):
    if entry["type"] == "view":
        return []
    return database.command({"listIndexes": entry["name"]})["cursor"]["firstBatch"]


def data_of(entry):
    """Where a tool reads and writes the documents of a collection."""
    return f"system.buckets.{entry['name']}" if entry["type"] == "timeseries" else entry["name"]


def restore(source, target):
    """Makes a database again as mongorestore does from what mongodump has read."""
    for name, entry in listed(source).items():
        shown = indexes(source, entry)
        options = dict(entry["options"])
        of_id = [index for index in shown if index["name"] == "_id_" and "clusteredIndex" not in options]
        if of_id:
            options["idIndex"] = {key: value for key, value in of_id[0].items() if key != "v"}
        target.command({"create": name, **options})
        if entry["type"] != "view":
            documents = list(source[data_of(entry)].find(hint={"$natural": 1}))
            assert source[data_of(entry)].estimated_document_count() == len(documents)
            for document in documents:
                insert(target, data_of(entry), [document])
        shown = [index for index in shown if index["name"] != "_id_"]
        if "collation" in options:
            shown = [{"collation": {"locale": "simple"}, **index} for index in shown]
        if shown:
            target.command({"createIndexes": name, "indexes": shown, "ignoreUnknownIndexOptions": True})


@pytest.fixture
def copy(client, database):
    name = database.name + "_copy"
    client.drop_database(name)
    yield client[name]
    client.drop_database(name)


def without_identity(entry):
    return {**entry, "info": {key: value for key, value in entry["info"].items() if key != "uuid"}}


def test_a_database_comes_back_as_it_was(database, copy):
    make(database)
    restore(database, copy)
    shown, restored = listed(database), listed(copy)
    assert shown.keys() == restored.keys() == COLLECTIONS.keys()
    for name, entry in shown.items():
        assert without_identity(restored[name]) == without_identity(entry), name
        assert indexes(copy, entry) == indexes(database, entry), name
        if entry["type"] == "timeseries":
            by_time = lambda of: list(of[name].find().sort([("at", 1), ("_id", 1), ("v", 1)]))
            assert [list(document.items()) for document in by_time(copy)] \
                == [list(document.items()) for document in by_time(database)], name
        else:
            natural = lambda of: list(of[name].find())
            assert natural(copy) == natural(database), name


def test_what_is_listed_is_there_already(database):
    make(database)
    for name, entry in listed(database).items():
        database.command({"create": name, **entry["options"]})
        shown = indexes(database, entry)
        if shown:
            # An index without a collation has the simple one; to ask for none is to ask for the collection's.
            asked = [{"collation": {"locale": "simple"}, **index} if "collation" in entry["options"] else index
                     for index in shown]
            done = database.command({"createIndexes": name, "indexes": asked})
            assert done["numIndexesBefore"] == done["numIndexesAfter"], name


def test_the_index_on_id_has_the_collation_of_its_collection(database):
    database.create_collection("c", collation=GERMAN)
    [shown] = database.command({"listIndexes": "c"})["cursor"]["firstBatch"]
    assert shown["collation"]["locale"] == "de"
    [entry] = database.command({"listCollections": 1})["cursor"]["firstBatch"]
    assert entry["idIndex"] == shown
    with pytest.raises(OperationFailure) as refused:
        database.command({"create": "d", "collation": GERMAN, "idIndex": {"key": {"_id": 1}, "name": "_id_",
                                                                         "collation": {"locale": "fr"}}})
    assert refused.value.code == 2
    with pytest.raises(OperationFailure) as refused:
        database.command({"createIndexes": "c", "indexes": [{"key": {"_id": 1}, "name": "_id_", "unique": True}]})
    assert refused.value.code == 197


def test_a_granularity_may_be_given_with_its_own_span(database):
    series = {"timeField": "at", "granularity": "minutes", "bucketMaxSpanSeconds": 86400}
    database.command({"create": "s", "timeseries": series})
    for wrong in ({"bucketMaxSpanSeconds": 3600}, {"bucketRoundingSeconds": 86400}):
        with pytest.raises(OperationFailure) as refused:
            database.command({"create": "t", "timeseries": {**series, **wrong}})
        assert refused.value.code == 72


def test_buckets_have_the_measurements_of_one_meta_and_span(database):
    database.create_collection("s", timeseries={"timeField": "at", "metaField": "sensor"})
    minutes = [0, 10, 61, 30]
    database["s"].insert_many([{"_id": n, "at": SPRING + timedelta(minutes=minutes[n], seconds=n), "sensor": n % 2,
                                "v": [n, -n], "d": {"x": n}} for n in range(4)])
    database["s"].insert_one({"_id": 4, "at": SPRING, "v": None})
    buckets = list(database["system.buckets.s"].find(sort=[("meta", 1), ("_id", 1)]))
    shape = [(bucket.get("meta"), list(bucket["data"]["_id"].values())) for bucket in buckets]
    assert shape == [(None, [4]), (0, [0]), (0, [2]), (1, [1, 3])]
    assert "meta" not in buckets[0]
    both = buckets[3]
    assert both["control"] == {
        "version": 1,
        "min": {"_id": 1, "at": SPRING.replace(tzinfo=None) + timedelta(minutes=10), "v": [1, -3], "d": {"x": 1}},
        "max": {"_id": 3, "at": SPRING.replace(tzinfo=None) + timedelta(minutes=30, seconds=3), "v": [3, -1],
                "d": {"x": 3}},
    }
    assert both["_id"].generation_time == SPRING + timedelta(minutes=10)
    assert database["system.buckets.s"].find_one({"_id": both["_id"]}) == both
    assert database["system.buckets.s"].count_documents({"meta": 0}) == 2
    assert database["system.buckets.s"].distinct("meta") == [0, 1]


def test_a_bucket_has_at_most_a_thousand_measurements(database):
    database.create_collection("s", timeseries={"timeField": "at"})
    database["s"].insert_many([{"at": SPRING + timedelta(milliseconds=n)} for n in range(2500)])
    sizes = [len(bucket["data"]["at"]) for bucket in database["system.buckets.s"].find()]
    assert sizes == [1000, 1000, 500]


def bucket(**columns):
    data = {"at": {"0": SPRING, "1": SPRING + timedelta(seconds=1)}, "_id": {"0": 1, "1": 2}, **columns}
    return {"_id": ObjectId(), "control": {"version": 1, "min": {"at": SPRING}, "max": {"at": SPRING}}, "meta": "m",
            "data": data}


def test_an_inserted_bucket_is_unpacked(database):
    database.create_collection("s", timeseries={"timeField": "at", "metaField": "sensor"})
    done = database.command({"insert": "system.buckets.s", "documents": [bucket(v={"1": 7})]})
    assert done["n"] == 1
    assert list(database["s"].find({}, {"at": 0}).sort("_id")) == [{"_id": 1, "sensor": "m"},
                                                                   {"_id": 2, "sensor": "m", "v": 7}]


def test_a_compressed_bucket_of_mongodb_is_unpacked(database):
    """Times a second apart (no difference of differences), ids by ones, doubles with one decimal and one missing."""
    database.create_collection("s", timeseries={"timeField": "at", "metaField": "sensor"})
    ms = int(SPRING.timestamp() * 1000)

    def column(literal, *parts):
        return Binary(literal + b"".join(parts) + b"\0", 7)

    def blocks(control, *numbers):
        """Numbers of 20 bits, three in a block (selector 12); what is left of the block is missing values."""
        slots = [*numbers, *[2**20 - 1] * (3 - len(numbers))]
        word = 12 | sum(number << (4 + 20 * at) for at, number in enumerate(slots))
        return bytes([control]) + word.to_bytes(8, "little")

    at = column(b"\x09\0" + ms.to_bytes(8, "little"), blocks(0x80, 2000, 0, 0))
    ids = column(b"\x10\0" + (5).to_bytes(4, "little"), blocks(0x80, 2, 2, 2))
    doubles = column(b"\x01\0" + struct.pack("<d", 1.5), blocks(0xA0, 2, 2**20 - 1, 1))
    texts = column(b"\x02\0" + (3).to_bytes(4, "little") + b"ab\0", blocks(0x80, 2, 0, 0))
    compressed = {"_id": ObjectId(), "meta": "m", "data": {"_id": ids, "at": at, "v": doubles, "t": texts},
                  "control": {"version": 2, "min": {"at": SPRING}, "max": {"at": SPRING}, "count": 4}}
    database.command({"insert": "system.buckets.s", "documents": [compressed]})
    found = [[(name, value) for name, value in document.items() if name != "at"]
             for document in database["s"].find().sort("_id")]
    assert found == [[("_id", 5), ("sensor", "m"), ("v", 1.5), ("t", "ab")],
                     [("_id", 6), ("sensor", "m"), ("v", 1.6), ("t", "ac")],
                     [("_id", 7), ("sensor", "m"), ("t", "ac")],
                     [("_id", 8), ("sensor", "m"), ("v", 1.5), ("t", "ac")]]
    times = [document["at"] for document in database["s"].find().sort("_id")]
    assert times == [SPRING.replace(tzinfo=None) + timedelta(seconds=n) for n in range(4)]


@pytest.mark.parametrize("wrong, said", [
    ({"control": {"version": 4}}, "version"),
    ({"data": {"_id": {"0": 1}}}, "without its 'at'"),
    ({"data": {"at": {"0": SPRING}, "v": {"1": 2}}}, "without its 'at'"),
    ({"data": {"at": {"0": 5}}}, "valid BSON UTC datetime"),
    ({"data": {"at": {"x": SPRING}}}, "number"),
    ({"data": 1}, "'data'"),
    ({"control": {"version": 2}}, "compressed"),
    ({"control": {"version": 2}, "data": {"at": Binary(b"\x80", 7)}}, "cut off"),
])
def test_what_is_no_bucket_is_refused(database, wrong, said):
    database.create_collection("s", timeseries={"timeField": "at", "metaField": "sensor"})
    with pytest.raises(BulkWriteError) as refused:
        database["system.buckets.s"].insert_many([bucket(), {**bucket(), **wrong}])
    [error] = refused.value.details["writeErrors"]
    assert (error["index"], error["code"]) == (1, 2) and said in error["errmsg"]
    assert refused.value.details["nInserted"] == 1


def test_buckets_that_are_there_already_are_told_one_by_one(database):
    database.create_collection("s", timeseries={"timeField": "at", "metaField": "sensor"})
    database["system.buckets.s"].insert_one(bucket())
    new = bucket(_id={"0": 3, "1": 4})
    with pytest.raises(BulkWriteError) as refused:
        database["system.buckets.s"].insert_many([bucket(), new], ordered=False)
    assert [(error["index"], error["code"]) for error in refused.value.details["writeErrors"]] == [(0, 11000)]
    assert refused.value.details["nInserted"] == 1
    assert database["s"].count_documents({}) == 4


def test_a_retried_insert_of_buckets_is_not_done_again(client, database):
    database.create_collection("s", timeseries={"timeField": "at", "metaField": "sensor"})
    without_ids = lambda: {**bucket(), "data": {"at": {"0": SPRING, "1": SPRING}}}
    with client.start_session() as session:
        insert = {"insert": "system.buckets.s", "documents": [without_ids(), without_ids()], "txnNumber": Int64(1)}
        for _ in range(2):
            assert database.command(insert, session=session)["n"] == 2
    assert database["s"].count_documents({}) == 4


def test_buckets_among_other_writes_of_a_command_are_all_unpacked(client, database):
    """Each measurement is a statement of its own, and none is taken for one of another write."""
    database.create_collection("s", timeseries={"timeField": "at", "metaField": "sensor"})
    buckets, plain = f"{database.name}.system.buckets.s", f"{database.name}.s"
    command = {"bulkWrite": 1, "nsInfo": [{"ns": buckets}, {"ns": plain}], "txnNumber": Int64(7), "ops": [
        {"insert": 0, "document": bucket()},
        {"insert": 1, "document": {"_id": 10, "at": SPRING}},
        {"insert": 0, "document": bucket(_id={"0": 11, "1": 12})},
        {"insert": 1, "document": {"_id": 13, "at": SPRING}},
    ]}
    with client.start_session() as session:
        for _ in range(2):
            done = client.admin.command(command, session=session)
            assert (done["nInserted"], done["nErrors"]) == (4, 0)
    assert database["s"].distinct("_id") == [1, 2, 10, 11, 12, 13]


def test_buckets_are_read_and_inserted_and_nothing_else(database):
    database.create_collection("s", timeseries={"timeField": "at", "metaField": "sensor"})
    buckets = database["system.buckets.s"]
    for change in (lambda: buckets.delete_many({}), lambda: buckets.update_many({}, {"$set": {"meta": 1}}),
                   lambda: buckets.find_one_and_delete({})):
        with pytest.raises(OperationFailure) as refused:
            change()
        assert refused.value.code == 20
    for make_one in (lambda: database["system.buckets.other"].insert_one({}),
                     lambda: database.create_collection("system.buckets.other"),
                     lambda: database["plain"].insert_one({}) and database["plain"].rename("system.buckets.other")):
        with pytest.raises(OperationFailure) as refused:
            make_one()
        assert refused.value.code == 20
    database.command({"create": "system.buckets.other", "timeseries": {"timeField": "at"}})
    assert database["other"].options()["timeseries"]["timeField"] == "at"
    database.drop_collection("system.buckets.other")
    assert sorted(database.list_collection_names()) == ["plain", "s", "system.buckets.s"]


def test_an_empty_timestamp_stays_empty_where_it_is_asked_for(database):
    document = {"_id": 1, "t": Timestamp(0, 0)}
    database.command({"insert": "c", "documents": [document]})
    assert database["c"].find_one()["t"].time > 0
    database["times"].insert_many({"_id": n, "t": Timestamp(0, 0)} for n in range(10))
    assert len(database["times"].distinct("t")) == 10, "each is another"
    database.command({"insert": "c", "documents": [{**document, "_id": 2}], "bypassEmptyTsReplacement": True})
    assert database["c"].find_one({"_id": 2})["t"] == Timestamp(0, 0)
    replacement = {"q": {"_id": 3}, "u": {"t": Timestamp(0, 0)}, "upsert": True}
    database.command({"update": "c", "updates": [replacement]})
    assert database["c"].find_one({"_id": 3})["t"].time > 0
    database.command({"update": "c", "updates": [replacement], "bypassEmptyTsReplacement": True})
    assert database["c"].find_one({"_id": 3})["t"] == Timestamp(0, 0)


def test_what_is_there_has_a_size(client, database):
    database["c"].create_index("a")
    database["c"].insert_many([{"a": n} for n in range(100)])
    stats = database.command("collStats", "c")
    assert stats["storageSize"] > 0 and stats["totalIndexSize"] > 0
    assert stats["totalSize"] == stats["storageSize"] + stats["totalIndexSize"]
    assert all(size > 0 for size in stats["indexSizes"].values())
    [stage] = database["c"].aggregate([{"$collStats": {"storageStats": {}}}])
    assert stage["storageStats"]["storageSize"] > 0
    whole = database.command("dbStats")
    assert whole["storageSize"] > 0 and whole["indexSize"] > 0
    assert whole["fsTotalSize"] > whole["fsUsedSize"] > 0
    [entry] = client.admin.command({"listDatabases": 1, "filter": {"name": database.name}})["databases"]
    assert entry["sizeOnDisk"] > 0
