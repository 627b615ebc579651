"""Authentication and rights in the CouchDB protocol."""

import base64
import hashlib
import hmac
import json
import socket
import time

import pymongo
import pytest
import requests

from server import running

ROOT = ("root", "secret")


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signed_token(key, **claims):
    head = encoded(json.dumps({"alg": "HS256", "typ": "JWT"}).encode())
    body = encoded(json.dumps(claims).encode())
    code = hmac.new(key, f"{head}.{body}".encode(), hashlib.sha256).digest()
    return f"{head}.{body}.{encoded(code)}"


def configure(server, section, name, text):
    url = f"{server.couch}/_node/_local/_config/{section}/{name}"
    assert requests.put(url, json=text, auth=ROOT).status_code == 200


def user(name, **more):
    return {"name": name, "password": "pw", "roles": [], "type": "user", **more}


@pytest.fixture
def guarded(tmp_path):
    """A server with an administrator and the users Anna and Bert."""
    with running(tmp_path) as server:
        requests.put(f"{server.couch}/_node/_local/_config/admins/root", json="secret")
        requests.put(f"{server.couch}/_users", auth=ROOT)
        for name in ["anna", "bert"]:
            url = f"{server.couch}/_users/org.couchdb.user:{name}"
            assert requests.put(url, json=user(name), auth=ROOT).status_code == 201
        yield server


def test_users_read_and_change_their_own_document_alone(guarded):
    own = f"{guarded.couch}/_users/org.couchdb.user:anna"
    other = f"{guarded.couch}/_users/org.couchdb.user:bert"
    anna = ("anna", "pw")
    document = requests.get(own, auth=anna).json()
    assert "password" not in document and len(document["derived_key"]) == 64
    changed = requests.put(own, json={**document, "password": "new"}, auth=anna)
    assert changed.status_code == 201
    assert requests.get(own, auth=("anna", "pw")).status_code == 401
    anna = ("anna", "new")
    assert requests.get(own, auth=anna).status_code == 200
    assert requests.get(other, auth=anna).status_code == 404
    assert requests.put(other, json=user("bert"), auth=anna).status_code == 404
    assert requests.get(f"{guarded.couch}/_users/_all_docs", auth=anna).status_code == 401
    assert requests.get(f"{guarded.couch}/_users/_changes", auth=anna).status_code == 401
    assert requests.get(f"{guarded.couch}/_users/_design/_auth", auth=anna).status_code == 403


def test_users_are_shown_what_functions_make_of_their_own_document(guarded):
    design = {"shows": {"name": "function (doc, req) {return doc ? doc.name : 'nobody'}"}}
    url = f"{guarded.couch}/_users/_design/u"
    assert requests.put(url, json=design, auth=ROOT).status_code == 201
    show = f"{url}/_show/name"
    answers = {
        f"{show}/org.couchdb.user:anna": (200, "anna"),
        f"{show}/org.couchdb.user:bert": (404, None),
        f"{show}/_design/u": (403, None),
        show: (200, "nobody"),
        url: (403, None),
    }
    for path, (status, text) in answers.items():
        answer = requests.get(path, auth=("anna", "pw"))
        assert answer.status_code == status, (path, answer.text)
        assert text is None or answer.text == text


def test_names_of_databases_are_for_administrators_unless_a_setting_says_otherwise(guarded):
    names = f"{guarded.couch}/_all_dbs"
    for path in ("_all_dbs", "_membership", "_dbs_info"):
        for auth in (None, ("anna", "pw")):
            refused = requests.get(f"{guarded.couch}/{path}", auth=auth)
            assert (refused.status_code, refused.json()["error"]) == (401, "unauthorized")
        assert requests.get(f"{guarded.couch}/{path}", auth=ROOT).status_code == 200
    assert "_users" in requests.get(names, auth=ROOT).json()
    configure(guarded, "chttpd", "admin_only_all_dbs", "false")
    assert "_users" in requests.get(names).json()
    # Of those that nobody is shown, nothing is told.
    assert requests.get(f"{guarded.couch}/_dbs_info").json() == []


