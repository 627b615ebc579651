"""The profiler: `profile`, `system.profile`."""

import pymongo
import pytest
from pymongo.errors import OperationFailure
from server import running


@pytest.fixture
def profiled(database):
    yield database
    database.command("profile", 0, filter="unset", slowms=100, sampleRate=1.0)


def entries(database, **query):
    return list(database["system.profile"].find(query).sort("$natural", 1))


def test_settings_are_answered_as_they_were(profiled):
    settings = profiled.command("profile", -1)
    assert (settings["was"], settings["slowms"], settings["sampleRate"]) == (0, 100, 1.0)
    assert "filter" not in settings and "note" not in settings
    profiled.command("profile", 1, slowms=7, sampleRate=0.5, filter={"op": "query"})
    settings = profiled.command("profile", -1)
    assert (settings["was"], settings["slowms"], settings["sampleRate"]) == (1, 7, 0.5)
    assert settings["filter"] == {"op": {"$eq": "query"}} and "note" in settings
    profiled.command("profile", 3)
    assert profiled.command("profile", 2, filter="unset")["was"] == 1
    assert "filter" not in profiled.command("profile", -1)
    listed = next(c for c in profiled.list_collections(filter={"name": "system.profile"}))
    assert listed["options"] == {"capped": True, "size": 1 << 20} and "idIndex" not in listed
    assert list(profiled["system.profile"].list_indexes()) == []


def test_every_operation_is_recorded(profiled, server):
    things = profiled["things"]
    things.insert_one({"_id": 0})
    profiled.command("profile", 2)
    with pymongo.MongoClient(server.uri, appname="profiled") as client:
        things = client[profiled.name]["things"]
        things.insert_many([{"_id": 1}, {"_id": 2}, {"_id": 3}])
        list(things.find({"_id": {"$gt": 0}}, batch_size=2))
        things.update_many({"_id": {"$gt": 1}}, {"$set": {"a": 1}})
        things.delete_one({"_id": 3}, hint="_id_")
        things.count_documents({})
        with pytest.raises(OperationFailure):
            client[profiled.name].command("count", "things", limit="x")
    profiled.command("profile", 0)
    seen = entries(profiled, appName="profiled")
    assert [entry["op"] for entry in seen] == ["insert", "query", "getmore", "update", "remove", "command", "command"]
    insert, find, more, update, remove, count, failed = seen
    assert {entry["ns"] for entry in seen} == {f"{profiled.name}.things"}
    assert insert["ninserted"] == 3 and "documents" not in insert["command"]
    assert find["command"]["filter"] == {"_id": {"$gt": 0}} and find["nreturned"] == 2 and find["cursorid"] != 0
    assert more["nreturned"] == 1 and more["cursorExhausted"]
    assert update["command"]["q"] == {"_id": {"$gt": 1}} and update["nMatched"] == 2 and update["nModified"] == 2
    assert remove["command"]["q"] == {"_id": 3} and remove["command"]["hint"] == {"$hint": "_id_"}
    assert remove["ndeleted"] == 1
    assert count["command"]["aggregate"] == "things"
    assert failed["ok"] == 0.0 and failed["errCode"] == 2 and failed["errName"] == "BadValue"
    for entry in seen:
        assert entry["client"] == "127.0.0.1" and entry["millis"] >= 0 and entry["user"] == "" and entry["ts"]
    assert find["responseLength"] > 0


