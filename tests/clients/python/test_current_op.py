"""Running and waiting operations in `$currentOp`, `currentOp` and `$listLocalSessions`, by pymongo."""

import datetime
import threading
import time

import pymongo
import pytest


def current(client, **options):
    return list(client.admin.aggregate([{"$currentOp": options}]))


@pytest.fixture
def tail(database):
    """A capped collection whose end can be waited at: an operation that runs as long as it should."""
    capped = database.create_collection("tail", capped=True, size=10_000)
    capped.insert_one({"_id": 0})
    return capped


def waiting_for(tail, comment, milliseconds):
    cursor = tail.database.command("find", tail.name, tailable=True, awaitData=True)["cursor"]
    tail.database.command(
        "getMore", cursor["id"], collection=tail.name, maxTimeMS=milliseconds, comment=comment
    )
    tail.database.command("killCursors", tail.name, cursors=[cursor["id"]])


def operation(client, comment, **options):
    """The operation with a comment, once it runs."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for found in current(client, **options):
            if comment in str(found.get("command", {}).get("comment")):
                return found
    raise AssertionError(f"no operation '{comment}' was seen")


def test_idle_connections_are_told_where_they_are_asked_for(server, client):
    with pymongo.MongoClient(server.uri, appname="idle") as idle:
        idle.admin.command("ping")
        found = current(client, idleConnections=True)
        waiting = [each for each in found if not each["active"]]
        assert waiting and all("secs_running" not in each and "opid" not in each for each in waiting)
        assert all(each["desc"] == f"conn{each['connectionId']}" for each in waiting)
        before = {each["connectionId"] for each in waiting}
        shown = client.admin.command({"currentOp": 1, "$all": True, "active": False})["inprog"]
        assert {each["connectionId"] for each in shown} & before
    assert all(each["active"] for each in current(client))
    assert all(each["active"] for each in client.admin.command("currentOp")["inprog"])


def test_idle_cursors_tell_what_they_gave(client, collection):
    collection.insert_many([{"_id": i} for i in range(10)])
    cursor = collection.find(batch_size=2)
    assert [next(cursor)["_id"] for _ in range(3)] == [0, 1, 2]
    idle = [each for each in current(client, idleCursors=True) if each["type"] == "idleCursor"]
    [found] = [each for each in idle if each["cursor"]["cursorId"] == cursor.cursor_id]
    assert found["ns"] == collection.full_name and "client" not in found and "op" not in found
    assert (found["cursor"]["nDocsReturned"], found["cursor"]["nBatchesReturned"]) == (4, 2)
    assert found["cursor"]["createdDate"] <= found["cursor"]["lastAccessDate"]
    assert not found["cursor"]["tailable"] and not found["cursor"]["noCursorTimeout"]
    cursor.close()
    assert all(each.get("cursor", {}).get("cursorId") != cursor.cursor_id for each in current(client, idleCursors=True))
    assert all(each["type"] != "idleCursor" for each in current(client))


def test_long_commands_are_cut_where_that_is_asked_for(server, client, tail):
    comment = "long " * 500
    with pymongo.MongoClient(server.uri) as other:
        waiter = threading.Thread(target=waiting_for, args=(other[tail.database.name].tail, comment, 60_000))
        waiter.start()
        whole = operation(client, comment)
        assert whole["op"] == "getmore" and whole["command"]["comment"] == comment
        cursor = whole["cursor"]
        assert (cursor["cursorId"], cursor["operationUsingCursorId"]) == (whole["command"]["getMore"], whole["opid"])
        assert (cursor["nBatchesReturned"], cursor["nDocsReturned"], cursor["awaitData"]) == (1, 1, True)
        assert "$truncated" not in whole["command"]
        cut = operation(client, comment, truncateOps=True)
        assert len(cut["command"]["$truncated"]) <= 1003
        tail.insert_one({"_id": 1})
        waiter.join()


def test_a_pipeline_is_told(client):
    match = {"$match": {"command.aggregate": {"$exists": True}}}
    own = client.admin.aggregate([{"$currentOp": {}}, match])
    assert [each["command"]["pipeline"] for each in own] == [[{"$currentOp": {}}, match]]


def test_sessions_tell_when_they_were_used(client):
    with client.start_session() as session:
        client.admin.command("ping", session=session)
        used = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
        time.sleep(0.2)
        listed = list(client.admin.aggregate([{"$listLocalSessions": {}}]))
        [found] = [each for each in listed if each["_id"]["id"] == session.session_id["id"]]
        assert found["lastUse"] < used + datetime.timedelta(seconds=0.1)