def test_users_do_not_give_themselves_roles(guarded):
    own = f"{guarded.couch}/_users/org.couchdb.user:anna"
    document = requests.get(own, auth=("anna", "pw")).json()
    refused = requests.put(own, json={**document, "roles": ["boss"]}, auth=("anna", "pw"))
    assert (refused.status_code, refused.json()["reason"]) == (403, "Only _admin may edit roles")
    refused = requests.post(
        f"{guarded.couch}/_users/_bulk_docs", json={"docs": [user("eve", roles=["boss"])]}
    )
    assert refused.status_code in (401, 403)


def test_anybody_may_become_a_user(guarded):
    url = f"{guarded.couch}/_users/org.couchdb.user:carl"
    assert requests.put(url, json=user("carl")).status_code == 201
    assert requests.get(url, auth=("carl", "pw")).status_code == 200
    assert requests.get(url).status_code == 404


def test_a_session_outlives_a_restart(tmp_path):
    folder = tmp_path / "data"
    browser = requests.Session()
    with running(folder) as server:
        requests.put(f"{server.couch}/_node/_local/_config/admins/root", json="secret")
        login = browser.post(f"{server.couch}/_session", json={"name": "root", "password": "secret"})
        assert login.status_code == 200
        cookie = login.headers["Set-Cookie"].split(";")[0]
    with running(folder) as server:
        session = requests.get(f"{server.couch}/_session", headers={"Cookie": cookie}).json()
        assert session["userCtx"]["name"] == "root"
        assert session["info"]["authenticated"] == "cookie"


def test_tokens_are_believed_where_they_are_configured(guarded):
    key = b"a key that both know"
    token = signed_token(key, sub="dora", exp=time.time() + 600, **{"_couchdb.roles": ["reader"]})
    headers = {"Authorization": f"Bearer {token}"}
    assert requests.get(f"{guarded.couch}/_session", headers=headers).json()["userCtx"]["name"] is None
    configure(guarded, "jwt_keys", "hmac:_default", base64.b64encode(key).decode())
    handlers = "{chttpd_auth, jwt_authentication_handler}, {chttpd_auth, default_authentication_handler}"
    configure(guarded, "chttpd", "authentication_handlers", handlers)
    context = requests.get(f"{guarded.couch}/_session", headers=headers).json()["userCtx"]
    assert context == {"name": "dora", "roles": ["reader"]}
    old = signed_token(key, sub="dora", exp=time.time() - 600)
    forged = signed_token(b"another key", sub="dora", exp=time.time() + 600)
    for token, status in [(old, 401), (forged, 400), ("nonsense", 400)]:
        headers = {"Authorization": f"Bearer {token}"}
        assert requests.get(f"{guarded.couch}/_session", headers=headers).status_code == status


def test_a_proxy_is_believed_with_the_secret(guarded):
    handlers = "{chttpd_auth, proxy_authentication_handler}, {chttpd_auth, default_authentication_handler}"
    configure(guarded, "chttpd_auth", "secret", "shared")
    configure(guarded, "chttpd_auth", "proxy_use_secret", "true")
    configure(guarded, "chttpd", "authentication_handlers", handlers)
    code = hmac.new(b"shared", b"dora", hashlib.sha256).hexdigest()
    headers = {"X-Auth-CouchDB-UserName": "dora", "X-Auth-CouchDB-Roles": "a, b"}
    signed = {**headers, "X-Auth-CouchDB-Token": code}
    session = requests.get(f"{guarded.couch}/_session", headers=signed).json()
    assert session["userCtx"] == {"name": "dora", "roles": ["a", "b"]}
    assert session["info"]["authenticated"] == "proxy"
    session = requests.get(f"{guarded.couch}/_session", headers=headers).json()
    assert session["userCtx"]["name"] is None


def test_a_valid_user_can_be_required(guarded):
    configure(guarded, "chttpd", "require_valid_user", "true")
    assert requests.get(f"{guarded.couch}/").status_code == 401
    assert requests.get(f"{guarded.couch}/", auth=("anna", "pw")).status_code == 200


def test_new_passwords_meet_the_requirements(guarded):
    configure(guarded, "chttpd_auth", "password_regexp", '[{".{10,}", "Ten characters."}, "[0-9]"]')
    url = f"{guarded.couch}/_users/org.couchdb.user:clara"
    short = requests.put(url, json=user("clara", password="a1"), auth=ROOT)
    assert short.status_code == 400
    assert short.json()["reason"] == "Password does not conform to requirements. Ten characters."
    assert requests.put(url, json=user("clara", password="abcdefghij"), auth=ROOT).status_code == 400
    assert requests.put(url, json=user("clara", password="abcdefghij1"), auth=ROOT).status_code == 201
    configure(guarded, "chttpd_auth", "password_regexp", '{{".{10,}"}}')
    unreadable = requests.put(f"{url}2", json=user("clara2"), auth=ROOT)
    assert (unreadable.status_code, unreadable.json()["error"]) == (403, "forbidden")