def test_what_was_looked_at_is_recorded(profiled):
    things = profiled["things"]
    things.insert_many([{"_id": n, "a": n % 10, "b": n} for n in range(100)])
    things.create_index("a")
    profiled.command("profile", 2)
    list(things.find({"a": 3}, comment="index"))
    list(things.find({"b": {"$gte": 90}}, comment="scan"))
    list(things.find({"_id": 5}, comment="id"))
    list(things.find({"a": 3}, comment="sort").sort("b", 1))
    list(things.find({"$or": [{"a": 1}, {"_id": 7}]}, comment="or"))
    list(things.find({}, comment="batches", batch_size=60))
    list(things.aggregate([{"$match": {"a": {"$lt": 2}}}, {"$group": {"_id": "$a"}}], comment="pipeline"))
    things.count_documents({}, comment="counted")
    profiled.command("count", "things", comment="count")
    things.distinct("a", {"a": {"$gt": 7}}, comment="distinct")
    things.update_many({"a": 4}, {"$set": {"c": 1}}, comment="update")
    things.update_one({"_id": 4}, {"$set": {"c": 2}}, comment="by id")
    things.update_one({"_id": "new"}, {"$set": {"c": 2}}, upsert=True, comment="upsert")
    things.delete_many({"a": 5}, comment="delete")
    things.find_one_and_update({"a": 6}, {"$set": {"c": 3}}, comment="modify")
    profiled.command("profile", 0)

    def seen(comment, **query):
        return entries(profiled, **{"command.comment": comment}, **query)[0]

    def examined(entry):
        return entry["planSummary"], entry["keysExamined"], entry["docsExamined"]

    assert examined(seen("index")) == ("IXSCAN { a: 1 }", 10, 10)
    assert examined(seen("scan")) == ("COLLSCAN", 0, 100) and seen("scan")["nreturned"] == 10
    assert examined(seen("id")) == ("IDHACK", 1, 1)
    assert examined(seen("sort")) == ("IXSCAN { a: 1 }", 10, 10) and seen("sort")["hasSortStage"]
    assert "hasSortStage" not in seen("index")
    assert seen("or")["planSummary"] == "IXSCAN { a: 1 }, IXSCAN { _id: 1 }" and seen("or")["docsExamined"] == 11
    assert seen("pipeline")["planSummary"] == "IXSCAN { a: 1 }" and seen("pipeline")["keysExamined"] == 20
    assert seen("count")["planSummary"] == "RECORD_STORE_FAST_COUNT"
    # One key for each value: behind it the scan jumps to the next.
    assert seen("distinct")["keysExamined"] == 2 and seen("distinct")["docsExamined"] == 0
    find, more = seen("batches"), entries(profiled, op="getmore")[0]
    assert examined(find)[0] == examined(more)[0] == "COLLSCAN"
    assert find["docsExamined"] + more["docsExamined"] == 100 and more["docsExamined"] > 0
    assert examined(seen("update")) == ("IXSCAN { a: 1 }", 10, 10) and seen("update")["nModified"] == 10
    assert examined(seen("by id")) == ("IDHACK", 1, 1)
    upsert = seen("upsert")
    assert examined(upsert) == ("IDHACK", 0, 0) and upsert["upsert"] and upsert["nUpserted"] == 1
    assert examined(seen("delete")) == ("IXSCAN { a: 1 }", 10, 10) and seen("delete")["ndeleted"] == 10
    assert seen("modify")["nMatched"] == seen("modify")["nModified"] == 1
    explained = things.find({"a": 3}).explain()["queryPlanner"]
    assert seen("index")["queryHash"] == seen("index")["planCacheShapeHash"] == explained["queryHash"]


def test_clients_read_and_drop_the_entries_and_do_not_write_them(profiled):
    profile = profiled["system.profile"]
    profiled.command("profile", 2)
    profiled["things"].find_one()
    profiled.command("profile", 0)
    assert profile.find_one({"op": "query"})
    for write in [
        lambda: profile.insert_one({}),
        lambda: profile.update_many({}, {"$set": {"a": 1}}),
        lambda: profile.delete_many({}),
        lambda: profile.find_one_and_delete({}),
        lambda: profiled["things"].aggregate([{"$merge": "system.profile"}]),
        lambda: profile.bulk_write([pymongo.InsertOne({})]),
    ]:
        with pytest.raises(OperationFailure):
            write()
    with pytest.raises(OperationFailure) as error:
        profiled.command("insert", "system.profile", documents=[{}])
    assert error.value.code == 73
    profile.drop()


