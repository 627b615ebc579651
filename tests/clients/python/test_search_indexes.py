"""Atlas Search by pymongo: indexes that are defined, what `$search` and `$searchMeta` find, and that they see every write."""
import datetime
import uuid

import bson
import pymongo
import pytest
from pymongo.errors import OperationFailure
from pymongo.operations import SearchIndexModel
from server import running

SCORE = {"$meta": "searchScore"}
DAY = datetime.datetime(2020, 1, 1)
TAG = uuid.UUID("12345678-1234-5678-1234-567812345678")


def films():
    return [
        {"_id": 1, "title": "The River Wild", "plot": "A family goes down a wild river.", "year": 1994, "rating": 6.3,
         "genres": ["Crime", "Thriller"], "released": DAY, "seen": True, "cast": [{"name": "Ann", "age": 40}, {"name": "Bob", "age": 20}]},
        {"_id": 2, "title": "River of No Return", "plot": "A widower and a singer float down a river. The river is wild.", "year": 1954,
         "rating": 6.6, "genres": ["Western"], "released": DAY + datetime.timedelta(days=10), "seen": False,
         "cast": [{"name": "Ann", "age": 20}]},
        {"_id": 3, "title": "Mystic Harbour", "plot": "Boats lie in a harbour.", "year": 2003, "genres": ["Crime"],
         "owner": bson.ObjectId("0123456789abcdef01234567"), "tag": bson.Binary.from_uuid(TAG), "nothing": None},
    ]


DEFINITION = {"mappings": {"dynamic": True, "fields": {
    "title": [{"type": "string", "multi": {"whole": {"type": "string", "analyzer": "lucene.keyword"},
                                           "stems": {"type": "string", "analyzer": "lucene.english"}}},
              {"type": "autocomplete", "minGrams": 2, "maxGrams": 6}, {"type": "token"}],
    "genres": [{"type": "string"}, {"type": "token"}],
    "cast": {"type": "embeddedDocuments", "dynamic": True},
}}}


@pytest.fixture
def collection(database):
    collection = database["films"]
    collection.insert_many(films())
    collection.create_search_index(SearchIndexModel(DEFINITION))
    return collection


def search(collection, stage, *stages):
    return list(collection.aggregate([{"$search": stage}, *stages]))


def ids(collection, stage):
    return [document["_id"] for document in search(collection, stage)]


def test_indexes_are_made_listed_changed_and_dropped(collection):
    assert collection.create_search_index({"name": "static", "definition": {"mappings": {
        "dynamic": False, "fields": {"plot": {"type": "string"}}}}}) == "static"
    listed = {index["name"]: index for index in collection.list_search_indexes()}
    assert set(listed) == {"default", "static"}
    default = listed["default"]
    assert default["queryable"] and default["status"] == "READY" and default["type"] == "search"
    assert default["latestDefinition"] == DEFINITION and default["latestDefinitionVersion"]["version"] == 0
    assert [index["id"] for index in collection.list_search_indexes("static")] == [listed["static"]["id"]]
    assert ids(collection, {"index": "static", "text": {"path": "plot", "query": "boats"}}) == [3]
    assert ids(collection, {"index": "static", "text": {"path": "title", "query": "mystic"}}) == []
    collection.update_search_index("static", {"mappings": {"dynamic": True}})
    assert ids(collection, {"index": "static", "text": {"path": "title", "query": "mystic"}}) == [3]
    assert list(collection.list_search_indexes("static"))[0]["latestDefinitionVersion"]["version"] == 1
    collection.drop_search_index("static")
    assert [index["name"] for index in collection.list_search_indexes()] == ["default"]
    assert ids(collection, {"index": "static", "text": {"path": "title", "query": "mystic"}}) == [], "no index finds nothing"
    assert collection.create_search_indexes([SearchIndexModel(DEFINITION)]) == ["default"], "the same one is no other"
    commands = [
        (68, {"createSearchIndexes": "films", "indexes": [{"name": "default", "definition": {"mappings": {"dynamic": True}}}]}),
        (27, {"dropSearchIndex": "films", "name": "missing"}),
        (27, {"updateSearchIndex": "films", "name": "missing", "definition": {"mappings": {"dynamic": True}}}),
        (26, {"createSearchIndexes": "absent", "indexes": [{"definition": {"mappings": {"dynamic": True}}}]}),
        (8, {"createSearchIndexes": "films", "indexes": [{"name": "x", "definition": {}}]}),
        (115, {"createSearchIndexes": "films", "indexes": [{"name": "x", "type": "vectorSearch", "definition": {}}]}),
    ]
    for code, command in commands:
        with pytest.raises(OperationFailure) as refused:
            collection.database.command(command)
        assert refused.value.code == code, command


