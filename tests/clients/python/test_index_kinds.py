"""Wildcard indexes, and indexes made unique, through pymongo."""

import pymongo
import pytest
from pymongo.errors import DuplicateKeyError, OperationFailure


def plan(cursor):
    stage = cursor.explain()["queryPlanner"]["winningPlan"]
    while "inputStage" in stage:
        stage = stage["inputStage"]
    return stage["stage"]


def test_a_wildcard_index_serves_each_path(collection):
    collection.create_index([("$**", pymongo.ASCENDING)])
    collection.insert_many([{"a": {"b": 1}}, {"a": {"b": 2}}, {"c": ["x", "y"]}])
    assert plan(collection.find({"a.b": 2})) == "IXSCAN"
    assert plan(collection.find({"c": "y"})) == "IXSCAN"
    assert plan(collection.find({"a.b": None})) == "COLLSCAN"
    assert collection.count_documents({"c": {"$exists": True}}) == 1


def test_an_index_becomes_unique_in_two_steps(collection):
    collection.create_index("n", name="n")
    collection.insert_many([{"n": 1}, {"n": 1}])
    modify = lambda **index: collection.database.command("collMod", collection.name, index={"name": "n", **index})
    modify(prepareUnique=True)
    with pytest.raises(DuplicateKeyError):
        collection.insert_one({"n": 1})
    with pytest.raises(OperationFailure) as refused:
        modify(unique=True)
    assert refused.value.code == 359
    collection.delete_one({"n": 1})
    assert modify(unique=True)["unique_new"] is True
    with pytest.raises(DuplicateKeyError):
        collection.insert_one({"n": 1})
