"""Riak's HTTP as its documentation shows it, and one document through all protocols."""

import pytest
import requests


@pytest.fixture
def bucket(server, client, request):
    name = "r_" + "".join(c if c.isalnum() else "_" for c in request.node.name.lower()[:60])
    client["default"].drop_collection(name)
    yield f"{server.riak}/buckets/{name}"
    requests.delete(f"{server.riak}/buckets/{name}/props")
    client["default"].drop_collection(name)


def test_objects_are_put_listed_and_deleted(server, bucket):
    assert requests.get(f"{server.riak}/ping").text == "OK"
    assert requests.get(f"{bucket}/keys/k").status_code == 404
    put = requests.put(f"{bucket}/keys/k", data=b"\x00\xff", headers={"Content-Type": "image/png", "X-Riak-Meta-Camera": "4"})
    assert put.status_code == 204
    got = requests.get(f"{bucket}/keys/k")
    assert (got.content, got.headers["Content-Type"], got.headers["X-Riak-Meta-Camera"]) == (b"\x00\xff", "image/png", "4")
    made = requests.post(f"{bucket}/keys", json={"n": 1})
    assert made.status_code == 201
    key = made.headers["Location"].split("/")[-1]
    assert sorted(requests.get(f"{bucket}/keys?keys=true").json()["keys"]) == sorted(["k", key])
    assert requests.delete(f"{bucket}/keys/k").status_code == 204
    assert requests.get(f"{bucket}/keys/k").headers["X-Riak-Deleted"] == "true"


def test_siblings_are_resolved_by_a_put_that_has_seen_them(bucket):
    assert requests.put(f"{bucket}/props", json={"props": {"allow_mult": True}}).status_code == 204
    for value in ("a", "b"):
        requests.put(f"{bucket}/keys/k", data=value, headers={"Content-Type": "text/plain"})
    both = requests.get(f"{bucket}/keys/k", headers={"Accept": "multipart/mixed"})
    assert both.status_code == 300 and both.headers["Content-Type"].startswith("multipart/mixed")
    resolved = {"Content-Type": "text/plain", "X-Riak-Vclock": both.headers["X-Riak-Vclock"]}
    requests.put(f"{bucket}/keys/k", data="c", headers=resolved)
    assert requests.get(f"{bucket}/keys/k").text == "c"


def test_objects_are_found_by_their_terms(bucket):
    for number in range(5):
        headers = {"X-Riak-Index-age_int": str(number), "X-Riak-Index-name_bin": f"n{number}"}
        requests.put(f"{bucket}/keys/k{number}", json=number, headers=headers)
    assert requests.get(f"{bucket}/index/age_int/3").json() == {"keys": ["k3"]}
    page = requests.get(f"{bucket}/index/name_bin/n1/n4?max_results=2&return_terms=true").json()
    assert page["results"] == [{"n1": "k1"}, {"n2": "k2"}]
    rest = requests.get(f"{bucket}/index/name_bin/n1/n4", params={"continuation": page["continuation"]}).json()
    assert rest == {"keys": ["k3", "k4"]}
    requests.delete(f"{bucket}/keys/k3")
    assert requests.get(f"{bucket}/index/age_int/2/9").json() == {"keys": ["k2", "k4"]}


def test_a_large_value_is_a_file_that_other_protocols_see(server, client, bucket):
    name = bucket.split("/")[-1]
    value = bytes(range(256)) * 70_000
    pieces = (value[at:at + 100_000] for at in range(0, len(value), 100_000))
    headers = {"Content-Type": "video/x", "X-Riak-Meta-Camera": "4", "X-Riak-Index-minute_int": "3"}
    # In pieces without a length.
    assert requests.put(f"{bucket}/keys/k", data=pieces, headers=headers).status_code == 204
    got = requests.get(f"{bucket}/keys/k")
    assert got.content == value and got.headers["Content-Type"] == "video/x" and got.headers["X-Riak-Meta-Camera"] == "4"
    assert requests.get(f"{bucket}/index/minute_int/3").json() == {"keys": ["k"]}
    couch = f"{server.couch}/{name}/k"
    assert requests.get(couch).json()["_attachments"]["value"]["length"] == len(value)
    assert requests.get(f"{couch}/value").content == value
    # What another protocol adds makes JSON of it; the value is still there for those who know files.
    client["default"][name].update_one({"_id": "k"}, {"$set": {"seen": True}})
    edited = requests.get(f"{bucket}/keys/k")
    assert edited.json()["seen"] is True and edited.headers["X-Riak-Meta-Camera"] == "4"
    assert requests.get(f"{couch}/value").content == value
    client["default"][name].update_one({"_id": "k"}, {"$unset": {"seen": True}})
    assert requests.get(f"{bucket}/keys/k").content == value


def test_a_document_goes_through_all_protocols(server, client, bucket):
    name = bucket.split("/")[-1]
    requests.put(f"{bucket}/props", json={"props": {"allow_mult": True}})
    headers = {"X-Riak-Meta-Origin": "riak", "X-Riak-Index-age_int": "7"}
    requests.put(f"{bucket}/keys/k", json={"age": 7, "by": "riak"}, headers=headers)
    assert client["default"][name].find_one({"age": 7}) == {"_id": "k", "age": 7, "by": "riak"}
    client["default"][name].update_one({"_id": "k"}, {"$set": {"by": "mongo"}})
    seen = requests.get(f"{bucket}/keys/k")
    assert (seen.json(), seen.headers["X-Riak-Meta-Origin"]) == ({"age": 7, "by": "mongo"}, "riak")
    couch = f"{server.couch}/{name}/k"
    revision = requests.get(couch).json()["_rev"]
    conflict = {"_id": "k", "by": "couch", "_revisions": {"start": 2, "ids": ["f" * 32, "0" * 32]}}
    added = requests.post(f"{server.couch}/{name}/_bulk_docs", json={"docs": [conflict], "new_edits": False})
    assert added.status_code == 201
    assert len(requests.get(couch, params={"conflicts": "true"}).json()["_conflicts"]) == 1
    both = requests.get(f"{bucket}/keys/k", headers={"Accept": "multipart/mixed"})
    assert both.status_code == 300 and "X-Riak-Meta-Origin: riak" in both.text
    assert '"by":"mongo"' in both.text and '"by":"couch"' in both.text
    resolved = {"X-Riak-Vclock": both.headers["X-Riak-Vclock"], "X-Riak-Meta-Origin": "all"}
    assert requests.put(f"{bucket}/keys/k", json={"age": 8, "by": "all"}, headers=resolved).status_code == 204
    after = requests.get(couch, params={"conflicts": "true"}).json()
    assert after["by"] == "all" and "_conflicts" not in after and after["_rev"] != revision
    found = requests.get(f"{server.elastic}/{name}/_search?q=by:all").json()
    assert [hit["_id"] for hit in found["hits"]["hits"]] == ["k"]