def test_a_user_document_in_conflict_is_not_used(guarded):
    url = f"{guarded.couch}/_users/org.couchdb.user:anna"
    assert requests.get(f"{guarded.couch}/_session", auth=("anna", "pw")).json()["userCtx"]["name"] == "anna"
    document = requests.get(url, auth=ROOT).json()
    other = {**document, "_rev": "1-0123456789abcdef0123456789abcdef"}
    assert requests.put(url, json=other, params={"new_edits": "false"}, auth=ROOT).status_code == 201
    refused = requests.get(f"{guarded.couch}/_session", auth=("anna", "pw"))
    assert refused.status_code == 401
    assert "conflicts must be resolved" in refused.json()["reason"]


def test_databases_are_everybodys_where_the_settings_say_so(guarded):
    anna = ("anna", "pw")
    requests.put(f"{guarded.couch}/closed", auth=ROOT)
    configure(guarded, "couchdb", "default_security", "everyone")
    requests.put(f"{guarded.couch}/open", auth=ROOT)
    assert requests.get(f"{guarded.couch}/open/_security", auth=ROOT).json() == {}
    assert requests.get(f"{guarded.couch}/open", auth=anna).status_code == 200
    assert requests.get(f"{guarded.couch}/closed", auth=anna).status_code == 403
    readers = {"readers": {"names": ["bert"]}}
    assert requests.put(f"{guarded.couch}/open/_security", json=readers, auth=ROOT).status_code == 200
    assert requests.get(f"{guarded.couch}/open", auth=anna).status_code == 403
    assert requests.get(f"{guarded.couch}/open", auth=("bert", "pw")).status_code == 200
    own = requests.put(f"{guarded.couch}/_users/_security", json={}, auth=ROOT)
    assert own.status_code == 403


def test_users_that_come_by_replication_log_in(guarded):
    key = hashlib.pbkdf2_hmac("sha256", b"secret pw", b"salt", 1000).hex()
    clara = {
        "_id": "org.couchdb.user:clara", "_rev": "1-0123456789abcdef0123456789abcdef", "name": "clara", "type": "user",
        "roles": ["reader"], "password_scheme": "pbkdf2", "pbkdf2_prf": "sha256", "iterations": 1000, "salt": "salt",
        "derived_key": key,
    }
    come = requests.post(f"{guarded.couch}/_users/_bulk_docs", json={"new_edits": False, "docs": [clara]}, auth=ROOT)
    assert come.status_code == 201
    session = f"{guarded.couch}/_session"
    assert requests.get(session, auth=("clara", "wrong")).status_code == 401
    for _ in range(2):
        answer = requests.get(session, auth=("clara", "secret pw"))
        assert answer.json()["userCtx"] == {"name": "clara", "roles": ["reader"]}


def test_a_password_that_was_changed_in_another_store_takes_the_place_of_the_one_here(guarded):
    session, anna = f"{guarded.couch}/_session", f"{guarded.couch}/_users/org.couchdb.user:anna"
    assert requests.get(session, auth=("anna", "pw")).status_code == 200
    theirs = requests.get(anna, auth=ROOT).json()
    key = hashlib.pbkdf2_hmac("sha256", b"other", theirs["salt"].encode(), theirs["iterations"]).hex()
    (number, own), later = theirs["_rev"].split("-"), "0123456789abcdef" * 2
    theirs |= {"derived_key": key, "_rev": f"{int(number) + 1}-{later}"}
    theirs["_revisions"] = {"start": int(number) + 1, "ids": [later, own]}
    come = requests.put(anna, json=theirs, params={"new_edits": "false"}, auth=ROOT)
    assert come.status_code == 201
    assert requests.get(session, auth=("anna", "pw")).status_code == 401
    assert requests.get(session, auth=("anna", "other")).status_code == 200
    assert requests.get(session, auth=("bert", "pw")).status_code == 200


