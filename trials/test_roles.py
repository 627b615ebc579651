"""Users of few rights try what their roles do not allow."""

from contextlib import contextmanager

import gridfs
import pymongo
import pytest
import requests
from pymongo.errors import OperationFailure
from server import running

USERS = {
    "reader": [{"role": "read", "db": "app"}],
    "writer": [{"role": "readWrite", "db": "app"}],
    "keeper": [{"role": "dbAdmin", "db": "app"}],
    "granter": [{"role": "userAdmin", "db": "app"}],
    "watcher": [{"role": "clusterMonitor", "db": "admin"}],
    "default_reader": [{"role": "read", "db": "default"}],
    "nobody": [],
}
UNAUTHORIZED, UNAUTHENTICATED = 13, 18


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    with running(tmp_path_factory.mktemp("data")) as server:
        with pymongo.MongoClient(server.uri) as first:
            first.admin.command("createUser", "root", pwd="pw", roles=["root"])
        with as_user(server, "root") as root:
            for name, roles in USERS.items():
                root.admin.command("createUser", name, pwd="pw", roles=roles)
            for database in ("app", "other", "default"):
                for collection in ("things", "fs.files", "fs.chunks"):
                    root[database][collection].insert_one({"_id": 1, "secret": "s"})
        yield server


@contextmanager
def as_user(server, name):
    with pymongo.MongoClient(server.uri, username=name, password="pw", authSource="admin") as client:
        yield client


def pipeline(*stages):
    return lambda client: list(client.app.things.aggregate(list(stages)))


def command(database, *words, **options):
    return lambda client: client[database].command(*words, **options)


OTHER = {"db": "other", "coll": "things"}
INTO_OTHER = [{"$unionWith": OTHER}]
# What changes `app`: for those who may only read it.
WRITES = {
    "insert": lambda client: client.app.things.insert_one({}),
    "update": lambda client: client.app.things.update_one({}, {"$set": {"a": 1}}),
    "delete": lambda client: client.app.things.delete_one({}),
    "findAndModify": lambda client: client.app.things.find_one_and_delete({"_id": 1}),
    "bulkWrite": command("admin", {"bulkWrite": 1, "ops": [{"insert": 0, "document": {}}], "nsInfo": [{"ns": "app.things"}]}),
    "$out": pipeline({"$out": "made"}),
    "$merge": pipeline({"$merge": {"into": "made"}}),
    "create": command("app", "create", "made"),
    "a view": command("app", "create", "made", viewOn="things", pipeline=[]),
    "collMod": command("app", "collMod", "things", validator={}),
    "createIndexes": lambda client: client.app.things.create_index("secret"),
    "drop": lambda client: client.app.things.drop(),
    "dropDatabase": lambda client: client.drop_database("app"),
    "renameCollection": lambda client: client.app.things.rename("made"),
    "convertToCapped": command("app", {"convertToCapped": "things", "size": 1000}),
    "cloneCollectionAsCapped": command("app", {"cloneCollectionAsCapped": "things", "toCollection": "made", "size": 1000}),
    "compact": command("app", "compact", "things"),
    "planCacheClear": command("app", "planCacheClear", "things"),
    "GridFS": lambda client: gridfs.GridFS(client.app).put(b"x"),
}
# What reaches beyond `app`: for those whose rights end there.
BEYOND = {
    "find": lambda client: client.other.things.find_one(),
    "find in default": lambda client: client.default.things.find_one(),
    "$lookup": pipeline({"$lookup": {"from": OTHER, "pipeline": [], "as": "x"}}),
    "$unionWith": pipeline(*INTO_OTHER),
    "$unionWith within $lookup": pipeline({"$lookup": {"from": "things", "pipeline": INTO_OTHER, "as": "x"}}),
    "$unionWith within $facet": pipeline({"$facet": {"a": INTO_OTHER}}),
    "$graphLookup": pipeline({"$graphLookup": {"from": OTHER, "startWith": 1, "connectFromField": "a", "connectToField": "_id",
                                               "as": "x"}}),
    "$out": pipeline({"$out": {"db": "other", "coll": "made"}}),
    "$merge": pipeline({"$merge": {"into": {"db": "other", "coll": "made"}}}),
    "explain": command("other", "explain", {"find": "things"}),
    "listCollections": lambda client: client.other.list_collection_names(authorizedCollections=False),
    "listIndexes": lambda client: list(client.other.things.list_indexes()),
    "rename across": command("admin", {"renameCollection": "app.things", "to": "other.made"}),
    "bulkWrite": command("admin", {"bulkWrite": 1, "ops": [{"insert": 0, "document": {}}], "nsInfo": [{"ns": "other.things"}]}),
    "system.users": lambda client: list(client.admin["system.users"].find()),
    "insert into system.users": lambda client: client.admin["system.users"].insert_one({"_id": "x"}),
    "usersInfo": command("admin", "usersInfo", 1),
    "createUser": command("app", "createUser", "made", pwd="x", roles=["root"]),
    "grantRolesToUser": command("admin", "grantRolesToUser", "reader", roles=["root"]),
    "updateUser": command("admin", "updateUser", "reader", roles=["root"]),
    "serverStatus": command("admin", "serverStatus"),
    "currentOp of all": lambda client: list(client.admin.aggregate([{"$currentOp": {"allUsers": True}}])),
    "killOp": command("admin", "killOp", op=1),
    "getLog": command("admin", "getLog", "global"),
    "fsync": command("admin", "fsync"),
    "setParameter": command("admin", "setParameter", 1, notablescan=True),
    "getParameter": command("admin", "getParameter", "*"),
}


