"""Strings compared by a language's rules, through pymongo."""

import pytest
from pymongo.collation import Collation
from pymongo.errors import DuplicateKeyError, OperationFailure

ANY_CASE = Collation("en", strength=2)


def names(cursor):
    return [document["name"] for document in cursor]


def plan(cursor):
    stage = cursor.explain()["queryPlanner"]["winningPlan"]
    while "inputStage" in stage:
        stage = stage["inputStage"]
    return stage["stage"]


def test_a_find_matches_and_sorts_by_its_collation(collection):
    collection.insert_many({"name": name} for name in ["b", "A", "a", "Ärger", "z"])
    assert names(collection.find({"name": "a"}, collation=ANY_CASE)) == ["A", "a"]
    german = Collation("de", strength=1)
    assert names(collection.find(collation=german).sort("name", 1)) == ["A", "a", "Ärger", "b", "z"]
    assert collection.count_documents({"name": {"$in": ["B", "Z"]}}, collation=ANY_CASE) == 2


def test_numbers_in_strings_may_go_by_value(collection):
    collection.insert_many({"name": f"file{n}"} for n in (10, 9, 1))
    numeric = Collation("en", numericOrdering=True)
    assert names(collection.find(collation=numeric).sort("name", 1)) == ["file1", "file9", "file10"]


def test_an_index_serves_queries_of_its_own_collation(collection):
    collection.create_index("name", name="any_case", collation=ANY_CASE)
    collection.insert_many({"name": name} for name in ["x", "X", "y"])
    assert plan(collection.find({"name": "X"}, collation=ANY_CASE)) == "IXSCAN"
    assert plan(collection.find({"name": "X"})) == "COLLSCAN"
    assert names(collection.find({"name": "X"}, collation=ANY_CASE)) == ["x", "X"]
    listed = collection.index_information()["any_case"]["collation"]
    assert (listed["locale"], listed["strength"]) == ("en", 2)


def test_a_unique_index_may_tell_no_case_apart(collection):
    collection.create_index("name", unique=True, collation=ANY_CASE)
    collection.insert_one({"name": "one"})
    with pytest.raises(DuplicateKeyError):
        collection.insert_one({"name": "ONE"})


def test_a_collection_has_a_collation_for_all_that_is_done_with_it(database):
    collection = database.create_collection("collated", collation=ANY_CASE)
    collection.create_index("name")
    collection.insert_many({"name": name, "n": 1} for name in ["a", "A", "b"])
    assert plan(collection.find({"name": "A"})) == "IXSCAN"
    assert sorted(collection.distinct("name")) == ["a", "b"]
    groups = collection.aggregate([{"$group": {"_id": "$name", "n": {"$sum": 1}}}, {"$sort": {"_id": 1}}])
    assert [group["n"] for group in groups] == [2, 1]
    assert collection.update_many({"name": "a"}, {"$set": {"n": 2}}).modified_count == 2
    assert collection.count_documents({"name": "a"}, collation=Collation("simple")) == 1
    assert collection.delete_many({"name": "B"}).deleted_count == 1


def test_wrong_collations_are_refused(collection):
    for wrong, code in [({"locale": "xx"}, 2), ({"strength": 1}, 40414), ({"locale": "en", "strength": 9}, 2)]:
        with pytest.raises(OperationFailure) as refused:
            list(collection.find({}, collation=wrong))
        assert refused.value.code == code


@pytest.mark.parametrize("options", [{}, {"clusteredIndex": {"key": {"_id": 1}, "unique": True}}])
def test_ids_that_a_collection_takes_for_equal_are_one(collection, options):
    database = collection.database
    collection.drop()
    database.create_collection(collection.name, collation=ANY_CASE, **options)
    collection.insert_one({"_id": "apple"})
    for _ in range(2):
        with pytest.raises(DuplicateKeyError) as refused:
            collection.insert_one({"_id": "Apple"})
        assert "index: _id_" in str(refused.value) and refused.value.details["keyPattern"] == {"_id": 1}
        # To clients it is the one index on _id, which stays.
        assert len(collection.index_information()) == 1
        # A clustered collection has its documents by their ids, and no index beside them.
        assert database.command("validate", collection.name)["nIndexes"] == (0 if options else 1)
        assert list(database.command("collStats", collection.name)["indexSizes"]) == ["_id_"]
        collection.drop_indexes()
    found = collection.find({"_id": "APPLE"})
    if options:
        assert plan(found) == "CLUSTERED_IXSCAN"
    else:
        assert plan(found) == "IXSCAN"
        assert found.explain()["queryPlanner"]["winningPlan"]["inputStage"]["indexName"] == "_id_"
    assert collection.replace_one({"_id": "APPLE"}, {"n": 1}, upsert=True).matched_count == 1
    assert list(collection.find()) == [{"_id": "apple", "n": 1}]
    assert collection.insert_many([{"_id": 1}, {"_id": "pear"}]).acknowledged
    assert [document["_id"] for document in collection.find().sort("_id", -1)] == ["pear", "apple", 1]
    # A copy of it refuses the same.
    copy = database[f"{collection.name}_copy"]
    copy.drop()
    database.create_collection(copy.name, collation=ANY_CASE)
    collection.aggregate([{"$out": copy.name}])
    with pytest.raises(DuplicateKeyError):
        copy.insert_one({"_id": "Pear"})
    copy.drop()