def test_a_login_makes_a_weak_key_anew(guarded):
    session, documents = f"{guarded.couch}/_session", f"{guarded.couch}/_users/org.couchdb.user:"
    configure(guarded, "chttpd_auth", "iterations", "10")
    for name in ("clara", "dora"):
        assert requests.put(documents + name, json=user(name), auth=ROOT).status_code == 201
    weak = requests.get(documents + "clara", auth=ROOT).json()
    # Dora's password is another one by the MongoDB protocol; her document has the key of the one before.
    root = pymongo.MongoClient(guarded.uri, username=ROOT[0], password=ROOT[1])
    root.admin.command("updateUser", "dora", pwd="other")

    configure(guarded, "chttpd_auth", "iterations", "1000")
    assert requests.get(session, auth=("dora", "pw")).status_code == 401
    assert requests.get(session, auth=("dora", "other")).status_code == 200
    assert requests.get(session, auth=("clara", "wrong")).status_code == 401
    assert requests.get(documents + "clara", auth=ROOT).json() == weak
    assert requests.get(session, auth=("clara", "pw")).status_code == 200
    end = time.monotonic() + 20
    while (now := requests.get(documents + "clara", auth=ROOT).json()) == weak and time.monotonic() < end:
        time.sleep(0.05)
    key = hashlib.pbkdf2_hmac("sha256", b"pw", weak["salt"].encode(), 1000).hex()
    assert now == {**weak, "iterations": 1000, "derived_key": key, "_rev": now["_rev"]}
    assert now["_rev"].startswith("2-")
    assert requests.get(session, auth=("clara", "pw")).status_code == 200
    assert requests.get(documents + "dora", auth=ROOT).json()["iterations"] == 10

    configure(guarded, "chttpd_auth", "upgrade_hash_on_auth", "false")
    configure(guarded, "chttpd_auth", "iterations", "20000")
    assert requests.post(session, data={"name": "anna", "password": "pw"}).status_code == 200
    time.sleep(0.5)
    assert requests.get(documents + "anna", auth=ROOT).json()["_rev"].startswith("1-")


def test_whoever_fails_often_is_locked_out_where_a_setting_says_so(guarded):
    assert requests.put(f"{guarded.couch}/_users/org.couchdb.user:dora", json=user("dora")).status_code == 201
    session = f"{guarded.couch}/_session"
    configure(guarded, "chttpd_auth_lockout", "mode", "enforce")
    for _ in range(5):
        assert requests.get(session, auth=("dora", "guess")).status_code == 401
    locked = requests.get(session, auth=("dora", "pw"))
    reason = "Account is temporarily locked due to multiple authentication failures"
    assert (locked.status_code, locked.json()) == (403, {"error": "forbidden", "reason": reason})
    assert requests.get(session, auth=ROOT).status_code == 200
    configure(guarded, "chttpd_auth_lockout", "mode", "off")
    assert requests.get(session, auth=("dora", "pw")).status_code == 200


def test_replications_of_users_reach_no_private_addresses_unless_they_may(guarded):
    for name in ("mine", "theirs"):
        requests.put(f"{guarded.couch}/{name}", auth=ROOT).raise_for_status()
        members = {"admins": {"names": ["anna"], "roles": []}, "members": {"names": ["anna"], "roles": []}}
        requests.put(f"{guarded.couch}/{name}/_security", json=members, auth=ROOT).raise_for_status()
    requests.put(f"{guarded.couch}/theirs/a", json={}, auth=ROOT).raise_for_status()
    port = guarded.couch.rsplit(":", 1)[1]

    def replicate(host, auth, port=port):
        asked = {"source": f"http://anna:pw@{host}:{port}/theirs", "target": "mine"}
        return requests.post(f"{guarded.couch}/_replicate", json=asked, auth=auth, timeout=60)

    anna = ("anna", "pw")
    configure(guarded, "replicator", "retries_per_request", "1")
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.settimeout(0.5)
        for host in ("127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]"):
            refused = replicate(host, anna, other.getsockname()[1])
            assert refused.status_code >= 400, (host, refused.text)
        # Nobody was asked at all.
        with pytest.raises(TimeoutError):
            other.accept()
    assert requests.get(f"{guarded.couch}/mine/a", auth=anna).status_code == 404
    assert replicate("127.0.0.1", ROOT).json()["ok"]
    configure(guarded, "replicator", "allow_private_addresses", "true")
    requests.put(f"{guarded.couch}/theirs/b", json={}, auth=ROOT).raise_for_status()
    assert replicate("127.0.0.1", anna).json()["ok"]
    assert requests.get(f"{guarded.couch}/mine/b", auth=anna).status_code == 200


