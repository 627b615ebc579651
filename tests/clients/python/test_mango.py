"""Mango as plain HTTP clients see it."""

import pytest
import requests


@pytest.fixture
def couch(server, request):
    name = "m_" + request.node.name.lower()[:40]
    url = f"{server.couch}/{name}"
    requests.delete(url)
    assert requests.put(url).status_code == 201
    yield url
    requests.delete(url)


def fill(couch, docs):
    answer = requests.post(f"{couch}/_bulk_docs", json={"docs": docs})
    assert answer.status_code == 201, answer.text


def index(couch, fields, **options):
    answer = requests.post(f"{couch}/_index", json={"index": {"fields": fields}, **options})
    assert answer.status_code == 200, answer.text
    return answer.json()


def find(couch, selector, **options):
    answer = requests.post(f"{couch}/_find", json={"selector": selector, **options})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_an_index_sorts_by_the_collation_and_pages_by_bookmark(couch):
    names = ["b", "a", "B", "A", "ä", 7, None, ["x"], {"x": 1}]
    fill(couch, [{"_id": str(at), "name": name} for at, name in enumerate(names)])
    index(couch, ["name"], ddoc="names", name="by-name")
    found, bookmark = [], None
    while True:
        page = find(couch, {"name": {"$exists": True}}, sort=["name"], limit=2, bookmark=bookmark)
        if not page["docs"]:
            break
        found += [doc["name"] for doc in page["docs"]]
        bookmark = page["bookmark"]
    assert found == [None, 7, "a", "A", "ä", "b", "B", ["x"], {"x": 1}]


def test_an_index_is_a_design_document(couch):
    made = index(couch, ["a", {"b": "asc"}], ddoc="d", name="n")
    assert made == {"result": "created", "id": "_design/d", "name": "n"}
    assert index(couch, ["a", {"b": "asc"}], ddoc="d", name="n")["result"] == "exists"
    design = requests.get(f"{couch}/_design/d").json()
    assert design["language"] == "query"
    assert design["views"]["n"]["map"]["fields"] == {"a": "asc", "b": "asc"}
    listed = requests.get(f"{couch}/_index").json()
    assert [index["name"] for index in listed["indexes"]] == ["_all_docs", "n"]
    assert requests.delete(f"{couch}/_index/d/json/n").json() == {"ok": True}
    assert requests.get(f"{couch}/_design/d").status_code == 404


def test_a_partial_index_has_only_what_its_selector_matches(couch):
    fill(couch, [{"_id": str(n), "n": n, "kind": "even" if n % 2 == 0 else "odd"} for n in range(20)])
    partial = {"fields": ["n"], "partial_filter_selector": {"kind": "odd"}}
    requests.post(f"{couch}/_index", json={"index": partial, "ddoc": "odd"})
    found = find(couch, {"n": {"$lt": 6}}, use_index="odd", execution_stats=True)
    assert [doc["n"] for doc in found["docs"]] == [1, 3, 5]
    assert found["execution_stats"]["total_keys_examined"] == 3


def test_an_index_follows_changes(couch):
    index(couch, ["n"])
    fill(couch, [{"_id": "a", "n": 1}, {"_id": "b", "n": 2}])
    rev = requests.get(f"{couch}/a").json()["_rev"]
    assert requests.put(f"{couch}/a", json={"_rev": rev, "n": 3}).status_code == 201
    assert [doc["_id"] for doc in find(couch, {"n": {"$gt": 0}})["docs"]] == ["b", "a"]
    requests.delete(f"{couch}/b", params={"rev": requests.get(f"{couch}/b").json()["_rev"]})
    assert [doc["_id"] for doc in find(couch, {"n": {"$gt": 0}})["docs"]] == ["a"]


def test_what_cannot_be_found_so_is_refused(couch):
    def refused(path, body):
        answer = requests.post(f"{couch}/{path}", json=body)
        return answer.status_code, answer.json()["error"]

    assert refused("_find", {"selector": {}, "sort": ["a"]}) == (400, "no_usable_index")
    assert refused("_find", {"selector": {"a": {"$in": 1}}}) == (400, "bad_arg")
    assert refused("_find", {}) == (400, "missing_required_key")
    assert refused("_find", {"selector": {}, "bookmark": "no"}) == (400, "invalid_bookmark")
    assert refused("_index", {"index": {}, "type": "words"}) == (400, "invalid_index")


def test_without_an_index_there_is_a_warning(couch):
    fill(couch, [{"_id": "a", "n": 1}])
    found = find(couch, {"n": 1}, fields=["n"])
    assert found["docs"] == [{"n": 1}]
    assert found["warning"].startswith("No matching index found")


def test_an_index_of_the_mongodb_protocol_serves_too(client, couch):
    things = client["default"][couch.rsplit("/", 1)[1]]
    things.create_index("n")
    values = [None, True, -1, 0, 5, 5.0, 7, "5", "a", {"x": 5}]
    fill(couch, [{"_id": f"{at:02}", "n": value} for at, value in enumerate(values)] + [{"_id": "none"}])
    fill(couch, [{"_id": f"far{at}", "n": 1000 + at} for at in range(500)])

    def ids(selector, examined_max, **options):
        found = find(couch, selector, execution_stats=True, **options)
        assert found["execution_stats"]["total_keys_examined"] <= examined_max, selector
        assert "No matching index" not in found.get("warning", "")
        return [doc["_id"] for doc in found["docs"]]

    assert ids({"n": 5}, 2) == ["04", "05"]
    assert ids({"n": {"$in": [0, 7]}}, 2) == ["03", "06"]
    # Texts that differ collate alike, so no index by their bytes finds them.
    fill(couch, [{"_id": "soft", "n": "a\u00ad"}])
    assert [doc["_id"] for doc in find(couch, {"n": "a"})["docs"]] == ["08", "soft"]
    assert [doc["_id"] for doc in find(couch, {"n": {"$in": [0, "a"]}})["docs"]] == ["03", "08", "soft"]
    soft = requests.get(f"{couch}/soft").json()
    requests.delete(f"{couch}/soft", params={"rev": soft["_rev"]}).raise_for_status()
    assert ids({"n": {"$gt": 0, "$lte": 7}}, 4) == ["04", "05", "06"]
    assert ids({"n": {"$lt": 0}}, 5) == ["00", "01", "02"]
    assert ids({"n": {"$gt": 1498}}, 10) == ["07", "08", "09", "far499"]
    assert ids({"n": 5, "_id": {"$gt": None}}, 600) == ["04", "05"]
    first = find(couch, {"n": {"$gte": 0, "$lt": 10}}, limit=3)
    assert [doc["_id"] for doc in first["docs"]] == ["03", "04", "05"]
    rest = find(couch, {"n": {"$gte": 0, "$lt": 10}}, bookmark=first["bookmark"])
    assert [doc["_id"] for doc in rest["docs"]] == ["06"]
    # With arrays about, a range that is open to them is not bounded by such an index, and finds them all the same.
    fill(couch, [{"_id": "list", "n": [1]}])
    assert [doc["_id"] for doc in find(couch, {"n": {"$gt": 1498}})["docs"]] == ["07", "08", "09", "far499", "list"]