FOUND = [
    ({"text": {"path": "title", "query": "river"}}, {1, 2}),
    ({"text": {"path": ["title", "plot"], "query": ["harbour", "wild"]}}, {1, 2, 3}),
    ({"text": {"path": {"wildcard": "*"}, "query": "singer"}}, {2}),
    ({"text": {"path": {"value": "title", "multi": "stems"}, "query": "rivers"}}, {1, 2}),
    ({"text": {"path": "title", "query": "rivers"}}, set()),
    ({"text": {"path": "title", "query": "rivet", "fuzzy": {"maxEdits": 1}}}, {1, 2}),
    ({"text": {"path": "title", "query": "wild river", "matchCriteria": "all"}}, {1}),
    ({"phrase": {"path": "plot", "query": "wild river"}}, {1}),
    ({"phrase": {"path": "plot", "query": "river wild", "slop": 1}}, {2}),
    ({"autocomplete": {"path": "title", "query": "myst"}}, {3}),
    ({"autocomplete": {"path": "title", "query": "riv wil", "tokenOrder": "sequential"}}, {1}),
    ({"autocomplete": {"path": "title", "query": "m"}}, set()),
    ({"wildcard": {"path": {"value": "title", "multi": "whole"}, "query": "*No Ret?rn"}}, {2}),
    ({"wildcard": {"path": "title", "query": "harb*", "allowAnalyzedField": True}}, {3}),
    ({"regex": {"path": {"value": "title", "multi": "whole"}, "query": "River.*"}}, {2}),
    ({"queryString": {"defaultPath": "plot", "query": "title:river AND NOT singer"}}, {1}),
    ({"queryString": {"defaultPath": "plot", "query": "year:[1990 TO 2010] OR \"a singer\""}}, {1, 2, 3}),
    ({"range": {"path": "year", "gte": 1954, "lt": 2003}}, {1, 2}),
    ({"range": {"path": "released", "gt": DAY}}, {2}),
    ({"range": {"path": "title", "gte": "N"}}, {1, 2}),
    ({"equals": {"path": "seen", "value": True}}, {1}),
    ({"equals": {"path": "year", "value": 1954.0}}, {2}),
    ({"equals": {"path": "genres", "value": "Crime"}}, {1, 3}),
    ({"equals": {"path": "owner", "value": bson.ObjectId("0123456789abcdef01234567")}}, {3}),
    ({"equals": {"path": "tag", "value": bson.Binary.from_uuid(TAG)}}, {3}),
    ({"equals": {"path": "nothing", "value": None}}, {3}),
    ({"equals": {"path": "released", "value": DAY}}, {1}),
    ({"in": {"path": "genres", "value": ["Western", "Thriller"]}}, {1, 2}),
    ({"in": {"path": "year", "value": [1994, 2003]}}, {1, 3}),
    ({"exists": {"path": "rating"}}, {1, 2}),
    ({"compound": {"must": [{"text": {"path": "title", "query": "river"}}],
                   "mustNot": [{"equals": {"path": "seen", "value": False}}]}}, {1}),
    ({"compound": {"filter": [{"range": {"path": "year", "gte": 1900}}], "should": [
        {"text": {"path": "title", "query": "river"}}, {"text": {"path": "plot", "query": "singer"}}],
        "minimumShouldMatch": 2}}, {2}),
    ({"embeddedDocument": {"path": "cast", "operator": {"compound": {"must": [
        {"text": {"path": "cast.name", "query": "ann"}}, {"equals": {"path": "cast.age", "value": 20}}]}}}}, {2}),
    ({"text": {"path": "absent", "query": "river"}}, set()),
    ({"text": None, "equals": {"path": "year", "value": 1954, "score": None}}, {2}),
    ({"range": {"path": "year", "gt": float("-inf"), "lt": 1990}}, {2}),
    ({"range": {"path": "year", "gt": float("nan")}}, set()),
    ({"equals": {"path": "year", "value": float("inf")}}, set()),
]


@pytest.mark.parametrize("number", range(len(FOUND)))
def test_each_operator_finds_its_documents(collection, number):
    stage, wanted = FOUND[number]
    assert set(ids(collection, stage)) == wanted


