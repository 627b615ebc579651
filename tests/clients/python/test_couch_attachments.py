"""Attachments over the CouchDB protocol, and bodies of superseded revisions."""

import base64
import hashlib

import pytest
import requests


@pytest.fixture
def couch(server, request):
    name = "a_" + request.node.name.lower()[:40]
    url = f"{server.couch}/{name}"
    requests.delete(url)
    assert requests.put(url).status_code == 201
    yield url
    requests.delete(url)


def digest(data):
    return "md5-" + base64.b64encode(hashlib.md5(data).digest()).decode()


def test_an_inline_attachment_is_kept_as_a_stub(couch):
    data = base64.b64encode(b"hello").decode()
    document = {"_attachments": {"f.txt": {"content_type": "text/plain", "data": data}}}
    assert requests.put(f"{couch}/a", json=document).status_code == 201
    stub = requests.get(f"{couch}/a").json()["_attachments"]["f.txt"]
    # Of the bytes as they are stored, which are compressed.
    assert stub.pop("digest").startswith("md5-")
    assert stub == {"content_type": "text/plain", "revpos": 1, "length": 5, "stub": True}
    full = requests.get(f"{couch}/a?attachments=true", headers={"Accept": "application/json"}).json()["_attachments"]["f.txt"]
    assert full["data"] == data
    # What was read is written back: the stub stands for the file.
    again = requests.get(f"{couch}/a").json()
    assert requests.put(f"{couch}/a", json={**again, "n": 1}).status_code == 201
    assert requests.get(f"{couch}/a/f.txt").content == b"hello"
    wrong = requests.put(f"{couch}/b", json={"_attachments": {"f.txt": {"stub": True}}})
    assert (wrong.status_code, wrong.json()["error"]) == (412, "missing_stub")
    later = requests.get(f"{couch}/a").json()
    later["_attachments"]["f.txt"]["revpos"] = 10
    assert requests.put(f"{couch}/a", json=later).json()["error"] == "missing_stub"


def test_a_large_attachment_is_streamed_both_ways(couch):
    data = bytes(range(256)) * 4096
    put = requests.put(f"{couch}/a/big.bin", data=iter([data[:100], data[100:]]))
    assert put.status_code == 201
    got = requests.get(f"{couch}/a/big.bin")
    assert got.content == data
    assert got.headers["ETag"] == f'"{digest(data)[4:]}"'
    part = requests.get(f"{couch}/a/big.bin", headers={"Range": "bytes=10-19"})
    assert (part.status_code, part.content) == (206, data[10:20])
    assert part.headers["Content-Range"] == f"bytes 10-19/{len(data)}"
    assert requests.get(f"{couch}/a/big.bin", headers={"Range": f"bytes={len(data)}-"}).status_code == 416
    assert requests.get(f"{couch}/a/big.bin", headers={"If-None-Match": got.headers["ETag"]}).status_code == 304


def test_an_attachment_is_removed(couch):
    rev = requests.put(f"{couch}/a/f.txt", data=b"x").json()["rev"]
    assert requests.delete(f"{couch}/a/f.txt").status_code == 409
    gone = requests.delete(f"{couch}/a/f.txt", params={"rev": "4-garbage"})
    assert (gone.status_code, gone.json()) == (409, {"error": "not_found", "reason": "missing_rev"})
    assert requests.delete(f"{couch}/a/none", params={"rev": rev}).status_code == 404
    assert requests.put(f"{couch}/_none/f.txt", data=b"x").status_code == 400
    assert requests.delete(f"{couch}/a/f.txt", params={"rev": rev}).status_code == 200
    assert requests.get(f"{couch}/a/f.txt").status_code == 404
    assert "_attachments" not in requests.get(f"{couch}/a").json()


def test_superseded_revisions_are_read_until_compaction(couch):
    first = requests.put(f"{couch}/a", json={"n": 1}).json()["rev"]
    requests.put(f"{couch}/a", json={"n": 2, "_rev": first})
    assert requests.get(f"{couch}/a", params={"rev": first}).json()["n"] == 1
    infos = requests.get(f"{couch}/a?revs_info=true").json()["_revs_info"]
    assert [info["status"] for info in infos] == ["available", "available"]
    assert requests.post(f"{couch}/_compact", json={}).status_code == 202
    while requests.get(f"{couch}/a", params={"rev": first}).status_code != 404:
        pass
    assert requests.get(f"{couch}/a").json()["n"] == 2
