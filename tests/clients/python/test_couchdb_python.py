"""couchdb-python, unmodified, against the CouchDB protocol."""

import couchdb
import pytest


@pytest.fixture
def database(couch):
    address, name = couch.rsplit("/", 1)
    return couchdb.Server(address)[name]


def test_documents_are_written_read_and_deleted(database):
    database["a"] = {"n": 1}
    document = database["a"]
    document["n"] = 2
    database.save(document)
    assert database["a"]["n"] == 2
    assert "a" in database and len(database) == 1
    del database["a"]
    assert "a" not in database
    with pytest.raises(couchdb.ResourceNotFound):
        database["a"]


def test_a_superseded_revision_conflicts(database):
    identity, revision = database.save({"_id": "a", "n": 1})
    database.save({"_id": identity, "_rev": revision, "n": 2})
    with pytest.raises(couchdb.ResourceConflict):
        database.save({"_id": identity, "_rev": revision, "n": 3})


def test_many_documents_are_written_at_once(database):
    written = database.update([{"_id": str(n), "n": n} for n in range(10)])
    assert all(ok for ok, _, _ in written)
    rows = database.view("_all_docs", startkey="3", endkey="5", include_docs=True)
    assert [row.doc["n"] for row in rows] == [3, 4, 5]


def test_views_are_queried_by_key(database):
    view = {"map": "function (doc) { emit(doc.kind, doc.n); }", "reduce": "_sum"}
    database["_design/kinds"] = {"views": {"by_kind": view}}
    database.update([{"kind": kind, "n": n} for n, kind in enumerate("abab")])
    rows = database.view("kinds/by_kind", reduce=False, key="a")
    assert sorted(row.value for row in rows) == [0, 2]
    grouped = database.view("kinds/by_kind", group=True)
    assert {row.key: row.value for row in grouped} == {"a": 2, "b": 4}


def test_documents_are_found_by_a_selector(database):
    database.update([{"_id": str(n), "n": n} for n in range(5)])
    found = database.find({"selector": {"n": {"$gt": 2}}})
    assert sorted(document["n"] for document in found) == [3, 4]


def test_attachments_are_put_and_read(database):
    database["a"] = {}
    database.put_attachment(database["a"], b"hello", "greeting.txt", "text/plain")
    assert database.get_attachment("a", "greeting.txt").read() == b"hello"


def test_changes_are_followed(database):
    database["a"] = {}
    changes = database.changes(since=0, include_docs=True)
    assert [change["id"] for change in changes["results"]] == ["a"]
    feed = database.changes(feed="continuous", heartbeat=1000, since=changes["last_seq"])
    database["b"] = {}
    assert next(change for change in feed if change)["id"] == "b"


def test_databases_are_replicated(server, database):
    database.update([{"_id": str(n)} for n in range(20)])
    connection = couchdb.Server(server.couch)
    source, target = (f"{server.couch}/{name}" for name in (database.name, "replica"))
    connection.replicate(source, target, create_target=True)
    assert len(connection["replica"]) == 20
    connection.delete("replica")


def test_a_document_is_copied(database):
    database["a"] = {"n": 1}
    database.copy("a", "b")
    assert database["b"]["n"] == 1