def test_what_is_worth_more_comes_first(collection):
    scored = search(collection, {"text": {"path": "plot", "query": "river"}}, {"$project": {"score": SCORE}})
    assert [document["_id"] for document in scored] == [2, 1] and scored[0]["score"] > scored[1]["score"] > 0
    boosted = {"text": {"path": "plot", "query": "river", "score": {"boost": {"value": 3}}}}
    tripled = search(collection, boosted, {"$project": {"score": SCORE}})
    assert tripled[0]["score"] == pytest.approx(3 * scored[0]["score"])
    constant = {"text": {"path": "plot", "query": "river", "score": {"constant": {"value": 5}}}}
    assert {document["score"] for document in search(collection, constant, {"$set": {"score": SCORE}})} == {5.0}
    by_field = {"equals": {"path": "_id", "value": 1, "score": {"boost": {"path": "rating", "undefined": 1}}}}
    assert search(collection, by_field, {"$project": {"score": SCORE}})[0]["score"] == pytest.approx(6.3, rel=1e-6)
    near = search(collection, {"near": {"path": "year", "origin": 2000, "pivot": 3}}, {"$project": {"score": SCORE}})
    assert [(document["_id"], round(document["score"], 4)) for document in near] == [(3, 0.5), (1, 0.3333), (2, 0.0612)]
    dates = {"near": {"path": "released", "origin": DAY, "pivot": 86_400_000}}
    assert ids(collection, dates) == [1, 2]
    worst = search(collection, {"text": {"path": "plot", "query": "river"}}, {"$sort": {"by": SCORE}}, {"$limit": 1})
    assert worst[0]["_id"] == 2, "sorted by what it is worth"


def test_facets_counts_highlights_and_sorts(collection):
    facets = {"genres": {"type": "string", "path": "genres"},
              "years": {"type": "number", "path": "year", "boundaries": [1990, 2000, 2010], "default": "others"},
              "released": {"type": "date", "path": "released", "boundaries": [DAY, DAY + datetime.timedelta(days=5)]}}
    asked = {"facet": {"operator": {"exists": {"path": "year"}}, "facets": facets}}
    meta = list(collection.aggregate([{"$searchMeta": asked}]))
    wanted = {
        "genres": {"buckets": [{"_id": "Crime", "count": 2}, {"_id": "Thriller", "count": 1}, {"_id": "Western", "count": 1}]},
        "years": {"buckets": [{"_id": 1990, "count": 1}, {"_id": 2000, "count": 1}, {"_id": "others", "count": 1}]},
        "released": {"buckets": [{"_id": DAY, "count": 1}]},
    }
    assert meta == [{"count": {"lowerBound": 3}, "facet": wanted}]
    both = list(collection.aggregate([
        {"$search": asked | {"count": {"type": "total"}}},
        {"$facet": {"first": [{"$sort": {"_id": 1}}, {"$limit": 1}, {"$project": {"_id": 1}}],
                    "meta": [{"$replaceWith": "$$SEARCH_META"}, {"$limit": 1}]}}]))
    assert both == [{"first": [{"_id": 1}], "meta": [{"count": {"total": 3}, "facet": wanted}]}]
    [marked] = search(collection, {"text": {"path": "plot", "query": "singer"}, "highlight": {"path": "plot"}},
                      {"$project": {"lights": {"$meta": "searchHighlights"}, "all": "$$SEARCH_META.count.lowerBound"}})
    [passage] = marked["lights"]
    assert marked["all"] == 1 and passage["path"] == "plot" and passage["score"] > 0
    assert {"value": "singer", "type": "hit"} in passage["texts"]
    assert "".join(text["value"] for text in passage["texts"]).startswith("A widower and a singer")
    everything = {"exists": {"path": "title"}}
    assert ids(collection, everything | {"sort": {"year": -1}}) == [3, 1, 2]
    assert ids(collection, everything | {"sort": {"rating": 1}}) == [3, 1, 2], "what has none comes first"
    assert ids(collection, everything | {"sort": {"title": 1}}) == [3, 2, 1]
    limited = search(collection, everything | {"sort": {"year": 1}}, {"$skip": 1}, {"$limit": 1})
    assert [document["_id"] for document in limited] == [1]


def test_a_search_sees_every_write(collection):
    for number in range(30):
        collection.insert_one({"_id": f"new{number}", "title": f"Fresh {number}", "late": number})
        assert ids(collection, {"text": {"path": "title", "query": f"{number}"}}) == [f"new{number}"]
        collection.update_one({"_id": f"new{number}"}, {"$set": {"title": f"Stale {number + 100}"}})
        assert ids(collection, {"text": {"path": "title", "query": f"{number}"}}) == []
        assert ids(collection, {"text": {"path": "title", "query": f"{number + 100}"}}) == [f"new{number}"]
        collection.delete_one({"_id": f"new{number}"})
        assert ids(collection, {"exists": {"path": "late"}}) == []


