"""What the data folders in tests/fixtures hold: `write` fills a server's folder, `check` looks for all of it again.

    LARDER_BINARY=… python format_content.py FOLDER    fills FOLDER: the half of it in tables, the other half only in the log
"""

import struct
import sys
from datetime import datetime, timezone

import bson
import gridfs
import pymongo
import requests
from bson import Binary, Code, Decimal128, Int64, MaxKey, MinKey, ObjectId, Regex, Timestamp
from bson.binary import UuidRepresentation
from bson.codec_options import CodecOptions
from bson.raw_bson import RawBSONDocument

LOGIN = ("root", "secret")
DOCUMENTS = 120
LARGE_BYTES = 200_000
RAW = CodecOptions(document_class=RawBSONDocument)

# Each with what makes the server use it, and how many of the documents that finds.
INDEXES = {
    "plain": ([("n", 1), ("group", -1)], {}, {"n": {"$gte": 100}}, 20),
    "unique": ([("code", 1)], {"unique": True}, {"code": "code-7"}, 1),
    "sparse": ([("rare", 1)], {"sparse": True}, {"rare": {"$gt": 0}}, 11),
    "partial": ([("group", 1)], {"partialFilterExpression": {"n": {"$gt": 50}}}, {"group": 1, "n": {"$gt": 60}}, 20),
    "expiring": ([("at", 1)], {"expireAfterSeconds": 2_000_000_000}, {"at": {"$lt": datetime(2024, 1, 11)}}, 48),
    "hashed": ([("group", "hashed")], {}, {"group": 2}, 40),
    "wildcard": ([("any.$**", 1)], {}, {"any.x": 5}, 1),
    "arrays": ([("tags", 1)], {}, {"tags": "t3"}, 24),
    "collation": ([("word", 1)], {"collation": {"locale": "en", "strength": 2}}, {"word": "WORD-9"}, 1),
    "sphere": ([("place", "2dsphere")], {}, {"place": {"$geoWithin": {"$centerSphere": [[10, 5], 0.08]}}}, 9),
    "text": ([("word", "text")], {}, None, None),
}


def document(n):
    made = {"_id": n, "n": n, "group": n % 3, "code": f"code-{n}", "word": f"Word-{n}", "tags": [f"t{n % 5}", "all"],
            "at": datetime(2024, 1, 1 + n % 28, tzinfo=timezone.utc) if n >= 28 or n < 10 else None,
            "any": {"x": n, "y": [n, {"z": str(n)}]}, "place": {"type": "Point", "coordinates": [n, n / 2]}}
    return made | ({"rare": n} if n % 10 == 0 else {})


def every_type():
    """A document with each type of BSON, those included that no driver writes any more."""
    id = ObjectId("0123456789abcdef01234567")
    known = {"_id": id, "double": 1.5, "nan": float("nan"), "string": "text\0 é", "document": {"a": {"b": 1}},
             "array": [1, "x", [None]], "binary": Binary(b"\x00\xff", 0), "uuid": Binary(bytes(range(16)), 4),
             "old": Binary(b"old", 2), "yes": True, "no": False, "date": datetime(1969, 12, 31, tzinfo=timezone.utc),
             "null": None, "regex": Regex("^a/b", "im"), "code": Code("f()"), "scoped": Code("g()", {"a": 1}),
             "int": -7, "timestamp": Timestamp(1, 2), "long": Int64(1 << 40), "decimal": Decimal128("1.50"),
             "least": MinKey(), "most": MaxKey()}
    body = bson.encode(known)[4:-1] + b"\x06undefined\0" + b"\x0esymbol\0" + struct.pack("<i", 2) + b"s\0"
    body += b"\x0cpointer\0" + struct.pack("<i", 4) + b"d.c\0" + id.binary
    return RawBSONDocument(struct.pack("<i", len(body) + 5) + body + b"\0")


def answered(answer, *statuses):
    assert answer.status_code in (statuses or (200, 201, 202)), answer.text
    return answer


