"""Indexes and plans through pymongo."""

import datetime
import time

import pymongo
import pytest
from pymongo.errors import DuplicateKeyError, OperationFailure


def stages(plan):
    """The stages of a plan from the top down."""
    while plan:
        yield plan
        plan = plan.get("inputStage")


def winning(cursor):
    return [s["stage"] for s in stages(cursor.explain()["queryPlanner"]["winningPlan"])]


def test_an_index_answers_a_range_and_gives_the_order(collection):
    collection.insert_many({"_id": i, "x": i % 100} for i in range(1000))
    collection.create_index("x")
    query = collection.find({"x": {"$gte": 10, "$lt": 12}}).sort("x")
    assert [d["x"] for d in query.clone()] == [10] * 10 + [11] * 10
    explained = query.explain()
    assert [s["stage"] for s in stages(explained["queryPlanner"]["winningPlan"])] == ["FETCH", "IXSCAN"]
    assert explained["executionStats"]["totalKeysExamined"] <= 21
    assert explained["executionStats"]["nReturned"] == 20


def test_without_an_index_everything_is_looked_at(collection):
    collection.insert_many({"_id": i} for i in range(100))
    explained = collection.find({"x": 5}).explain()
    assert explained["queryPlanner"]["winningPlan"]["stage"] == "COLLSCAN"
    assert explained["executionStats"]["totalDocsExamined"] == 100


def test_a_hint_forces_a_plan_and_an_unknown_one_is_refused(collection):
    collection.insert_many({"_id": i, "x": i, "y": i} for i in range(100))
    collection.create_index("x")
    collection.create_index("y")
    explained = collection.find({"x": 5, "y": 5}).hint("y_1").explain()
    assert list(stages(explained["queryPlanner"]["winningPlan"]))[-1]["indexName"] == "y_1"
    with pytest.raises(OperationFailure) as refused:
        list(collection.find({"x": 5}).hint("z_1"))
    assert refused.value.code == 2


def test_unique_sparse_and_partial_indexes(collection):
    collection.create_index("email", unique=True, sparse=True)
    collection.create_index("seat", unique=True, partialFilterExpression={"active": True})
    collection.insert_many([{"seat": 1, "active": True}, {"seat": 1, "active": False}, {"email": "a"}, {}])
    with pytest.raises(DuplicateKeyError):
        collection.insert_one({"email": "a"})
    with pytest.raises(DuplicateKeyError):
        collection.insert_one({"seat": 1, "active": True})
    assert collection.count_documents({}) == 4


def test_a_unique_index_over_duplicates_is_not_made(collection):
    collection.insert_many([{"x": 1}, {"x": 1}])
    with pytest.raises(DuplicateKeyError):
        collection.create_index("x", unique=True)
    assert list(collection.index_information()) == ["_id_"]


def test_arrays_are_indexed_by_element(collection):
    collection.create_index("tags")
    collection.insert_many([{"_id": 1, "tags": ["a", "b"]}, {"_id": 2, "tags": ["b", "c"]}, {"_id": 3, "tags": []}])
    assert [d["_id"] for d in collection.find({"tags": "b"}).hint("tags_1")] == [1, 2]
    plan = list(stages(collection.find({"tags": "b"}).explain()["queryPlanner"]["winningPlan"]))[-1]
    assert plan["isMultiKey"] is True


def test_an_expiring_index_says_after_how_long(collection):
    collection.create_index("at", expireAfterSeconds=3600)
    info = collection.index_information()["at_1"]
    assert info["expireAfterSeconds"] == 3600


def test_index_options_are_listed_as_given(collection):
    collection.create_index([("a", pymongo.ASCENDING), ("b", pymongo.DESCENDING)], name="ab", unique=True)
    assert collection.index_information()["ab"] == {"v": 2, "key": [("a", 1), ("b", -1)], "unique": True}


def test_compound_sorts_run_backwards_too(collection):
    collection.insert_many({"_id": i, "a": i % 3, "b": i} for i in range(30))
    collection.create_index([("a", 1), ("b", -1)])
    found = [(d["a"], d["b"]) for d in collection.find().sort([("a", -1), ("b", 1)])]
    assert found == sorted(found, key=lambda ab: (-ab[0], ab[1]))
    assert "SORT" not in winning(collection.find().sort([("a", -1), ("b", 1)]))