def refused(server, user, attempt):
    with as_user(server, user) as client:
        with pytest.raises(OperationFailure) as refusal:
            attempt(client)
        assert refusal.value.code == UNAUTHORIZED, refusal.value


@pytest.mark.parametrize("name", WRITES)
def test_a_reader_writes_nothing(guarded, name):
    refused(guarded, "reader", WRITES[name])


@pytest.mark.parametrize("user", ["reader", "writer", "keeper"])
@pytest.mark.parametrize("name", BEYOND)
def test_rights_end_with_their_database(guarded, user, name):
    refused(guarded, user, BEYOND[name])


def test_a_view_shows_its_reader_no_other_database(guarded):
    with as_user(guarded, "writer") as client:
        with pytest.raises(OperationFailure):
            client.app.create_collection("window", viewOn="things", pipeline=INTO_OTHER)
            list(client.app.window.find())


def test_a_granter_of_one_database_gives_no_rights_in_others(guarded):
    refused(guarded, "granter", command("app", "createUser", "made", pwd="x", roles=[{"role": "root", "db": "admin"}]))
    refused(guarded, "granter", command("admin", "grantRolesToUser", "granter", roles=[{"role": "readWrite", "db": "other"}]))


def test_those_who_keep_or_watch_read_no_documents(guarded):
    for user in ("keeper", "granter", "watcher", "nobody"):
        refused(guarded, user, lambda client: client.app.things.find_one())
    with as_user(guarded, "watcher") as client:
        assert client.admin.command("currentOp")["inprog"]


def test_a_cursor_is_its_users_own(guarded):
    with as_user(guarded, "root") as root:
        root.other.things.insert_many([{} for _ in range(10)])
        cursor = root.other.things.find(batch_size=2)
        next(cursor)
        for database in ("other", "app"):
            with as_user(guarded, "reader") as client, pytest.raises(OperationFailure):
                client[database].command({"getMore": cursor.cursor_id, "collection": "things"})


COUCH = [("GET", "/app%2Fthings/_all_docs", None), ("GET", "/other%2Fthings/_all_docs", None), ("PUT", "/app%2Fthings/x", {}),
         ("POST", "/app%2Fthings/_bulk_docs", {"docs": [{}]}), ("POST", "/app%2Fthings/_find", {"selector": {}}),
         ("PUT", "/made", None), ("DELETE", "/app%2Fthings", None), ("POST", "/_replicate", {"source": "other/things", "target": "app/things"}),
         ("GET", "/_all_dbs", None), ("GET", "/_dbs_info", None), ("GET", "/_node/_local/_config", None),
         ("GET", "/_active_tasks", None),
         ("PUT", "/_users/org.couchdb.user:x", {"name": "x", "type": "user", "roles": ["_admin"], "password": "x"}),
         ("PUT", "/app%2Fthings/_security", {}), ("PUT", "/app%2Fthings/_design/x", {"views": {}}), ("PUT", "/app%2Fthings/_revs_limit", 5),
         ("POST", "/app%2Fthings/_purge", {}), ("POST", "/app%2Fthings/_compact", {}), ("POST", "/app%2Fthings/_index", {"index": {"fields": ["a"]}})]


