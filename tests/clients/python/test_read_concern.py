"""Reads at a level of read concern, by pymongo."""

import pytest
from pymongo import InsertOne
from pymongo.errors import OperationFailure
from pymongo.read_concern import ReadConcern


def test_a_snapshot_session_reads_one_moment_of_several_collections(client):
    database = client.moments
    database.a.insert_one({"_id": 1, "x": 1})
    database.b.insert_many([{"_id": i, "x": 0} for i in range(300)])
    with client.start_session(snapshot=True) as session:
        assert database.a.find_one({}, session=session) == {"_id": 1, "x": 1}
        cursor = database.b.find({}, session=session, batch_size=10)
        next(cursor)
        database.a.update_one({"_id": 1}, {"$inc": {"x": 1}})
        database.b.update_many({}, {"$inc": {"x": 1}})
        database.b.create_index("x")
        assert database.a.find_one({}, session=session) == {"_id": 1, "x": 1}
        assert sum(document["x"] for document in cursor) == 0
        assert len(list(database.b.find({"x": 0}, session=session))) == 300
        assert database.b.distinct("x", session=session) == [0]
        [joined] = database.a.aggregate(
            [{"$lookup": {"from": "b", "localField": "x", "foreignField": "x", "as": "same"}}], session=session
        )
        assert joined["x"] == 1 and joined["same"] == []
    assert database.a.find_one({}) == {"_id": 1, "x": 2}


def test_a_time_of_which_no_snapshot_is_kept_is_refused(client):
    from bson import Timestamp

    with pytest.raises(OperationFailure) as failure:
        client.moments.command(
            "find", "a", readConcern={"level": "snapshot", "atClusterTime": Timestamp(1, 1)}
        )
    assert failure.value.code == 239


def test_a_linearizable_read_sees_what_was_written(client):
    collection = client.moments.get_collection("c", read_concern=ReadConcern("linearizable"))
    collection.insert_one({"_id": 1})
    assert collection.find_one({}) == {"_id": 1}


def test_times_to_read_after_are_checked(client):
    from bson import Timestamp

    with client.start_session(causal_consistency=True) as session:
        client.moments.c.insert_one({}, session=session)
        now = session.operation_time
        assert client.moments.c.find_one({}, session=session)
    find = lambda **concern: client.moments.command("find", "c", readConcern=concern)
    assert find(afterClusterTime=now)["ok"] == 1
    refused = [
        (14, {"afterClusterTime": 1}),
        (72, {"afterClusterTime": Timestamp(0, 0)}),
        (72, {"afterClusterTime": Timestamp(now.time + 3600, 1)}),
        (72, {"afterClusterTime": now, "level": "linearizable"}),
        (72, {"afterClusterTime": now, "level": "available"}),
        (72, {"afterClusterTime": now, "atClusterTime": now, "level": "snapshot"}),
        (72, {"atClusterTime": now}),
        (2, {"level": "strong"}),
        (14, {"level": 1}),
        (40415, {"more": 1}),
    ]
    for code, concern in refused:
        with pytest.raises(OperationFailure) as failure:
            find(**concern)
        assert failure.value.code == code, concern


def test_a_causally_consistent_session_may_run_any_command(client):
    """pymongo passes the time of the session with whatever it sends, and not only with what reads documents."""
    moments = client.causal
    with client.start_session(causal_consistency=True) as session:
        moments.c.insert_one({"_id": 1}, session=session)
        client.bulk_write([InsertOne({"_id": 2}, namespace="causal.c")], session=session)
        assert moments.c.update_many({}, {"$set": {"n": 1}}, session=session).modified_count == 2
        assert "c" in moments.list_collection_names(session=session)
        assert moments.c.index_information(session=session)
        assert moments.command("dbStats", session=session)["objects"] == 2
        moments.c.rename("d", session=session)
        assert moments.d.count_documents({}, session=session) == 2


def test_a_transaction_is_refused_without_advice_on_retries(client):
    with client.start_session() as session:
        with pytest.raises(OperationFailure) as failure, session.start_transaction():
            client.moments.c.insert_one({}, session=session)
        assert failure.value.code == 263 and "retryWrites" not in str(failure.value)
