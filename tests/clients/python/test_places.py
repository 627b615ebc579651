"""Places: indexes, queries by area, by distance, and what a restart and a dump keep of them."""
import pymongo
import pytest
from bson.son import SON
from pymongo.errors import OperationFailure, WriteError

CITIES = {"Basel": (7.59, 47.56), "Zurich": (8.54, 47.37), "Geneva": (6.15, 46.2), "Lugano": (8.96, 46.0),
          "Paris": (2.35, 48.86), "Suva": (178.44, -18.14), "Apia": (-171.77, -13.83)}


@pytest.fixture
def cities(client):
    collection = client["places"]["cities"]
    collection.drop()
    collection.insert_many({"_id": name, "at": {"type": "Point", "coordinates": list(place)}} for name, place in CITIES.items())
    collection.create_index([("at", pymongo.GEOSPHERE)])
    return collection


def point(name):
    return {"type": "Point", "coordinates": list(CITIES[name])}


def ids(cursor):
    return [document["_id"] for document in cursor]


def test_what_is_near_comes_first_and_in_order(cities):
    near = {"at": {"$near": {"$geometry": point("Basel"), "$maxDistance": 300_000}}}
    assert ids(cities.find(near)) == ["Basel", "Zurich", "Geneva", "Lugano"]
    assert ids(cities.find({"at": {"$nearSphere": [178.44, -18.14]}}).limit(2)) == ["Suva", "Apia"], "over the date line"
    assert cities.count_documents({"at": {"$geoWithin": {"$centerSphere": [CITIES["Basel"], 300 / 6378.1]}}}) == 4
    stage = cities.find(near).explain()["queryPlanner"]["winningPlan"]
    assert stage["stage"] == "GEO_NEAR_2DSPHERE"


def test_an_area_is_read_by_its_cells(cities):
    square = {"type": "Polygon", "coordinates": [[[7, 47], [9, 47], [9, 48], [7, 48], [7, 47]]]}
    for operator in ("$geoWithin", "$geoIntersects"):
        query = {"at": {operator: {"$geometry": square}}}
        assert sorted(ids(cities.find(query))) == ["Basel", "Zurich"]
        explained = cities.find(query).explain()
        assert explained["queryPlanner"]["winningPlan"]["inputStage"]["stage"] == "IXSCAN"
        assert explained["executionStats"]["totalKeysExamined"] <= 6


def test_geo_near_says_how_far(cities):
    stage = SON(near=point("Basel"), distanceField="far", includeLocs="where", maxDistance=100_000, distanceMultiplier=0.001)
    found = list(cities.aggregate([{"$geoNear": stage}]))
    assert ids(found) == ["Basel", "Zurich"]
    assert found[0]["far"] == 0 and 70 < found[1]["far"] < 80 and found[1]["where"] == point("Zurich")
    with pytest.raises(OperationFailure) as late:
        cities.aggregate([{"$limit": 1}, {"$geoNear": stage}])
    assert late.value.code == 40603


def test_what_is_near_has_no_natural_order(cities):
    near = {"at": {"$near": {"$geometry": point("Basel")}}}
    stage = {"$geoNear": {"near": point("Basel"), "distanceField": "far"}}
    for read in (lambda: list(cities.find(near).sort("$natural", 1)), lambda: list(cities.find(near).hint([("$natural", 1)])),
                 lambda: cities.aggregate([stage], hint={"$natural": 1})):
        with pytest.raises(OperationFailure) as natural:
            read()
        assert natural.value.code == 2


def test_geo_near_in_a_lookup_sees_its_variables(cities):
    nearest = [{"$geoNear": {"near": "$$at", "distanceField": "far", "key": "at"}}, {"$skip": 1}, {"$limit": 1}]
    stages = [{"$match": {"_id": {"$in": ["Basel", "Suva"]}}}, {"$sort": {"_id": 1}},
              {"$lookup": {"from": "cities", "let": {"at": "$at"}, "pipeline": nearest, "as": "next"}}]
    assert [document["next"][0]["_id"] for document in cities.aggregate(stages)] == ["Zurich", "Apia"]


def test_places_on_a_plane_are_found(client):
    collection = client["places"]["flat"]
    collection.drop()
    collection.create_index([("at", pymongo.GEO2D)], min=-10, max=10)
    collection.insert_many({"_id": x * 10 + y, "at": [x, y]} for x in range(10) for y in range(10))
    assert ids(collection.find({"at": {"$near": [3, 3]}}).limit(1)) == [33]
    assert sorted(ids(collection.find({"at": {"$geoWithin": {"$box": [[0, 0], [1, 1]]}}}))) == [0, 1, 10, 11]
    assert collection.update_many({"at": {"$geoWithin": {"$center": [[0, 0], 1]}}}, {"$set": {"in": 1}}).modified_count == 3
    with pytest.raises(WriteError) as outside:
        collection.insert_one({"at": [11, 0]})
    assert outside.value.code == 13027
    with pytest.raises(OperationFailure) as missing:
        list(collection.find({"other": {"$near": [0, 0]}}))
    assert missing.value.code == 291
