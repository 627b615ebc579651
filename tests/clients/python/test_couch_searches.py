"""Full-text searches of design documents over HTTP, as CouchDB's Nouveau answers them."""

import pytest
import requests

DRINKS = [
    {"_id": "tea", "name": "green tea", "price": 4, "hot": True},
    {"_id": "coffee", "name": "black coffee", "price": 3.5, "hot": True},
    {"_id": "juice", "name": "green apple juice", "price": 12},
    {"_id": "water", "name": "water", "price": 0},
]
INDEX = """function (doc) {
  index("text", "name", doc.name, {store: true});
  index("string", "exact", doc.name);
  index("double", "price", doc.price, {store: true});
}"""


@pytest.fixture
def drinks(couch):
    design = {"nouveau": {"by": {"default_analyzer": "standard", "index": INDEX}}}
    assert requests.put(f"{couch}/_design/drinks", json=design).status_code == 201
    assert requests.post(f"{couch}/_bulk_docs", json={"docs": DRINKS}).status_code == 201
    return f"{couch}/_design/drinks/_nouveau/by"


def found(url, **body):
    answer = requests.post(url, json={"q": "*:*", **body})
    assert answer.status_code == 200, answer.text
    return answer.json()


def ids(answer):
    return [hit["id"] for hit in answer["hits"]]


@pytest.mark.parametrize(
    "query, expected",
    [
        ("*:*", ["coffee", "juice", "tea", "water"]),
        ("name:green", ["juice", "tea"]),
        ('name:"green tea"', ["tea"]),
        ("name:green AND NOT name:tea", ["juice"]),
        ("+name:green -name:juice", ["tea"]),
        ("price:[3 TO 4]", ["coffee", "tea"]),
        ("price:[* TO 4}", ["coffee", "water"]),
        ("name:coff*", ["coffee"]),
        ("name:watr~", ["water"]),
        ("name:(tea OR water)", ["tea", "water"]),
        ("name:nothing", []),
    ],
)
def test_a_query_finds_its_documents_by_get_and_post(drinks, query, expected):
    by_post = found(drinks, q=query)
    assert (sorted(ids(by_post)), by_post["total_hits"]) == (expected, len(expected))
    by_get = requests.get(drinks, params={"q": query}).json()
    assert ids(by_get) == ids(by_post)


@pytest.mark.parametrize(
    "sort, expected",
    [
        ("price<double>", ["water", "coffee", "tea", "juice"]),
        ("-price<double>", ["juice", "tea", "coffee", "water"]),
        ("price", ["water", "coffee", "tea", "juice"]),
        ("exact<string>", ["coffee", "juice", "tea", "water"]),
        (["-exact<string>"], ["water", "tea", "juice", "coffee"]),
    ],
)
def test_hits_are_sorted(drinks, sort, expected):
    assert ids(found(drinks, sort=sort)) == expected


def test_pages_go_on_by_bookmarks(drinks):
    first = found(drinks, limit=3)
    second = found(drinks, limit=3, bookmark=first["bookmark"])
    assert ids(first) + ids(second) == ["coffee", "juice", "tea", "water"]
    assert ids(found(drinks, limit=3, bookmark=second["bookmark"])) == []


def test_facets_are_counted(drinks):
    ranges = {"price": [{"label": "cheap", "max": 4}, {"label": "dear", "min": 4, "min_inclusive": False}]}
    answer = found(drinks, counts=["exact"], ranges=ranges, q="name:green")
    assert answer["counts"] == {"exact": {"green apple juice": 1, "green tea": 1}}
    assert answer["ranges"] == {"price": {"cheap": 1, "dear": 1}}


def test_hits_have_what_is_stored_and_their_documents(drinks):
    hit = found(drinks, q="name:coffee", include_docs=True)["hits"][0]
    assert hit["fields"] == {"name": "black coffee", "price": 3.5}
    assert hit["doc"]["_id"] == "coffee" and hit["doc"]["hot"] is True


def test_a_search_sees_what_was_written_before_it(drinks, couch):
    water = requests.get(f"{couch}/water").json()
    requests.put(f"{couch}/water", json={**water, "name": "sparkling water"})
    assert ids(found(drinks, q="name:sparkling")) == ["water"]
    tea = requests.get(f"{couch}/tea").json()
    requests.delete(f"{couch}/tea", params={"rev": tea["_rev"]})
    assert found(drinks)["total_hits"] == 3
    # Of two branches the winner counts, once.
    branch = {"_id": "juice", "_rev": "1-ffffffffffffffffffffffffffffffff", "name": "cloudy juice", "price": 1}
    requests.post(f"{couch}/_bulk_docs", json={"docs": [branch], "new_edits": False})
    assert ids(found(drinks, q="name:juice")) == ["juice"]
    assert ids(found(drinks, q="name:cloudy")) == ["juice"]


def test_an_index_tells_of_itself(drinks, couch):
    info = requests.get(drinks.replace("_nouveau", "_nouveau_info")).json()
    assert info["name"] == "_design/drinks/by" and info["search_index"]["num_docs"] == 4
    base = couch.rsplit("/", 1)[0]
    tokens = requests.post(f"{base}/_nouveau_analyze", json={"analyzer": "english", "text": "running"}).json()
    assert tokens == {"tokens": ["run"]}


@pytest.mark.parametrize("body, status", [({"q": "name:("}, 400), ({"q": 1}, 400), ({"q": "*:*", "limit": -1}, 400), ({}, 400)])
def test_what_is_no_search_is_refused(drinks, body, status):
    answer = requests.post(drinks, json=body)
    assert (answer.status_code, set(answer.json())) == (status, {"error", "reason"})


def test_an_index_that_is_not_there_is_not_found(drinks):
    assert requests.post(drinks + "x", json={"q": "*:*"}).status_code == 404