def test_a_design_document_among_others_is_refused_alone(guarded):
    url = f"{guarded.couch}/shared"
    requests.put(url, auth=ROOT).raise_for_status()
    members = {"admins": {"names": [], "roles": []}, "members": {"names": ["anna"], "roles": []}}
    requests.put(f"{url}/_security", json=members, auth=ROOT).raise_for_status()
    docs = [{"_id": "a"}, {"_id": "_design/d"}, {"_id": "b"}]
    rows = requests.post(f"{url}/_bulk_docs", json={"docs": docs}, auth=("anna", "pw")).json()
    assert [row.get("error") for row in rows] == [None, "forbidden", None], rows
    assert rows[1]["reason"] == "You are not a db or server admin."
    assert [row["id"] for row in requests.get(f"{url}/_all_docs", auth=ROOT).json()["rows"]] == ["a", "b"]


def test_a_document_of_replications_has_an_owner_and_goes_as_far_as_that(guarded):
    docs = f"{guarded.couch}/_replicator"
    for name in ("far", "_replicator"):
        requests.put(f"{guarded.couch}/{name}", auth=ROOT)
    members = {"admins": {"names": [], "roles": []}, "members": {"names": ["anna"], "roles": []}}
    for name in ("far", "_replicator"):
        requests.put(f"{guarded.couch}/{name}/_security", json=members, auth=ROOT).raise_for_status()
    anna, url = ("anna", "pw"), guarded.couch.replace("://", "://{}:{}@")
    configure(guarded, "replicator", "retries_per_request", "1")
    configure(guarded, "replicator", "update_docs", "true")

    def ask(name, auth):
        asked = {"source": url.format(*auth) + "/far", "target": url.format(*auth) + f"/{name}", "create_target": True}
        requests.put(f"{docs}/{name}", json=asked, auth=auth).raise_for_status()
        return requests.get(f"{docs}/{name}", auth=ROOT).json()

    assert (ask("by_root", ROOT)["owner"], ask("by_anna", anna)["owner"]) == (ROOT[0], "anna")
    stolen = requests.put(f"{docs}/stolen", json={"source": "far", "target": "x", "owner": ROOT[0]}, auth=anna)
    assert (stolen.status_code, stolen.json()["reason"]) == (403, "Can't update replication documents from other users.")

    def state(name):
        return requests.get(f"{docs}/{name}", auth=ROOT).json().get("_replication_state")

    deadline = time.monotonic() + 60
    while state("by_root") != "completed" or state("by_anna") in (None, "triggered"):
        assert time.monotonic() < deadline, (state("by_root"), state("by_anna"))
        time.sleep(0.2)
    assert state("by_anna") in ("error", "failed")


def test_a_role_on_a_database_makes_no_replications(guarded):
    for name in ("_replicator", "secret"):
        requests.put(f"{guarded.couch}/{name}", auth=ROOT)
    root = pymongo.MongoClient(guarded.uri, username=ROOT[0], password=ROOT[1])
    root.admin.command("createUser", "mid", pwd="pw", roles=[{"role": "dbOwner", "db": "default"}])
    mid = pymongo.MongoClient(guarded.uri, username="mid", password="pw").default
    asked = {"source": "secret", "target": "loot", "create_target": True, "user_ctx": {"name": ROOT[0], "roles": []}}
    mid["mine"].insert_one(dict(asked))
    for refused in (
        lambda: mid["_replicator"].insert_one(dict(asked)),
        lambda: mid["_users"].find_one(),
        lambda: mid["mine"].aggregate([{"$out": "_replicator"}]),
        lambda: mid["mine"].rename("_replicator", dropTarget=True),
        lambda: mid.client["other"]["mine"].rename("_replicator"),
    ):
        with pytest.raises(pymongo.errors.OperationFailure, match="not authorized"):
            refused()
    requests.delete(f"{guarded.couch}/_replicator", auth=ROOT).raise_for_status()
    with pytest.raises(pymongo.errors.OperationFailure, match="not authorized"):
        mid["mine"].rename("_replicator")