def test_slow_operations_are_logged_where_nothing_is_recorded(tmp_path):
    with running(tmp_path) as server, pymongo.MongoClient(server.uri, appname="slowly") as client:
        things = client["slow"]["things"]
        things.insert_one({"_id": 1})
        # A busy machine is slow with what is quick.
        client.admin.command("profile", 0, slowms=1000)
        things.find_one({})
        things.find_one({"$where": "sleep(1500) || true"})
        tail = client["slow"].create_collection("tail", capped=True, size=4096)
        tail.insert_one({})
        with client.start_session() as session:
            find = {"find": "tail", "tailable": True, "awaitData": True}
            cursor = client["slow"].command(find, session=session)["cursor"]
            more = {"getMore": cursor["id"], "collection": "tail", "maxTimeMS": 1500}
            assert client["slow"].command(more, session=session)["cursor"]["nextBatch"] == []
        assert server.logs("slow operation")
        logged = [line for line in server.log if "slow operation" in line]
        assert len(logged) == 1, logged
        for told in ("slow.things", "COLLSCAN", "docsExamined: 1", "slowly", "$where"):
            assert told in logged[0], logged
        assert "system.profile" not in client["slow"].list_collection_names()


def test_slow_ones_and_those_of_a_filter(profiled):
    things = profiled["things"]
    things.insert_one({"_id": 1})
    profiled.command("profile", 1, slowms=1000)
    things.find_one({})
    things.find_one({"$where": "sleep(1200) || true"})
    assert [entry["millis"] >= 1000 for entry in entries(profiled, op="query")] == [True]
    profiled.command("profile", 1, filter={"command.comment": "watched"})
    things.find_one({}, comment="watched")
    things.find_one({"$where": "sleep(50) || true"})
    profiled.command("profile", 0)
    assert [e["command"].get("comment") for e in entries(profiled, op="query")][1:] == ["watched"]


def test_what_is_written_to_cannot_be_dropped(profiled):
    profiled.command("profile", 2)
    with pytest.raises(OperationFailure) as error:
        profiled.drop_collection("system.profile")
    assert error.value.code == 20
    profiled.command("profile", 0)
    profiled.drop_collection("system.profile")
    assert "system.profile" not in profiled.list_collection_names()


def test_arguments_are_checked(profiled):
    for code, arguments in [
        (14, {"profile": "2"}),
        (2, {"profile": 0, "sampleRate": 2}),
        (2, {"profile": 0, "filter": 1}),
        (40415, {"profile": 0, "more": 1}),
    ]:
        with pytest.raises(OperationFailure) as error:
            profiled.command(arguments)
        assert error.value.code == code


def test_only_who_administers_the_database_may_set_it(tmp_path):
    with running(tmp_path) as server:
        with pymongo.MongoClient(server.uri) as client:
            client.admin.command("createUser", "root", pwd="p", roles=["root"])
        with pymongo.MongoClient(server.uri, username="root", password="p") as client:
            client.admin.command("createUser", "admin", pwd="p", roles=[{"role": "dbAdmin", "db": "d"}])
            client.admin.command("createUser", "reader", pwd="p", roles=[{"role": "read", "db": "d"}])
        with pymongo.MongoClient(server.uri, username="admin", password="p") as client:
            client["d"].command("profile", 2)
            client["d"].command("collStats", "things")
            assert client["d"]["system.profile"].find_one()
            client["d"].command("profile", 0)
            client["d"]["system.profile"].drop()
            client["d"].command("profile", 2)
            client["d"].command("collStats", "things")
        with pymongo.MongoClient(server.uri, username="reader", password="p") as client:
            with pytest.raises(OperationFailure) as error:
                client["d"].command("profile", 0)
            assert error.value.code == 13
            with pytest.raises(OperationFailure) as error:
                client["d"]["system.profile"].find_one()
            assert error.value.code == 13
        with pymongo.MongoClient(server.uri, username="root", password="p") as client:
            users = [entry["user"] for entry in client["d"]["system.profile"].find({"command.collStats": "things"})]
            assert users == ["admin@admin"]
