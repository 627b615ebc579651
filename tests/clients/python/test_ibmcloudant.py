"""ibmcloudant, unmodified, against the CouchDB protocol: it compresses what it sends."""

import pytest
from ibm_cloud_sdk_core import ApiException
from ibm_cloud_sdk_core.authenticators import NoAuthAuthenticator
from ibmcloudant.cloudant_v1 import (
    Analyzer,
    AnalyzerConfiguration,
    BulkDocs,
    CloudantV1,
    DesignDocument,
    DesignDocumentViewsMapReduce,
    Document,
    IndexDefinition,
    IndexField,
    SearchIndexDefinition,
)
from ibmcloudant.features.changes_follower import ChangesFollower


@pytest.fixture
def service(server):
    service = CloudantV1(authenticator=NoAuthAuthenticator())
    service.set_service_url(server.couch)
    return service


@pytest.fixture
def database(couch):
    return couch.rsplit("/", 1)[1]


def test_documents_are_written_read_updated_and_deleted(service, database):
    assert service.get_server_information().get_result()["couchdb"] == "Welcome"
    first = service.post_document(database, Document(_id="example:1", name="Bob", joined="2019")).get_result()
    assert first["ok"] is True
    document = service.get_document(database, "example:1").get_result()
    document["address"] = "19 Front Street"
    second = service.post_document(database, document).get_result()
    assert second["rev"].startswith("2-")
    with pytest.raises(ApiException) as conflict:
        service.post_document(database, {**document, "_rev": first["rev"]})
    assert conflict.value.status_code == 409
    assert service.delete_document(database, "example:1", rev=second["rev"]).get_result()["ok"] is True
    with pytest.raises(ApiException) as missing:
        service.get_document(database, "example:1")
    assert missing.value.status_code == 404


def test_many_documents_are_written_listed_and_followed(service, database):
    documents = [Document(_id=f"d{n:03}", n=n, text="x" * 100) for n in range(500)]
    written = service.post_bulk_docs(database, BulkDocs(docs=documents)).get_result()
    assert len(written) == 500 and all(entry["ok"] for entry in written)
    rows = service.post_all_docs(database, include_docs=True, start_key="d100", limit=3).get_result()["rows"]
    assert [row["doc"]["n"] for row in rows] == [100, 101, 102]
    follower = ChangesFollower(service, db=database)
    assert {item.id for item in follower.start_one_off()} == {f"d{n:03}" for n in range(500)}


def test_views_and_indexes_are_queried(service, database):
    service.post_bulk_docs(database, BulkDocs(docs=[Document(_id=str(n), n=n) for n in range(10)]))
    view = DesignDocumentViewsMapReduce(map="function (doc) { emit(doc.n % 2, doc.n) }", reduce="_sum")
    service.put_design_document(database, "parity", DesignDocument(views={"sum": view}))
    rows = service.post_view(database, "parity", "sum", group=True).get_result()["rows"]
    assert rows == [{"key": 0, "value": 20}, {"key": 1, "value": 25}]
    index = IndexDefinition(fields=[IndexField(n="asc")])
    assert service.post_index(database, index=index, name="by-n", type="json").get_result()["result"] == "created"
    found = service.post_find(database, selector={"n": {"$gt": 7}}, fields=["n"]).get_result()
    assert found["docs"] == [{"n": 8}, {"n": 9}]


def test_attachments_come_back_as_they_were(service, database):
    content = b"detailed description of the product\n" * 1000
    service.put_attachment(database, "product", "detail.txt", attachment=content, content_type="text/plain")
    assert service.get_attachment(database, "product", "detail.txt").get_result().content == content


USERS = "function (doc) { index('default', doc._id); if (doc.email) index('email', doc.email, {store: true}); if (doc.age) index('age', doc.age, {facet: true}); if (doc.town) index('town', doc.town, {store: true, facet: true}); }"


def users(service, database):
    """As in Cloudant's documentation of searches, with an analyzer of its own for addresses."""
    index = SearchIndexDefinition(index=USERS, analyzer=AnalyzerConfiguration(name="perfield", default=Analyzer(name="standard"), fields={"email": Analyzer(name="keyword")}))
    service.put_design_document(database, "users", DesignDocument(indexes={"find": index}))
    towns = ("Bath", "Leeds", "York")
    people = [Document(_id=f"user:{n:02}", email=f"u{n}@example.com", age=20 + n, town=towns[n % 3]) for n in range(30)]
    service.post_bulk_docs(database, BulkDocs(docs=people))