def write_collections(client):
    kept = client.kept
    kept.get_collection("types", RAW).insert_one(every_type())
    indexed = kept.indexed
    for name, (key, options, *_) in INDEXES.items():
        indexed.create_index(key, name=name, **options)
    indexed.insert_many([document(n) for n in range(DOCUMENTS)])
    # Records that were changed, and one that was deleted.
    indexed.update_many({"n": {"$lt": 5}}, {"$set": {"changed": True}})
    indexed.insert_one(document(DOCUMENTS))
    indexed.delete_one({"_id": DOCUMENTS})
    kept.large.insert_one({"_id": 1, "text": "large " * (LARGE_BYTES // 6)})
    kept.create_collection("capped", capped=True, size=10_000, max=3)
    kept.capped.insert_many([{"_id": n} for n in range(5)])
    kept.create_collection("valid", validator={"n": {"$type": "int"}})
    kept.valid.insert_one({"n": 1})
    kept.create_collection("seen", viewOn="indexed", pipeline=[{"$match": {"n": {"$lt": 3}}}, {"$project": {"n": 1}}])


def write_couch(url):
    answered(requests.put(f"{url}/notes"))
    leaves = [{"_id": "conflict", "_rev": f"2-{leaf * 32}", "leaf": leaf,
               "_revisions": {"start": 2, "ids": [leaf * 32, "0" * 32]}} for leaf in "abc"]
    answered(requests.post(f"{url}/notes/_bulk_docs", json={"new_edits": False, "docs": leaves}))
    for n in range(40):
        answered(requests.put(f"{url}/notes/note-{n:02}", json={"n": n, "even": n % 2 == 0}))
    for n in range(3):
        rev = requests.get(f"{url}/notes/note-00").json()["_rev"]
        answered(requests.put(f"{url}/notes/note-00", json={"_rev": rev, "n": 0, "even": True, "edit": n}))
    rev = requests.get(f"{url}/notes/note-39").json()["_rev"]
    answered(requests.delete(f"{url}/notes/note-39", params={"rev": rev}))
    answered(requests.put(f"{url}/notes/_local/mark", json={"at": 7}))
    rev = requests.get(f"{url}/notes/note-01").json()["_rev"]
    answered(requests.put(f"{url}/notes/note-01/a.txt", params={"rev": rev}, data=b"attached",
                          headers={"Content-Type": "text/plain"}))
    answered(requests.put(f"{url}/notes/_design/by", json={"views": {"even": {
        "map": "function (d) { if ('even' in d) emit(d.even, d.n) }", "reduce": "_sum"}}}))
    answered(requests.get(f"{url}/notes/_design/by/_view/even"))
    answered(requests.post(f"{url}/notes/_index", json={"index": {"fields": ["n"]}, "name": "n", "ddoc": "mango"}))
    answered(requests.put(f"{url}/parts", params={"partitioned": "true"}))
    answered(requests.put(f"{url}/parts/one:a", json={"n": 1}))
    answered(requests.put(f"{url}/parts/two:a", json={"n": 2}))


def write_files(client, url):
    bucket = gridfs.GridFSBucket(client.kept)
    bucket.upload_from_stream("driver.bin", b"driver" * 50_000, metadata={"by": "driver"})
    answered(requests.put(f"{url}/files/kept.web/web.txt", data=b"web" * 1000))


def write_users(client, couch):
    client.admin.command("createUser", LOGIN[0], pwd=LOGIN[1], roles=["root"])
    answered(requests.put(f"{couch}/_users", auth=LOGIN), 201, 412)
    bert = {"name": "bert", "password": "pw", "roles": ["reader"], "type": "user"}
    answered(requests.put(f"{couch}/_users/org.couchdb.user:bert", json=bert, auth=LOGIN))


def check(server):
    """Looks for everything, then goes on writing."""
    with pymongo.MongoClient(server.uri, username=LOGIN[0], password=LOGIN[1]) as client:
        check_collections(client.kept)
        check_files(client, server.url)
        check_couch(server.couch)
        everything = [client[database][name] for database in client.list_database_names()
                      for name in client[database].list_collection_names(filter={"type": "collection"})]
        assert len(everything) > 10
        for collection in everything:
            report = collection.database.command("validate", collection.name, full=True)
            assert report["valid"], report
        client.kept.indexed.insert_one(document(-1))
        client.kept.indexed.delete_one({"_id": -1})


def check_collections(kept):
    assert kept.get_collection("types", RAW).find_one().raw == every_type().raw
    indexed = kept.indexed
    utc = kept.get_collection("indexed", CodecOptions(tz_aware=True, uuid_representation=UuidRepresentation.STANDARD))
    changed = [document(n) | ({"changed": True} if n < 5 else {}) for n in range(DOCUMENTS)]
    assert list(utc.find(sort=[("_id", 1)])) == changed
    information = indexed.index_information()
    assert information.keys() == INDEXES.keys() | {"_id_"}
    for name, (key, options, query, count) in INDEXES.items():
        if query is None:
            continue
        more = {"collation": options["collation"]} if "collation" in options else {}
        found = list(indexed.find(query, hint=name, **more))
        assert len(found) == count, (name, len(found))
        assert {one["_id"] for one in found} == {one["_id"] for one in indexed.find(query, hint=[("$natural", 1)], **more)}
    assert len(kept.large.find_one()["text"]) == LARGE_BYTES // 6 * 6
    assert [one["_id"] for one in kept.capped.find()] == [2, 3, 4]
    assert kept.valid.count_documents({"n": 1}) == 1
    try:
        kept.valid.insert_one({"n": "x"})
        raise AssertionError("the validator is gone")
    except pymongo.errors.WriteError as error:
        assert error.code == 121
    assert [one["n"] for one in kept.seen.find()] == [0, 1, 2]


def check_files(client, url):
    bucket = gridfs.GridFSBucket(client.kept)
    with bucket.open_download_stream_by_name("driver.bin") as stream:
        assert (stream.read(), stream.metadata) == (b"driver" * 50_000, {"by": "driver"})
    assert answered(requests.get(f"{url}/files/kept.web/web.txt", auth=LOGIN)).content == b"web" * 1000


def check_couch(url):
    def get(path, **parameters):
        return answered(requests.get(f"{url}/{path}", params=parameters, auth=LOGIN)).json()

    winner = get("notes/conflict", conflicts="true", revs="true")
    assert (winner["leaf"], winner["_rev"]) == ("c", "2-" + "c" * 32)
    assert winner["_conflicts"] == ["2-" + "b" * 32, "2-" + "a" * 32]
    assert winner["_revisions"] == {"start": 2, "ids": ["c" * 32, "0" * 32]}
    assert get("notes/conflict", rev="2-" + "a" * 32)["leaf"] == "a"
    edited = get("notes/note-00", revs_info="true")
    assert (edited["edit"], [one["status"] for one in edited["_revs_info"]]) == (2, ["available"] * 4)
    gone = requests.get(f"{url}/notes/note-39", auth=LOGIN)
    assert (gone.status_code, gone.json()["reason"]) == (404, "deleted")
    changes = {one["id"]: one for one in get("notes/_changes")["results"]}
    assert changes["note-39"]["deleted"] and len(changes) == 43, len(changes)
    assert get("notes/_local/mark")["at"] == 7
    assert requests.get(f"{url}/notes/note-01/a.txt", auth=LOGIN).content == b"attached"
    groups = get("notes/_design/by/_view/even", group="true")["rows"]
    assert groups == [{"key": False, "value": sum(range(1, 39, 2))}, {"key": True, "value": sum(range(0, 39, 2))}]
    query = {"selector": {"n": {"$gt": 36}}, "use_index": ["_design/mango", "n"], "execution_stats": True}
    found = answered(requests.post(f"{url}/notes/_find", json=query, auth=LOGIN)).json()
    assert [one["_id"] for one in found["docs"]] == ["note-37", "note-38"] and "warning" not in found, found
    assert [row["id"] for row in get("parts/_partition/two/_all_docs")["rows"]] == ["two:a"]
    session = answered(requests.get(f"{url}/_session", auth=("bert", "pw"))).json()
    assert session["userCtx"] == {"name": "bert", "roles": ["reader"]}


def write(folder):
    from server import Server, running

    with running(folder) as server, pymongo.MongoClient(server.uri) as client:
        write_collections(client)
        write_couch(server.couch)
    server = Server(folder)
    try:
        with pymongo.MongoClient(server.uri) as client:
            write_files(client, server.url)
            write_users(client, server.couch)
    finally:
        server.kill()


if __name__ == "__main__":
    write(sys.argv[1])
