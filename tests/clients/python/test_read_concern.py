"""Reads at a level of read concern, by pymongo."""

import pytest
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
