"""The CouchDB protocol as plain HTTP clients see it."""

import json
import threading

import requests


def put(url, **document):
    answer = requests.put(url, json=document)
    assert answer.status_code == 201, answer.text
    return answer.json()["rev"]


def test_errors_have_status_error_and_reason(server, couch):
    assert requests.put(couch).status_code == 412
    missing = requests.get(f"{couch}/nothing")
    assert (missing.status_code, missing.json()) == (404, {"error": "not_found", "reason": "missing"})
    wrong = requests.put(f"{couch}/a", data="{]")
    assert (wrong.status_code, wrong.json()["error"]) == (400, "bad_request")
    assert requests.put(f"{server.couch}/Upper").json()["error"] == "illegal_database_name"
    assert requests.post(f"{couch}/_bulk_docs", data="{}").status_code == 415
    assert requests.put(f"{couch}/_all_docs").status_code == 405
    bad = requests.put(f"{couch}/a", json={"_odd": 1})
    assert bad.json() == {"error": "doc_validation", "reason": "Bad special document member: _odd"}


def test_an_etag_answers_not_modified(couch):
    rev = put(f"{couch}/a", n=1)
    answer = requests.get(f"{couch}/a")
    assert answer.headers["ETag"] == f'"{rev}"'
    again = requests.get(f"{couch}/a", headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_all_leaves_are_opened(couch):
    docs = [{"_id": "a", "_rev": f"1-{leaf}", "v": leaf} for leaf in "xyz"]
    answer = requests.post(f"{couch}/_bulk_docs", json={"new_edits": False, "docs": docs})
    assert (answer.status_code, answer.json()) == (201, [])
    winner = requests.get(f"{couch}/a", params={"conflicts": "true", "revs": "true"}).json()
    assert (winner["_rev"], winner["_conflicts"]) == ("1-z", ["1-y", "1-x"])
    assert winner["_revisions"] == {"start": 1, "ids": ["z"]}
    leaves = requests.get(f"{couch}/a", params={"open_revs": "all"}, headers={"Accept": "application/json"}).json()
    assert [leaf["ok"]["v"] for leaf in leaves] == list("xyz")
    asked = json.dumps(["2-q", "1-z", "1-q", "1-x", "1-z"])
    some = requests.get(f"{couch}/a", params={"open_revs": asked}, headers={"Accept": "application/json"}).json()
    assert [one.get("missing") or one["ok"]["_rev"] for one in some] == ["1-x", "1-z", "1-q", "2-q"]
    missing = requests.post(f"{couch}/_revs_diff", json={"a": ["1-x", "2-q"], "b": ["1-b"]}).json()
    assert missing["a"]["missing"] == ["2-q"]
    assert missing["b"] == {"missing": ["1-b"]}
    assert requests.post(f"{couch}/_purge", json={"a": ["1-z"]}).json()["purged"] == {"a": ["1-z"]}
    assert requests.get(f"{couch}/a").json()["_rev"] == "1-y"


def test_a_long_poll_ends_with_the_change(couch):
    since = requests.get(f"{couch}/_changes").json()["last_seq"]
    answers = []
    poll = threading.Thread(target=lambda: answers.append(
        requests.get(f"{couch}/_changes", params={"feed": "longpoll", "since": since}, timeout=30).json()))
    poll.start()
    put(f"{couch}/late", n=1)
    poll.join()
    assert [change["id"] for change in answers[0]["results"]] == ["late"]


def test_a_continuous_feed_gives_a_line_a_change(couch):
    put(f"{couch}/a", n=1)
    with requests.get(f"{couch}/_changes", params={"feed": "continuous", "heartbeat": 100}, stream=True) as feed:
        lines = (json.loads(line) for line in feed.iter_lines() if line)
        assert next(lines)["id"] == "a"
        put(f"{couch}/b", n=1)
        assert next(lines)["id"] == "b"


def test_changes_are_filtered(couch):
    for name, n in (("a", 1), ("b", 2), ("_design/d", 3)):
        put(f"{couch}/{name}", n=n)

    def ids(answer):
        return [change["id"] for change in answer.json()["results"]]

    assert ids(requests.get(f"{couch}/_changes?filter=_design")) == ["_design/d"]
    assert ids(requests.post(f"{couch}/_changes?filter=_doc_ids", json={"doc_ids": ["b"]})) == ["b"]
    assert ids(requests.post(f"{couch}/_changes?filter=_selector", json={"selector": {"n": {"$lt": 3}}})) == ["a", "b"]
    assert ids(requests.get(f"{couch}/_changes?descending=true&limit=1")) == ["_design/d"]


def test_ranges_of_all_docs(couch):
    docs = [{"_id": name} for name in "abcde"]
    requests.post(f"{couch}/_bulk_docs", json={"docs": docs})

    def ids(**parameters):
        answer = requests.get(f"{couch}/_all_docs", params={k: json.dumps(v) for k, v in parameters.items()})
        return "".join(row.get("id", "?") for row in answer.json()["rows"])

    assert ids(startkey="b", endkey="d") == "bcd"
    assert ids(startkey="d", endkey="b", descending=True) == "dcb"
    assert ids(startkey="b", endkey="d", inclusive_end=False) == "bc"
    assert ids(skip=1, limit=2) == "bc"
    assert ids(keys=["e", "x", "a"]) == "e?a"


def test_users_log_in_by_cookie_and_by_password(tmp_path):
    from server import running
    with running(tmp_path) as server:
        root = ("root", "secret")
        requests.put(f"{server.couch}/_node/_local/_config/admins/root", json="secret")
        assert requests.put(f"{server.couch}/closed").status_code == 401
        assert requests.put(f"{server.couch}/closed", auth=root).status_code == 201
        requests.put(f"{server.couch}/_users", auth=root)
        anna = {"name": "anna", "type": "user", "roles": ["reader"], "password": "pw"}
        answer = requests.put(f"{server.couch}/_users/org.couchdb.user:anna", json=anna, auth=root)
        assert answer.status_code == 201
        session = requests.Session()
        login = session.post(f"{server.couch}/_session", json={"name": "anna", "password": "pw"})
        assert login.json() == {"ok": True, "name": "anna", "roles": ["reader"]}
        assert session.get(f"{server.couch}/_session").json()["userCtx"]["name"] == "anna"
        assert session.get(f"{server.couch}/closed").status_code == 403
        requests.put(f"{server.couch}/closed/_security", json={"members": {"roles": ["reader"]}}, auth=root)
        assert session.put(f"{server.couch}/closed/a", json={}).status_code == 201
        assert session.put(f"{server.couch}/closed/_design/a", json={}).status_code == 403
        assert requests.get(f"{server.couch}/closed", auth=("anna", "wrong")).status_code == 401
        # The same user speaks MongoDB's protocol.
        import pymongo
        with pymongo.MongoClient(server.uri, username="anna", password="pw", authSource="admin") as client:
            assert client.admin.command("ping")["ok"] == 1


def test_documents_with_members_that_couchdb_forbids_are_replicated(server, couch, client):
    name = couch.rsplit("/", 1)[1]
    source = client["default"][name]
    forbidden = {"__v": 0, "_acl": {"_x": 1}, "_created_at": 1, "_rev": 7, "_deleted": True, "$__v": 1}
    source.insert_many([{"_id": "a", **forbidden}, {"_id": ""}, {"_id": "_bad"}]
                       + [{"_id": f"d{n}", "n": n} for n in range(20)])
    shown = requests.get(f"{couch}/a").json()
    assert {"$__v": 0, "$_acl": {"_x": 1}, "$_rev": 7, "$$__v": 1}.items() <= shown.items()
    # What was read can be written back.
    assert requests.put(f"{couch}/a", json={**shown, "n": 1}).status_code == 201
    copies = [f"{name}-copy", f"{name}-again"]
    try:
        # Once within the server, once over HTTP.
        for place, target in [(name, copies[0]), (f"{server.couch}/{copies[0]}", copies[1])]:
            asked = {"source": place, "target": target, "create_target": True}
            done = requests.post(f"{server.couch}/_replicate", json=asked).json()
            assert done.get("ok"), done
            [entry] = done["history"]
            assert entry["doc_write_failures"] == (1 if target == copies[0] else 0)
            copy = client["default"][target]
            assert copy.count_documents({"_id": {"$regex": "^d"}}) == 20
            assert copy.find_one({"_id": "a"}) == {"_id": "a", "n": 1, **forbidden}
    finally:
        for copy in copies:
            requests.delete(f"{server.couch}/{copy}")


def test_a_replication_that_nothing_passes_to_has_no_changes(server, couch):
    put(f"{couch}/a", n=1)
    target = f"{couch}_target"
    try:
        for wanted, no_changes in (("missing", True), ("a", False), ("a", True)):
            asked = {"source": couch, "target": target, "create_target": True, "doc_ids": [wanted]}
            done = requests.post(f"{server.couch}/_replicate", json=asked).json()
            assert (done["ok"], done.get("no_changes", False)) == (True, no_changes)
        assert requests.get(f"{target}/a").json()["n"] == 1
    finally:
        requests.delete(target)