@pytest.mark.parametrize(
    "command",
    [
        {"find": "things", "filter": {"a": 5}},
        {"count": "things", "query": {"a": 5}},
        {"distinct": "things", "key": "b", "query": {"a": 5}},
        {"update": "things", "updates": [{"q": {"a": 5}, "u": {"$set": {"c": 1}}, "multi": True}]},
        {"delete": "things", "deletes": [{"q": {"a": 5}, "limit": 0}]},
        {"findAndModify": "things", "query": {"a": 5}, "update": {"$set": {"c": 1}}},
    ],
    ids=lambda command: next(iter(command)),
)
def test_an_index_filter_holds_for_every_command(database, command):
    things = database.things
    things.insert_many({"a": i % 10, "b": i} for i in range(100))
    things.create_index("a")
    things.create_index([("a", 1), ("b", 1)])
    database.command("planCacheSetFilter", "things", query={"a": 1}, indexes=["a_1_b_1"])
    plan = database.command("explain", command, verbosity="queryPlanner")["queryPlanner"]
    assert plan["indexFilterSet"] is True
    names = [stage["indexName"] for stage in stages(plan["winningPlan"]) if "indexName" in stage]
    assert names == ["a_1_b_1"]
    database.command("planCacheClearFilters", "things", query={"a": 7})
    plan = database.command("explain", command, verbosity="queryPlanner")["queryPlanner"]
    assert plan["indexFilterSet"] is False


def test_dates_are_found_by_range_in_an_index(collection):
    day = datetime.datetime(2026, 1, 1)
    collection.insert_many({"at": day + datetime.timedelta(hours=i), "n": i} for i in range(48))
    collection.create_index("at")
    upto = day + datetime.timedelta(hours=24)
    assert collection.count_documents({"at": {"$gte": day, "$lt": upto}}) == 24


def test_a_tailable_cursor_sees_what_comes(database):
    ring = database.create_collection("ring", capped=True, size=100_000)
    ring.insert_one({"n": 0})
    cursor = ring.find(cursor_type=pymongo.CursorType.TAILABLE_AWAIT).max_await_time_ms(2000)
    assert cursor.next()["n"] == 0
    ring.insert_one({"n": 1})
    deadline = time.monotonic() + 60
    document = None
    while document is None and time.monotonic() < deadline:
        document = next(cursor, None)
    assert document["n"] == 1
    cursor.close()


def test_a_capped_collection_forgets_the_oldest(database):
    ring = database.create_collection("ring", capped=True, size=100_000, max=10)
    ring.insert_many({"_id": i} for i in range(25))
    assert [d["_id"] for d in ring.find()] == list(range(15, 25))


def test_hiding_an_index_tells_what_changed(database, collection):
    collection.create_index("a")
    for hidden, told in [(False, None), (True, (False, True)), (1, None), (0, (True, False))]:
        reply = database.command("collMod", collection.name, index={"name": "a_1", "hidden": hidden})
        assert (reply.get("hidden_old"), reply.get("hidden_new")) == (told or (None, None)), hidden


def test_expired_documents_are_looked_for_as_often_as_is_asked(client, database, collection):
    was = client.admin.command("setParameter", 1, ttlMonitorSleepSecs=1)["was"]
    try:
        assert was == 60 and client.admin.command("getParameter", 1, ttlMonitorSleepSecs=1)["ttlMonitorSleepSecs"] == 1
        # Logs are kept by bytes and by age.
        ring = database.create_collection("expiring", capped=True, size=100_000)
        for kept in (collection, ring):
            kept.create_index("at", expireAfterSeconds=0)
            kept.insert_many([{"at": datetime.datetime(2020, 1, 1)}, {"at": datetime.datetime(2999, 1, 1)}])
        until = time.monotonic() + 60
        while (collection.count_documents({}), ring.count_documents({})) != (1, 1):
            assert time.monotonic() < until
            time.sleep(0.2)
        with pytest.raises(OperationFailure):
            client.admin.command("setParameter", 1, ttlMonitorSleepSecs=0)
    finally:
        client.admin.command("setParameter", 1, ttlMonitorSleepSecs=was)


def test_an_update_by_a_pipeline_fails_only_where_there_is_something_to_update(collection):
    pipeline = [{"$set": {"age": {"$round": [{"$add": ["age", 1]}, 0]}}}]
    assert collection.update_one({"_id": 1}, pipeline).matched_count == 0
    collection.insert_one({"_id": 1})
    with pytest.raises(OperationFailure):
        collection.update_one({"_id": 1}, pipeline)
