"""Which arguments commands accept, and with which codes they refuse others."""

import uuid

import pytest
from bson import Binary, Decimal128, Int64
from bson.son import SON
from pymongo.errors import OperationFailure

ACCEPTED = None


def code_of(database, *command):
    """The code that a command is refused with."""
    try:
        database.command(SON(command))
        return ACCEPTED
    except OperationFailure as refused:
        return refused.code


@pytest.mark.parametrize(
    "limit, code",
    [(1.5, 9), (float("nan"), 9), (Decimal128("2.5"), 9), ("1", 2), (None, 2), (True, 2), (-2.0, ACCEPTED), (0, ACCEPTED)],
)
def test_a_limit_of_a_count_is_a_whole_number(database, limit, code):
    assert code_of(database, ("count", "things"), ("limit", limit)) == code


@pytest.mark.parametrize(
    "command",
    [
        {"count": "things"},
        {"find": "things"},
        {"distinct": "things", "key": "x"},
        {"aggregate": "things", "pipeline": [], "cursor": {}},
        {"findAndModify": "things", "remove": True},
    ],
)
def test_null_is_no_hint(database, command):
    assert code_of(database, *command.items(), ("hint", None)) == 9


def test_null_is_no_hint_of_a_statement(database):
    delete = {"q": {}, "limit": 0, "hint": None}
    assert code_of(database, ("delete", "things"), ("deletes", [delete])) == 9
    update = {"q": {}, "u": {"$set": {"x": 1}}, "hint": None}
    assert code_of(database, ("update", "things"), ("updates", [update])) == 9


@pytest.mark.parametrize(
    "option",
    ["singleBatch", "allowDiskUse", "returnKey", "showRecordId", "noCursorTimeout", "tailable", "allowPartialResults", "readOnce"],
)
@pytest.mark.parametrize("value", [None, 1, "true"])
def test_flags_of_a_find_are_booleans_and_not_null(database, option, value):
    assert code_of(database, ("find", "things"), (option, value)) == 14


@pytest.mark.parametrize("option", ["filter", "sort", "projection", "min", "max", "collation"])
def test_documents_of_a_find_are_not_null(database, option):
    assert code_of(database, ("find", "things"), (option, None)) == 14


@pytest.mark.parametrize("size, code", [("x", 72), (None, 72), (True, 72), (0, 72), (4096, ACCEPTED), (4096.5, ACCEPTED)])
def test_a_size_that_is_no_number_above_zero_is_none(database, collection, size, code):
    collection.insert_one({})
    assert code_of(database, ("convertToCapped", "things"), ("size", size), ("unheardOf", 1)) == code


@pytest.mark.parametrize("option", ["force", "dryRun"])
def test_compact_is_told_by_booleans(database, collection, option):
    collection.insert_one({})
    for number in [1, Int64(1), 1.0, Decimal128("1")]:
        assert code_of(database, ("compact", "things"), (option, number)) == 14


def test_a_target_is_dropped_by_a_boolean_or_a_uuid_and_is_no_system_collection(client, database, collection):
    collection.insert_one({})
    source, target = f"{database.name}.things", f"{database.name}.others"

    def rename(to, drop):
        return code_of(client.admin, ("renameCollection", source), ("to", to), ("dropTarget", drop))

    for subtype in [0, 3, 5, 128]:
        assert rename(target, Binary(bytes(16), subtype)) == 14
    assert rename(f"{database.name}.system.others", False) == 20
    assert rename(target, Binary(uuid.uuid4().bytes, 4)) == 361
    database.create_collection("others")
    assert rename(target, Binary(uuid.uuid4().bytes, 4)) == 361
    of_target = next(c["info"]["uuid"] for c in database.list_collections() if c["name"] == "others")
    assert rename(target, Binary(of_target.bytes if isinstance(of_target, uuid.UUID) else bytes(of_target), 4)) == ACCEPTED


@pytest.mark.parametrize("one, code", [("x", 14), ({}, 14), (True, 14), (None, 40414), (2, 5255100), (1.0, ACCEPTED)])
def test_a_database_is_dropped_by_the_number_one(database, one, code):
    assert code_of(database, ("dropDatabase", one)) == code


