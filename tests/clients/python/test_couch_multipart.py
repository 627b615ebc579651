"""Documents with attachments in parts of their own, both ways, and which of them are refused."""

import base64
import email.parser
import email.policy
import gzip
import hashlib
import http.client
import json
import os
from urllib.parse import urlsplit

import pytest
import requests

JSON = {"Accept": "application/json"}


def digest(data):
    return "md5-" + base64.b64encode(hashlib.md5(data).digest()).decode()


def part(data, name, kind="application/octet-stream", extra=""):
    head = f'Content-Disposition: attachment; filename="{name}"\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\n'
    return head.encode() + extra.encode() + b"\r\n" + data


def related(document, *parts, boundary="abc"):
    first = b"Content-Type: application/json\r\n\r\n" + json.dumps(document).encode()
    body = b"".join(b"--" + boundary.encode() + b"\r\n" + part + b"\r\n" for part in (first, *parts))
    return body + b"--" + boundary.encode() + b"--"


def put(url, body, boundary="abc", **params):
    headers = {"Content-Type": f'multipart/related; boundary="{boundary}"'}
    return requests.put(url, data=body, headers=headers, params=params)


def follows(data, **more):
    return {"content_type": "application/octet-stream", "follows": True, "length": len(data), **more}


def taken_apart(answer):
    """The parts of an answer as the standard library sees them: heads and bytes."""
    head = b"Content-Type: " + answer.headers["Content-Type"].encode() + b"\r\n\r\n"
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + answer.content)
    assert message.is_multipart() and not message.defects
    return message.get_payload()


def test_attachments_follow_their_document_and_come_back_behind_it(couch):
    one, two = os.urandom(300_000), b""
    document = {"n": 1, "_attachments": {"one": follows(one, digest=digest(one)), "two": follows(two), "three": {
        "content_type": "application/octet-stream", "data": base64.b64encode(b"inline").decode()}}}
    written = put(f"{couch}/a", related(document, part(one, "one"), part(two, "two")))
    assert written.status_code == 201, written.text
    assert requests.get(f"{couch}/a/one").content == one
    assert requests.get(f"{couch}/a/two").content == two
    answer = requests.get(f"{couch}/a?attachments=true&revs=true")
    assert int(answer.headers["Content-Length"]) == len(answer.content)
    parts = taken_apart(answer)
    shown = json.loads(parts[0].get_payload())
    assert shown["_attachments"]["one"] == {**follows(one), "digest": digest(one), "revpos": 1}
    names = [part.get_filename() for part in parts[1:]]
    assert names == list(shown["_attachments"]) and sorted(names) == ["one", "three", "two"]
    assert parts[1 + names.index("one")].get_payload(decode=True) == one
    inline = requests.get(f"{couch}/a?attachments=true", headers=JSON).json()
    assert base64.b64decode(inline["_attachments"]["one"]["data"]) == one


def test_what_another_store_made_is_written_with_its_attachments(couch):
    revision = "3-" + "a" * 32
    document = {"_id": "a", "_rev": revision, "_revisions": {"start": 3, "ids": ["a" * 32, "b" * 32, "c" * 32]},
                "_attachments": {"f": follows(b"bytes", revpos=2)}}
    written = put(f"{couch}/a", related(document, part(b"bytes", "f")), new_edits="false")
    assert (written.status_code, written.json()["rev"]) == (201, revision)
    stub = requests.get(f"{couch}/a").json()["_attachments"]["f"]
    assert (stub["revpos"], stub["length"]) == (2, 5)
    since = requests.get(f"{couch}/a", params={"atts_since": json.dumps(["2-" + "b" * 32])})
    # Nothing is lacking, so nothing follows.
    assert since.headers["Content-Type"] == "application/json"
    assert since.json()["_attachments"]["f"]["stub"] is True