def test_searches_within_other_stages(collection):
    union = list(collection.database["other"].aggregate([
        {"$unionWith": {"coll": "films", "pipeline": [{"$search": {"text": {"path": "title", "query": "harbour"}}},
                                                      {"$project": {"score": SCORE}}]}}]))
    assert [document["_id"] for document in union] == [3] and union[0]["score"] > 0
    with pytest.raises(OperationFailure) as late:
        list(collection.aggregate([{"$match": {}}, {"$search": {"exists": {"path": "title"}}}]))
    assert late.value.code == 40602
    with pytest.raises(OperationFailure) as faceted:
        list(collection.aggregate([{"$facet": {"a": [{"$search": {"exists": {"path": "title"}}}]}}]))
    assert faceted.value.code == 40600
    assert list(collection.database["absent"].aggregate([{"$search": {"exists": {"path": "title"}}}])) == []


WRONG = [
    {}, {"text": {"path": "title"}}, {"text": {"query": "x"}}, {"text": {"path": "title", "query": ""}}, {"compound": {}},
    {"text": {"path": "title", "query": "x", "colour": 1}}, {"colour": {}}, {"range": {"path": "year"}},
    {"exists": {"path": "a"}, "equals": {"path": "a", "value": 1}}, {"near": {"path": "year", "origin": 1, "pivot": 0}},
    {"wildcard": {"path": "title", "query": "a*"}}, {"range": {"path": "year", "gt": 1, "lt": "b"}},
    {"facet": {"facets": {"a": {"type": "number", "path": "year", "boundaries": [2, 1]}}}},
    {"text": {"path": "title", "query": "x"}, "sort": {"title": 2}}, {"text": {"path": "title", "query": "x"}, "sort": {}},
    {"text": {"path": "title", "query": "x", "synonyms": "s"}}, {"text": {"path": "title", "query": "x"}, "searchAfter": "token"},
    {"text": {"path": {"value": "title", "multi": "absent"}, "query": "x"}}, {"autocomplete": {"path": "plot", "query": "x"}},
    {"equals": {"path": "plot", "value": "x"}}, {"in": {"path": "year", "value": [1, "x"]}}, {"range": {"path": "year", "gt": 5, "lt": 5}},
    {"equals": {"path": "year", "value": bson.Decimal128("1")}}, {"range": {"path": "released", "gt": "2020"}},
    {"facet": {"facets": {"a": {"type": "string", "path": "plot"}}}},
]
UNSUPPORTED = [
    {"text": {"path": "title", "query": "x"}, "returnStoredSource": True}, {"moreLikeThis": {"like": {"title": "x"}}},
    {"text": {"path": "title", "query": "x"}, "scoreDetails": True}, {"geoWithin": {"path": "a"}},
]


@pytest.mark.parametrize("code, stage", [(8, stage) for stage in WRONG] + [(115, stage) for stage in UNSUPPORTED])
def test_what_is_not_understood_is_an_error(collection, code, stage):
    with pytest.raises(OperationFailure) as refused:
        search(collection, stage)
    assert refused.value.code == code, refused.value


def test_indexes_outlive_a_restart_and_are_found_by_files(tmp_path):
    """With more documents than are read one by one, and so by an index on disk."""
    def check(client):
        collection = client["kept"]["lines"]
        assert len(ids(collection, {"text": {"path": "text", "query": "common"}})) == 3000
        rare = search(collection, {"text": {"path": "text", "query": "rare7"}}, {"$limit": 5})
        assert [document["n"] for document in rare] == [7]
        facets = {"kinds": {"type": "string", "path": "kind", "numBuckets": 2}}
        [meta] = collection.aggregate([{"$searchMeta": {"facet": {"facets": facets}}}])
        assert meta["count"] == {"lowerBound": collection.count_documents({})}
        assert meta["facet"]["kinds"]["buckets"] == [{"_id": "even", "count": 1500}, {"_id": "odd", "count": 1500}]
        return collection

    with running(tmp_path) as server, pymongo.MongoClient(server.uri) as client:
        lines = [{"n": n, "text": f"common rare{n}", "kind": ["even", "odd"][n % 2]} for n in range(3000)]
        client["kept"]["lines"].insert_many(lines)
        definition = {"mappings": {"dynamic": True, "fields": {"kind": {"type": "token"}}}}
        client["kept"]["lines"].create_search_index({"definition": definition})
        check(client)
    with running(tmp_path) as server, pymongo.MongoClient(server.uri) as client:
        collection = check(client)
        collection.insert_one({"n": 3000, "text": "other"})
        assert [document["n"] for document in search(collection, {"text": {"path": "text", "query": "other"}})] == [3000]
        check(client)