@pytest.mark.parametrize("method, path, body", COUCH, ids=[f"{method} {path}" for method, path, _ in COUCH])
def test_http_of_users_without_rights(guarded, method, path, body):
    for credentials in (("nobody", "pw"), ("default_reader", "pw"), None):
        answer = requests.request(method, guarded.couch + path, json=body, auth=credentials, timeout=20)
        # 404: there is no such database yet, and none is made.
        assert answer.status_code in (401, 403, 404), (credentials, answer.status_code, answer.text)


FILES = [("GET", "/files/app.fs/x"), ("GET", "/files/app.fs"), ("PUT", "/files/app.fs/x"), ("DELETE", "/files/app.fs/x"), ("POST", "/uploads/app.fs"),
         ("GET", "/metrics")]


@pytest.mark.parametrize("method, path", FILES, ids=[f"{method} {path}" for method, path in FILES])
def test_files_of_users_without_rights(guarded, method, path):
    for credentials in (("nobody", "pw"), None):
        answer = requests.request(method, guarded.url + path, data=b"x", auth=credentials, timeout=20,
                                  headers={"Tus-Resumable": "1.0.0", "Upload-Length": "1"} if "uploads" in path else {})
        assert answer.status_code in (401, 403), (credentials, answer.status_code, answer.text)


def with_and_without(guarded, method, url, **options):
    """What a user without rights, and nobody, are answered."""
    for credentials in (("nobody", "pw"), None):
        yield credentials, requests.request(method, url, auth=credentials, timeout=20, **options)


LINES = '{"index":{}}\n{"a":1}\n'
ELASTIC = [("GET", "/app.things/_search", None), ("GET", "/app.things/_count", None), ("GET", "/app.things/_doc/1", None),
           ("PUT", "/app.things/_doc/2", "{}"), ("POST", "/app.things/_update/1", '{"doc":{}}'), ("DELETE", "/app.things/_doc/1", None),
           ("DELETE", "/app.things", None), ("PUT", "/made", None), ("POST", "/app.things/_delete_by_query", '{"query":{"match_all":{}}}'),
           ("POST", "/app.things/_update_by_query", None), ("POST", "/_reindex", '{"source":{"index":"app.things"},"dest":{"index":"made"}}'),
           ("PUT", "/app.things/_mapping", '{"properties":{}}'), ("PUT", "/app.things/_settings", "{}"), ("PUT", "/_ingest/pipeline/p", '{"processors":[]}'),
           ("PUT", "/_template/t", '{"index_patterns":["x"]}'), ("PUT", "/_index_template/t", '{"index_patterns":["x"]}'),
           ("PUT", "/_ilm/policy/p", '{"policy":{"phases":{}}}'), ("PUT", "/_cluster/settings", '{"persistent":{"search.max_buckets":1}}'),
           ("GET", "/_nodes/stats", None), ("GET", "/_cluster/stats", None), ("GET", "/_cat/nodes", None), ("GET", "/_cat/allocation", None),
           ("GET", "/_cat/thread_pool", None), ("DELETE", "/_search/scroll/_all", None), ("POST", "/app.things/_pit?keep_alive=1m", None)]


@pytest.mark.parametrize("method, path, body", ELASTIC, ids=[f"{method} {path}" for method, path, _ in ELASTIC])
def test_indices_of_users_without_rights(guarded, method, path, body):
    headers = {"Content-Type": "application/json"} if body else {}
    for credentials, answer in with_and_without(guarded, method, guarded.elastic + path, data=body, headers=headers):
        # 404: whoever may not know of an index is told that there is none.
        assert answer.status_code in (401, 403, 404), (credentials, answer.status_code, answer.text)