def test_open_revisions_come_as_parts_that_have_parts(couch):
    data = b"x" * 1000
    rev = put(f"{couch}/a", related({"_attachments": {"f": follows(data)}}, part(data, "f"))).json()["rev"]
    revs = json.dumps([rev, "9-none"])
    answer = requests.get(f"{couch}/a", params={"open_revs": revs, "revs": "true"}, headers={"Accept": "multipart/mixed"})
    assert answer.headers["Content-Type"].startswith('multipart/mixed; boundary="')
    found, missing = taken_apart(answer)
    document, attachment = found.get_payload()
    assert json.loads(document.get_payload())["_revisions"]["start"] == 1
    assert attachment.get_payload(decode=True) == data
    assert missing["Content-Type"] == 'application/json; error="true"'
    assert json.loads(missing.get_payload()) == {"missing": "9-none"}
    since = requests.get(f"{couch}/a", params={"open_revs": json.dumps([rev]), "atts_since": json.dumps([rev])})
    [stub] = taken_apart(since)
    assert json.loads(stub.get_payload())["_attachments"]["f"]["stub"] is True
    assert requests.get(f"{couch}/a?open_revs=all", headers=JSON).json()[0]["ok"]["_rev"] == rev


HOSTILE = {
    "too short": (related({"_attachments": {"f": follows(b"12345")}}, part(b"123", "f")), 400, "bad_request", "attachment shorter than expected"),
    "too long": (related({"_attachments": {"f": follows(b"12")}}, part(b"123", "f")), 400, "bad_request", "attachment longer than expected"),
    "none follows": (related({"_attachments": {"f": follows(b"12")}}), 400, "bad_request", "attachment shorter than expected"),
    "other digest": (related({"_attachments": {"f": follows(b"123", digest=digest(b"124"))}}, part(b"123", "f")), 400, "content_md5_mismatch", "Possible message corruption."),
    "wrong order": (related({"_attachments": {"f": follows(b"1"), "g": follows(b"2")}}, part(b"2", "g"), part(b"1", "f")), 400, "bad_request", None),
    "unknown encoding": (related({"_attachments": {"f": follows(b"12", encoding="br")}}, part(b"12", "f")), 415, "bad_content_type", None),
    "wrong name": (related({"_attachments": {"_f": follows(b"12")}}, part(b"12", "_f")), 400, "bad_request", "Attachment name '_f' starts with prohibited character '_'"),
    "no JSON type": (b"--abc\r\nContent-Type: text/plain\r\n\r\n{}\r\n--abc--", 415, "bad_content_type", "Content-Type must be application/json"),
    "no type": (b"--abc\r\n\r\n{}\r\n--abc--", 415, "bad_content_type", "Content-Type must be application/json"),
    "no header": (b"--abc\r\nno header\r\n\r\n{}\r\n--abc--", 400, "bad_request", "bad part header"),
    "endless headers": (b"--abc\r\n" + b"X: y\r\n" * 100_000 + b"\r\n{}\r\n--abc--", 400, "bad_request", None),
    "no end": (b"--abc\r\nContent-Type: application/json\r\n\r\n{", 400, "bad_request", "expected more data"),
    "no delimiter": (b"--other--", 400, "bad_request", "expected more data"),
    "empty": (b"", 400, "bad_request", "expected more data"),
    "no JSON": (related({}).replace(b"{}", b"{"), 400, "bad_request", None),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_bodies_are_refused(couch, case):
    body, status, error, reason = HOSTILE[case]
    answer = put(f"{couch}/a", body)
    assert (answer.status_code, answer.json()["error"]) == (status, error), answer.text
    assert reason is None or answer.json()["reason"] == reason
    assert requests.get(f"{couch}/a").status_code == 404


def test_a_body_without_boundary_and_one_within_another_are_refused(couch):
    answer = requests.put(f"{couch}/a", data=b"x", headers={"Content-Type": "multipart/related; type=x"})
    assert (answer.status_code, answer.json()["error"]) == (400, "bad_request")
    # The inner boundary begins with the outer one, so its delimiters are the outer one's.
    inner = related({}, boundary="abcd")
    answer = put(f"{couch}/a", b"--abc\r\nContent-Type: application/json\r\n\r\n" + inner + b"\r\n--abc--")
    assert (answer.status_code, answer.json()["error"]) == (400, "bad_request")


def test_what_stands_behind_the_last_attachment_is_passed_over(couch):
    body = related({"_attachments": {"f": follows(b"12")}}, part(b"12", "f"), part(b"more", "g")) + b"\r\n" + b"y" * 100_000
    session = requests.Session()
    headers = {"Content-Type": "multipart/related; boundary=abc"}
    assert session.put(f"{couch}/a", data=body, headers=headers).status_code == 201
    assert list(session.get(f"{couch}/a").json()["_attachments"]) == ["f"]


def test_compressible_types_are_stored_compressed(couch):
    text = b"the same again and again. " * 1000
    rev = requests.put(f"{couch}/a/t.txt", data=text, headers={"Content-Type": "text/plain; charset=utf-8"}).json()["rev"]
    stub = requests.get(f"{couch}/a?att_encoding_info=true").json()["_attachments"]["t.txt"]
    assert (stub["encoding"], stub["length"]) == ("gzip", len(text))
    assert stub["encoded_length"] < 1000
    assert "encoding" not in requests.get(f"{couch}/a").json()["_attachments"]["t.txt"]
    plain = requests.get(f"{couch}/a/t.txt", headers={"Accept-Encoding": "identity"})
    assert plain.content == text and "Content-Encoding" not in plain.headers
    assert (plain.headers["Accept-Ranges"], plain.headers["Content-Length"]) == ("none", str(len(text)))
    encoded = requests.get(f"{couch}/a/t.txt", headers={"Accept-Encoding": "gzip", "Range": "bytes=0-9"}, stream=True)
    stored = encoded.raw.read()
    assert encoded.status_code == 200 and encoded.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(stored) == text and len(stored) == stub["encoded_length"] == int(encoded.headers["Content-Length"])
    assert digest(stored) == stub["digest"] and encoded.headers["ETag"] == f'"{stub["digest"][4:]}"'
    assert requests.get(f"{couch}/a/t.txt", headers={"Accept-Encoding": "gzip;q=0, identity;q=0"}).status_code == 406
    inline = requests.get(f"{couch}/a?attachments=true", headers=JSON).json()["_attachments"]["t.txt"]
    assert base64.b64decode(inline["data"]) == text
    # As another store would send it on.
    follow = {"content_type": stub["content_type"], "follows": True, **{name: stub[name] for name in ("length", "encoding", "encoded_length", "digest")}}
    written = put(f"{couch}/b", related({"_attachments": {"t.txt": follow}}, part(stored, "t.txt", extra="Content-Encoding: gzip\r\n")))
    assert written.status_code == 201, written.text
    assert requests.get(f"{couch}/b?att_encoding_info=true").json()["_attachments"]["t.txt"] == stub
    assert requests.get(f"{couch}/b/t.txt", headers={"Accept-Encoding": "identity"}).content == text
    [_, sent] = taken_apart(requests.get(f"{couch}/a?attachments=true"))
    assert sent["Content-Encoding"] == "gzip" and sent.get_payload(decode=True) == stored
    assert requests.delete(f"{couch}/a/t.txt", params={"rev": rev}).status_code == 200


def test_what_a_client_compressed_is_kept_as_it_came(couch):
    stored = gzip.compress(b"text" * 100)
    headers = {"Content-Encoding": "gzip", "Content-Type": "image/x"}
    assert requests.put(f"{couch}/a/f", data=stored, headers=headers).status_code == 201
    stub = requests.get(f"{couch}/a?att_encoding_info=true").json()["_attachments"]["f"]
    assert (stub["digest"], stub["length"], stub["encoded_length"]) == (digest(stored), len(stored), len(stored))
    plain = requests.get(f"{couch}/a/f", headers={"Accept-Encoding": "identity"})
    assert plain.content == b"text" * 100 and "Content-Length" not in plain.headers
    assert requests.get(f"{couch}/a/f").content == b"text" * 100
    wrong = requests.put(f"{couch}/b/f", data=stored, headers={"Content-Encoding": "br"})
    assert (wrong.status_code, wrong.json()["error"]) == (415, "bad_content_type")
    assert requests.put(f"{couch}/c/f", data=b"no gzip", headers=headers).status_code == 201
    with pytest.raises(requests.exceptions.RequestException):
        requests.get(f"{couch}/c/f", headers={"Accept-Encoding": "identity"}).content
    assert requests.get(couch).status_code == 200


def test_a_form_changes_a_document_and_brings_files(couch):
    host = urlsplit(couch).netloc
    page = {"Referer": f"http://{host}/page.html"}
    written = requests.post(f"{couch}/a", files={"_doc": (None, '{"n": 1}')}, headers=page)
    assert written.status_code == 201, written.text
    form = {"_rev": (None, written.json()["rev"]), "_attachments": ("f.txt", b"text" * 100, "text/plain")}
    changed = requests.post(f"{couch}/a", files=form, headers=page)
    assert changed.status_code == 201, changed.text
    document = requests.get(f"{couch}/a").json()
    assert document["n"] == 1 and document["_attachments"]["f.txt"]["revpos"] == 2
    assert requests.get(f"{couch}/a/f.txt").content == b"text" * 100
    assert requests.post(f"{couch}/a", files=form, headers=page).status_code == 409
    for headers in ({}, {"Referer": "http://elsewhere/page.html"}):
        assert requests.post(f"{couch}/a", files=form, headers=headers).status_code == 400
    assert requests.post(f"{couch}/a", json={}, headers=page).status_code == 415
    assert requests.post(f"{couch}/a", files={"other": (None, "x")}, headers=page).json()["error"] == "bad_request"


def test_several_ranges_come_as_parts(couch):
    data = bytes(range(200))
    requests.put(f"{couch}/a/f", data=data)
    answer = requests.get(f"{couch}/a/f", headers={"Range": "bytes=0-4,-5, 190-1000"})
    assert answer.status_code == 206
    parts = taken_apart(answer)
    assert [part.get_payload(decode=True) for part in parts] == [data[:5], data[-5:], data[190:]]
    assert [part["Content-Range"] for part in parts] == ["bytes 0-4/200", "bytes 195-199/200", "bytes 190-199/200"]
    many = requests.get(f"{couch}/a/f", headers={"Range": "bytes=" + ",".join(["0-1"] * 10)})
    assert (many.status_code, many.content) == (200, data)
    assert requests.get(f"{couch}/a/f", headers={"Range": "bytes=5-2"}).status_code == 416


def test_a_head_has_the_length_and_no_bytes(couch):
    requests.put(f"{couch}/a/f", data=b"12345")
    for path, length in (("a/f", 5), ("a?attachments=true", None)):
        head, got = requests.head(f"{couch}/{path}"), requests.get(f"{couch}/{path}")
        assert head.status_code == 200 and head.content == b""
        assert head.headers["Content-Length"] == str(length or len(got.content))


def test_an_attachment_beyond_the_limit_is_refused_before_it_comes(couch, server):
    setting = f"{server.couch}/_node/_local/_config/couchdb/max_attachment_size"
    assert requests.put(setting, json="1000").status_code == 200
    try:
        for answer in (
            requests.put(f"{couch}/a/f", data=b"x" * 1001),
            requests.put(f"{couch}/a/f", data=iter([b"x" * 600, b"x" * 600])),
            requests.put(f"{couch}/a", json={"_attachments": {"f": {"data": base64.b64encode(b"x" * 1001).decode()}}}),
            put(f"{couch}/a", related({"_attachments": {"f": follows(b"x" * 1001)}}, part(b"x" * 1001, "f"))),
        ):
            assert (answer.status_code, answer.json()["error"], answer.json()["reason"]) == (413, "attachment_too_large", "f")
    finally:
        requests.delete(setting)


def test_a_client_that_goes_away_in_the_middle_leaves_nothing(couch):
    address = urlsplit(couch)
    connection = http.client.HTTPConnection(address.hostname, address.port)
    connection.putrequest("PUT", f"{address.path}/a")
    connection.putheader("Content-Type", "multipart/related; boundary=abc")
    whole = related({"_attachments": {"f": follows(b"x" * 1_000_000)}}, part(b"x" * 1_000_000, "f"))
    connection.putheader("Content-Length", str(len(whole)))
    connection.endheaders()
    connection.send(whole[:500_000])
    connection.close()
    assert requests.get(f"{couch}/a").status_code == 404