def test_each_part_of_a_view_changes_alone(database, collection):
    collection.insert_many([{"_id": 1}, {"_id": 2}])
    database.create_collection("other").insert_one({"_id": 2})
    database.command("create", "view", viewOn="things", pipeline=[None, {"$match": {"_id": 2}}], validator={"a": 1})
    view = database["view"]
    assert [d["_id"] for d in view.find()] == [2]
    database.command("collMod", "view", pipeline=[{"$match": {"_id": 1}}])
    assert [d["_id"] for d in view.find()] == [1]
    database.command("collMod", "view", viewOn="other")
    assert list(view.find()) == []
    assert code_of(database, ("collMod", "view"), ("pipeline", [1])) == 14
    for part in [("viewOn", "other"), ("pipeline", [])]:
        assert code_of(database, ("collMod", "things"), part) == 72


@pytest.mark.parametrize("seconds, kept", [(float("nan"), 0), (Int64(2**40), 2**31 - 1), (3.9, 3)])
def test_an_expiry_is_cut_to_32_bits(database, collection, seconds, kept):
    collection.create_index("a", expireAfterSeconds=60, name="a")
    changed = database.command("collMod", "things", index={"name": "a", "expireAfterSeconds": seconds})
    assert changed["expireAfterSeconds_new"] == kept


@pytest.mark.parametrize(
    "engine, code",
    [
        ({"unheardOf": {}}, 72),
        ({"wiredTiger": 1}, 2),
        ({"wiredTiger": {"configString": 1}}, 14),
        ({"wiredTiger": {"unheardOf": "x"}}, 72),
        ({"wiredTiger": {"configString": "block_compressor=zstd"}}, ACCEPTED),
    ],
)
def test_options_of_a_storage_engine_are_checked(database, engine, code):
    assert code_of(database, ("create", "things"), ("storageEngine", engine)) == code


@pytest.mark.parametrize(
    "collation, code",
    [
        ({}, 40414),
        ({"locale": "en", "caseLevel": 1}, 14),
        ({"locale": "en", "backwards": None}, 14),
        ({"locale": "en", "backwards": True}, ACCEPTED),
        ({"locale": "simple", "strength": 1}, ACCEPTED),
    ],
)
def test_a_collation_is_a_document_of_its_options(database, collation, code):
    assert code_of(database, ("create", "things"), ("collation", collation)) == code


def test_a_view_keeps_to_its_collation(database, collection):
    english, french = {"locale": "en", "strength": 2}, {"locale": "fr"}
    collection.insert_many([{"_id": 1, "a": "x"}, {"_id": 2, "a": "X"}])
    database.command("create", "view", viewOn="things", pipeline=[], collation=english)
    for collation, code in [(english, ACCEPTED), (french, 167), ({"locale": "simple"}, 167)]:
        command = ("find", "view"), ("filter", {"a": "x"}), ("collation", collation)
        assert code_of(database, *command) == code
        assert code_of(database, ("count", "view"), ("collation", collation)) == code
        assert code_of(database, ("distinct", "view"), ("key", "a"), ("collation", collation)) == code
        command = ("aggregate", "view"), ("pipeline", []), ("cursor", {}), ("collation", collation)
        assert code_of(database, *command) == code
    assert code_of(database, ("create", "above"), ("viewOn", "view"), ("collation", french)) == 167
    assert code_of(database, ("create", "above"), ("viewOn", "view"), ("collation", english)) == ACCEPTED


def test_only_a_cursor_that_waits_has_a_time_to_wait(database, collection):
    collection.insert_many({} for _ in range(10))
    cursor = database.command("find", "things", batchSize=1)["cursor"]["id"]
    more = ("getMore", cursor), ("collection", "things")
    assert code_of(database, *more, ("maxTimeMS", 100)) == 2
    assert code_of(database, *more) == ACCEPTED


def test_some_commands_on_sessions_take_arguments_that_they_do_not_know(client):
    session = {"id": Binary(uuid.uuid4().bytes, 4)}
    for command, code in [("endSessions", 40415), ("refreshSessions", 40415), ("killSessions", ACCEPTED)]:
        assert code_of(client.admin, (command, [session]), ("unheardOf", 1)) == code
        assert code_of(client.admin, (command, [{**session, "unheardOf": 1}])) == 40415
        assert code_of(client.admin, (command, None)) == 40414
    assert code_of(client.admin, ("killAllSessions", [None])) == ACCEPTED
    assert code_of(client.admin, ("startSession", 1), ("unheardOf", 1)) == ACCEPTED