def test_bulk_requests_of_users_without_rights_write_nothing(guarded):
    headers = {"Content-Type": "application/x-ndjson"}
    for credentials, answer in with_and_without(guarded, "POST", f"{guarded.elastic}/app.things/_bulk", data=LINES, headers=headers):
        refused = answer.status_code in (401, 403) or all(item["index"]["status"] in (403, 404) for item in answer.json()["items"])
        assert refused, (credentials, answer.text)


RIAK = [("GET", "/types/app/buckets/things/keys/1", None), ("PUT", "/types/app/buckets/things/keys/2", b"x"), ("DELETE", "/types/app/buckets/things/keys/1", None),
        ("GET", "/types/app/buckets/things/keys?keys=true", None), ("GET", "/types/app/buckets/things/props", None),
        ("PUT", "/types/app/buckets/things/props", b'{"props":{"allow_mult":true}}'), ("GET", "/types/app/buckets/things/index/$bucket/_", None),
        ("GET", "/types/app/buckets/things/keys?keys=stream", None), ("GET", "/types/app/buckets/things/datatypes/1", None), ("GET", "/stats", None),
        ("POST", "/mapred", b'{"inputs":{"bucket":["app","things"],"key_filters":[["matches","a"]]},"query":[{"map":{"language":"javascript","name":"Riak.mapValues"}}]}')]


@pytest.mark.parametrize("method, path, body", RIAK, ids=[f"{method} {path}" for method, path, _ in RIAK])
def test_buckets_of_users_without_rights(guarded, method, path, body):
    headers = {"Content-Type": "application/json"} if body else {}
    for credentials, answer in with_and_without(guarded, method, guarded.riak + path, data=body, headers=headers):
        assert answer.status_code in (401, 403), (credentials, answer.status_code, answer.text)


def test_tasks_are_shown_to_their_owners_and_to_those_who_watch(guarded):
    slow = "/app.things/_update_by_query?wait_for_completion=false&requests_per_second=0.1&scroll_size=1"
    things = [{"_id": f"slow {at}"} for at in range(20)]
    with as_user(guarded, "root") as root:
        root.app.things.insert_many(things)
        task = requests.post(guarded.elastic + slow, auth=("writer", "pw"), timeout=20).json()["task"]
        sees = {"writer": True, "root": True, "watcher": True, "reader": False, "nobody": False}
        for user, is_seen in sees.items():
            for path in ("/_tasks", "/_cat/tasks", f"/_tasks/{task}"):
                answer = requests.get(guarded.elastic + path, auth=(user, "pw"), timeout=20)
                assert ("byquery" in answer.text) == is_seen, (user, path, answer.text)
        with as_user(guarded, "writer") as writer:
            own = list(writer.admin.aggregate([{"$currentOp": {}}]))
            assert any("_update_by_query" in str(operation.get("command")) for operation in own), own
        for user, status in (("reader", 404), ("watcher", 403), ("writer", 200)):
            answer = requests.post(f"{guarded.elastic}/_tasks/{task}/_cancel", auth=(user, "pw"), timeout=20)
            assert answer.status_code == status, (user, answer.text)
        root.app.things.delete_many({"_id": {"$in": [thing["_id"] for thing in things]}})


def test_without_a_login_nothing_is_told(guarded):
    with pymongo.MongoClient(guarded.uri) as client:
        for name in client.admin.command("listCommands")["commands"]:
            try:
                client.app.command({name: 1, "pipeline": [], "cursor": {}} if name == "aggregate" else {name: 1})
            except OperationFailure as refusal:
                assert refusal.code != 0, name
                continue
            assert name in OPEN, f"{name} answers before login"


# What drivers ask before they log in, and logging in itself.
OPEN = {"hello", "isMaster", "ismaster", "ping", "buildInfo", "buildinfo", "listCommands", "logout", "saslStart", "saslContinue", "getnonce",
        "connectionStatus", "whatsmyuri", "endSessions", "refreshSessions", "startSession", "isdbgrid", "connPoolSync"}