def test_searches_find_page_and_count(service, database):
    users(service, database)
    one = service.post_search(database, ddoc="users", index="find", query="email:u7@example.com").get_result()
    assert one["total_rows"] == 1 and one["rows"][0]["id"] == "user:07"
    assert one["rows"][0]["fields"] == {"email": "u7@example.com", "town": "Leeds"}
    found, bookmark = [], None
    while True:
        page = service.post_search(database, "users", "find", query="town:York", sort=["-age<number>"], limit=4, bookmark=bookmark).get_result()
        if not page["rows"]:
            break
        found += [row["id"] for row in page["rows"]]
        bookmark = page["bookmark"]
    assert found == [f"user:{n:02}" for n in range(29, 0, -3)] and page["total_rows"] == 10
    counted = service.post_search(database, "users", "find", query="age:[25 TO 34]", counts=["town"], ranges={"age": {"young": "[20 TO 29]", "old": "[30 TO 49]"}}, limit=0)
    counted = counted.get_result()
    assert counted["counts"] == {"town": {"Bath": 3.0, "Leeds": 3.0, "York": 4.0}}
    assert counted["ranges"] == {"age": {"young": 5.0, "old": 5.0}}
    service.delete_document(database, "user:07", rev=service.get_document(database, "user:07").get_result()["_rev"])
    assert service.post_search(database, "users", "find", query="email:u7@example.com").get_result()["total_rows"] == 0


def test_searches_show_documents_and_their_index(service, database):
    users(service, database)
    whole = service.post_search(database, "users", "find", query="town:Bath AND age:20", include_docs=True).get_result()
    assert [row["doc"]["email"] for row in whole["rows"]] == ["u0@example.com"]
    info = service.get_search_info(database, "users", "find").get_result()
    assert info["name"] == "_design/users/find" and info["search_index"]["doc_count"] == 30
    tokens = service.post_search_analyze("english", "running dogs").get_result()["tokens"]
    assert tokens == ["run", "dog"]
    with pytest.raises(ApiException) as wrong:
        service.post_search(database, "users", "find", query="town:(")
    assert wrong.value.status_code == 400
    with pytest.raises(ApiException) as missing:
        service.post_search(database, "users", "nothing", query="a")
    assert missing.value.status_code == 404


def test_searches_group_and_mark(service, database):
    plants(service, database)
    found = service.post_search(
        database, "s", "plants", "sun", group_field="kind", group_sort=["-price"], sort=["price"], highlight_fields=["text"],
        highlight_pre_tag="**", highlight_post_tag="**",
    ).get_result()
    assert found["total_rows"] == 3
    assert [(group["by"], group["total_rows"]) for group in found["groups"]] == [("tree", 1), ("herb", 2)]
    assert [row["id"] for row in found["groups"][1]["rows"]] == ["sage", "thyme"]
    assert found["groups"][1]["rows"][0]["highlights"] == {"text": ["Sage likes **sun** and stones"]}


def test_text_indexes_answer_queries(service, database):
    plants(service, database)
    fields = [IndexField(name="kind", type="string"), IndexField(name="price", type="number")]
    definition = IndexDefinition(default_field={"enabled": True, "analyzer": "english"}, fields=fields)
    made = service.post_index(database, definition, ddoc="t", name="plants", type="text").get_result()
    assert made["result"] == "created"
    selector = {"$text": "stone OR thyme", "kind": "herb", "price": {"$lt": 3}}
    explained = service.post_explain(database, selector, sort=[{"price:number": "desc"}]).get_result()
    assert explained["index"]["type"] == "text"
    found = service.post_find(database, {"kind": "herb", "price": {"$gt": 0}}, sort=[{"price:number": "desc"}], fields=["_id"]).get_result()
    assert [document["_id"] for document in found["docs"]] == ["thyme", "sage"]


def plants(service, database):
    texts = {"thyme": ("herb", 3, "Thyme likes the sun"), "sage": ("herb", 1, "Sage likes sun and stones"), "pear": ("tree", 90, "Much sun")}
    documents = [Document(_id=id, kind=kind, price=price, text=text) for id, (kind, price, text) in texts.items()]
    service.post_bulk_docs(database, BulkDocs(docs=documents))
    function = "function (doc) { index('kind', doc.kind, {store: true}); index('price', doc.price); index('text', doc.text, {store: true}); index('default', doc.text); }"
    plants = SearchIndexDefinition(analyzer=AnalyzerConfiguration(name="standard"), index=function)
    service.put_design_document(database, "s", DesignDocument(indexes={"plants": plants}))
