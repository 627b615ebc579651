"""What all requests of the CouchDB protocol have in common: ids, callbacks, methods, settings."""

import gzip
import json
import re
from concurrent.futures import ThreadPoolExecutor

import requests


def configure(server, section, name, text):
    assert requests.put(f"{server.couch}/_node/_local/_config/{section}/{name}", json=text).status_code == 200


def test_ids_are_made_by_the_configured_algorithm(server):
    answer = requests.get(f"{server.couch}/_uuids", params={"count": 3})
    assert len(answer.json()["uuids"]) == 3
    assert answer.headers["ETag"] and "no-cache" in answer.headers["Cache-Control"]
    many = requests.get(f"{server.couch}/_uuids", params={"count": 1001})
    assert many.json() == {"error": "bad_request", "reason": "count parameter too large"}
    try:
        configure(server, "uuids", "utc_id_suffix", "frog")
        configure(server, "uuids", "algorithm", "utc_id")
        ids = requests.get(f"{server.couch}/_uuids", params={"count": 10}).json()["uuids"]
        assert ids == sorted(ids) and all(re.fullmatch("[0-9a-f]{14}frog", one) for one in ids)
    finally:
        configure(server, "uuids", "algorithm", "sequential")


def test_answers_are_calls_where_the_settings_allow_it(server, couch):
    requests.put(f"{couch}/a", json={"n": 1})
    plain = requests.get(f"{couch}/a", params={"callback": "f"})
    assert plain.headers["Content-Type"] == "application/json"
    try:
        configure(server, "chttpd", "allow_jsonp", "true")
        called = requests.get(f"{couch}/_changes", params={"callback": "f"})
        assert called.headers["Content-Type"] == "application/javascript"
        assert re.fullmatch(r"/\* CouchDB \*/f\(\{.*\}\s*\);\n", called.text, re.S)
        wrong = requests.get(f"{couch}/a", params={"callback": "f()"})
        assert wrong.status_code == 400
        assert wrong.json() == {"error": "bad_request", "reason": "invalid_callback"}
    finally:
        configure(server, "chttpd", "allow_jsonp", "false")


def test_other_methods_are_refused_with_those_that_are_allowed(server, couch):
    requests.put(f"{couch}/a", json={})
    allowed = {
        "_uuids": "GET", "_membership": "GET", "_node/_local/_stats": "GET", "_node/_local/_config": "GET",
        "_node/_local/_config/log/level": "GET,PUT,DELETE", "_node/_local/_restart": "POST",
        "_node/_local/_config/_reload": "POST", "_up": "GET,HEAD", "_dbs_info": "GET,HEAD,POST",
        "_session": "GET,HEAD,POST,DELETE", "_replicate": "POST", "_scheduler/jobs": "GET,HEAD",
    }
    of_database = {
        "": "DELETE,GET,HEAD,POST", "/_all_docs": "GET,HEAD,POST", "/_bulk_docs": "POST", "/_bulk_get": "POST",
        "/_changes": "GET,POST,HEAD", "/_compact": "POST", "/_missing_revs": "POST", "/_revs_diff": "POST",
        "/_purge": "POST", "/_purged_infos": "GET", "/_purged_infos_limit": "GET,PUT", "/_revs_limit": "PUT,GET",
        "/_security": "PUT,GET", "/_shards": "GET", "/_sync_shards": "POST", "/_view_cleanup": "POST",
        "/_find": "POST", "/_index": "GET,POST", "/_local/a": "DELETE,GET,HEAD,PUT,COPY",
        "/a": "DELETE,GET,HEAD,POST,PUT,COPY", "/a/file": "DELETE,GET,HEAD,PUT",
    }
    expected = {f"{server.couch}/{path}": methods for path, methods in allowed.items()}
    expected |= {f"{couch}{path}": methods for path, methods in of_database.items()}
    for url, methods in expected.items():
        refused = requests.patch(url)
        assert (refused.status_code, refused.headers.get("Allow")) == (405, methods), url
        assert refused.json() == {"error": "method_not_allowed", "reason": f"Only {methods} allowed"}


def test_the_only_shard_is_on_the_only_node(couch):
    [[shard, nodes]] = requests.get(f"{couch}/_shards").json()["shards"].items()
    assert requests.get(f"{couch}/_shards/a").json() == {"range": shard, "nodes": nodes}
    assert requests.post(f"{couch}/_sync_shards").status_code == 202


def test_no_more_revisions_are_shown_than_are_kept(couch):
    revision = None
    for n in range(6):
        revision = requests.put(f"{couch}/a", json={"n": n, **({"_rev": revision} if revision else {})}).json()["rev"]
    path = lambda: requests.get(f"{couch}/a", params={"revs": "true"}).json()["_revisions"]
    assert len(path()["ids"]) == 6
    assert requests.put(f"{couch}/_revs_limit", data="5").status_code == 200
    assert path()["start"] == 6 and len(path()["ids"]) == 5


def test_a_longpoll_ends_behind_the_change_that_it_gives(couch):
    since = "0"
    with ThreadPoolExecutor(1) as waiting:
        for n in range(30):
            parameters = {"feed": "longpoll", "since": since, "timeout": 30_000}
            answer = waiting.submit(lambda: requests.get(f"{couch}/_changes", params=parameters).json())
            requests.put(f"{couch}/{n}", json={})
            changes = answer.result()
            assert [row["id"] for row in changes["results"]] == [str(n)]
            assert changes["last_seq"] == changes["results"][0]["seq"]
            since = changes["last_seq"]


def test_bodies_of_requests_may_travel_compressed(couch):
    def post(path, document, encoding="gzip", method="POST"):
        text = json.dumps(document).encode()
        data = gzip.compress(text) if encoding == "gzip" else text
        headers = {"Content-Type": "application/json", "Content-Encoding": encoding}
        return requests.request(method, f"{couch}{path}", data=data, headers=headers)

    assert post("/a", {"n": 1}, method="PUT").status_code == 201
    assert post("/b", {"n": 1}, "identity", method="PUT").status_code == 201
    assert len(post("/_bulk_docs", {"docs": [{"_id": str(n)} for n in range(50)]}).json()) == 50
    assert post("/_find", {"selector": {"n": 1}}).json()["docs"][0]["_id"] == "a"
    assert post("/_all_docs", {"keys": ["a", "b"]}).json()["rows"][1]["id"] == "b"
    # A session may name its encoding in requests that have no body, too.
    assert requests.get(f"{couch}/a", headers={"Content-Encoding": "gzip"}).json()["n"] == 1
    for encoding in ("deflate", "br"):
        refused = post("/c", {}, encoding, method="PUT")
        assert (refused.status_code, refused.json()) == (415, {
            "error": "bad_content_type", "reason": f"{encoding} is not a supported content encoding."})
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    assert requests.put(f"{couch}/c", data=b"{}", headers=headers).status_code == 400


def test_a_document_with_parts_may_travel_compressed(couch):
    attachment = {"follows": True, "content_type": "text/plain", "length": 5}
    document = json.dumps({"_attachments": {"file": attachment}})
    body = f"--x\r\nContent-Type: application/json\r\n\r\n{document}\r\n--x\r\n\r\nhello\r\n--x--"
    headers = {"Content-Type": 'multipart/related; boundary="x"', "Content-Encoding": "gzip"}
    assert requests.put(f"{couch}/a", data=gzip.compress(body.encode()), headers=headers).status_code == 201
    assert requests.get(f"{couch}/a/file").text == "hello"


def test_a_compressed_body_is_limited_as_it_is_without_compression(server, couch):
    bomb = gzip.compress(b'{"a":"' + b" " * 30_000_000 + b'"}')
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    try:
        configure(server, "chttpd", "max_http_request_size", "1000000")
        assert requests.put(f"{couch}/a", data=bomb, headers=headers).status_code == 413
    finally:
        configure(server, "chttpd", "max_http_request_size", "4294967296")


def test_of_members_with_the_same_name_the_last_counts(couch):
    rule = "function (doc) { if (doc.role === 'admin') { throw({forbidden: 'no'}); } }"
    assert requests.put(f"{couch}/_design/rule", json={"validate_doc_update": rule}).status_code == 201
    headers = {"Content-Type": "application/json"}
    put = lambda text: requests.put(f"{couch}/a", data=text, headers=headers)
    assert put('{"role": "user", "role": "admin"}').status_code == 403
    assert put('{"role": "admin", "n": {"k": 1, "k": 2}, "role": "user"}').status_code == 201
    assert requests.get(f"{couch}/a").text.count("role") == 1
    found = requests.post(f"{couch}/_find", json={"selector": {"role": "admin"}}).json()["docs"]
    assert found == []
    [found] = requests.post(f"{couch}/_find", json={"selector": {"n.k": 2}}).json()["docs"]
    assert found["role"] == "user"
