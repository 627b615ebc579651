"""Resumable uploads with tuspy; uploads that end with the server."""

import base64
import hashlib
import io
import os
import socket
import threading

import pymongo
import pytest
import requests
from server import running
from tusclient.client import TusClient

BYTES = os.urandom(3_000_000)
KILLS = int(os.environ.get("LARDER_TEST_KILLS", "3"))
UPLOADERS = 4
TUS = {"Tus-Resumable": "1.0.0"}
OCTETS = {**TUS, "Content-Type": "application/offset+octet-stream"}


@pytest.fixture
def endpoint(server, client, request):
    name = "u" + str(abs(hash(request.node.name)) % 10**9)
    for part in ("files", "chunks", "uploads"):
        client["default"].drop_collection(f"{name}.{part}")
    return f"{server.url}/uploads/{name}"


def create(endpoint, name="movie", **headers):
    metadata = "filename " + base64.b64encode(name.encode()).decode()
    return requests.post(endpoint, headers={**TUS, "Upload-Metadata": metadata, **headers}, timeout=30)


def begin(endpoint, length, name="movie"):
    return upload_of(endpoint, create(endpoint, name, **{"Upload-Length": str(length)}))


def upload_of(endpoint, answer):
    assert answer.status_code == 201, answer.text
    return endpoint.rsplit("/uploads", 1)[0] + answer.headers["Location"]


def append(upload, offset, body, **headers):
    return requests.patch(upload, headers={**OCTETS, "Upload-Offset": str(offset), **headers}, data=body, timeout=30)


def file_of(endpoint, name="movie"):
    return requests.get(endpoint.replace("/uploads/", "/files/") + "/" + name, timeout=30)


def test_tuspy_uploads_in_pieces(endpoint):
    uploader = TusClient(endpoint).uploader(file_stream=io.BytesIO(BYTES), chunk_size=700_000,
                                            metadata={"filename": "movie", "filetype": "video/mp4"})
    uploader.upload()
    got = file_of(endpoint)
    assert got.content == BYTES and got.headers["Content-Type"] == "video/mp4"


def test_an_upload_goes_on_where_it_stopped(endpoint):
    stopped = TusClient(endpoint).uploader(file_stream=io.BytesIO(BYTES), chunk_size=700_000, metadata={"filename": "movie"})
    stopped.upload_chunk()
    assert file_of(endpoint).status_code == 404
    again = TusClient(endpoint).uploader(file_stream=io.BytesIO(BYTES), chunk_size=1_000_000, url=stopped.url)
    assert again.get_offset() == 700_000
    again.offset = 700_000
    again.upload()
    assert file_of(endpoint).content == BYTES
    head = requests.head(stopped.url, headers=TUS, timeout=30)
    assert head.headers["Upload-Offset"] == head.headers["Upload-Length"] == str(len(BYTES))


def test_an_upload_that_has_all_its_bytes_is_a_file_though_its_last_request_did_not_end(endpoint):
    upload = begin(endpoint, 5)
    host, path = upload.removeprefix("http://").split("/", 1)
    name, port = host.split(":")
    with socket.create_connection((name, int(port)), timeout=10) as connection:
        head = {**OCTETS, "Host": host, "Upload-Offset": "0", "Transfer-Encoding": "chunked"}
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        connection.sendall(f"PATCH /{path} HTTP/1.1\r\n{lines}\r\n5\r\nhello\r\n".encode())
    while requests.head(upload, headers=TUS, timeout=30).headers["Upload-Offset"] != "5":
        pass
    assert file_of(endpoint).content == b"hello"
    assert [file["length"] for file in file_of(endpoint, "").json()["files"]] == [5]


def test_the_rules_of_the_protocol(endpoint):
    options = requests.options(endpoint, timeout=30)
    assert options.status_code == 204 and "termination" in options.headers["Tus-Extension"]
    upload = begin(endpoint, 10)
    assert requests.head(upload, headers={"Tus-Resumable": "0.2"}, timeout=30).status_code == 412
    assert append(upload, 3, b"abc").status_code == 409
    assert append(upload, 0, b"abc", **{"Content-Type": "text/plain"}).status_code == 415
    first = append(upload, 0, b"abc")
    assert (first.status_code, first.headers["Upload-Offset"]) == (204, "3")
    assert "GMT" in first.headers["Upload-Expires"]
    assert append(upload, 3, b"x" * 8).status_code == 413
    assert requests.delete(upload, headers=TUS, timeout=30).status_code == 204
    assert requests.head(upload, headers=TUS, timeout=30).status_code == 404
    begin(endpoint, 0, "empty")
    assert file_of(endpoint, "empty").content == b""


def part_of(endpoint, body, length=None):
    """A part of a file, with these bytes."""
    length = str(len(body) if length is None else length)
    part = upload_of(endpoint, requests.post(
        endpoint, headers={**TUS, "Upload-Concat": "partial", "Upload-Length": length}, timeout=30))
    assert append(part, 0, body).status_code == 204
    return part


def join(endpoint, *parts, **headers):
    return create(endpoint, **{"Upload-Concat": "final;" + " ".join(parts), **headers})


def test_parts_become_one_file(endpoint):
    assert "concatenation" in requests.options(endpoint, timeout=30).headers["Tus-Extension"].split(",")
    first, second = part_of(endpoint, BYTES[:700_000]), part_of(endpoint, BYTES[700_000:])
    head = requests.head(first, headers=TUS, timeout=30).headers
    assert (head["Upload-Concat"], head["Upload-Offset"], head["Upload-Length"]) == ("partial", "700000", "700000")
    assert file_of(endpoint, "").json()["files"] == []
    # By its path, and by its URL.
    parts = ("/" + first.split("/", 3)[3], second)
    joined = upload_of(endpoint, join(endpoint, *parts))
    assert file_of(endpoint).content == BYTES
    head = requests.head(joined, headers=TUS, timeout=30).headers
    assert head["Upload-Concat"] == "final;" + " ".join(parts)
    assert head["Upload-Offset"] == head["Upload-Length"] == str(len(BYTES))
    assert append(joined, len(BYTES), b"x").status_code == 403
    assert requests.delete(joined, headers=TUS, timeout=30).status_code == 404
    # Whoever lost the answer asks again.
    assert upload_of(endpoint, join(endpoint, *parts)) == joined
    for part in (first, second):
        assert requests.head(part, headers=TUS, timeout=30).status_code == 404
    assert join(endpoint, first).status_code == 404
    assert len(file_of(endpoint, "").json()["files"]) == 1


def test_parts_that_cannot_be_joined_are_kept(endpoint):
    whole, unfinished = part_of(endpoint, b"abc"), part_of(endpoint, b"d", 3)
    for refused, status in [
        (join(endpoint, whole, unfinished), 400),
        (join(endpoint, whole, begin(endpoint, 3)), 404),
        (join(endpoint, whole, whole.replace("/uploads/", "/uploads/x")), 400),
        (join(endpoint), 400),
        (join(endpoint, whole, whole), 400),
        (join(endpoint, *[whole] * 1001), 400),
        (join(endpoint, whole, **{"Upload-Length": "3"}), 400),
        (join(endpoint, whole, **{"Upload-Metadata": ""}), 400),
        (create(endpoint, **{"Upload-Concat": "parts", "Upload-Length": "3"}), 400),
    ]:
        assert refused.status_code == status and refused.json()["reason"], refused.text
        assert "Location" not in refused.headers
    assert append(unfinished, 1, b"ef").status_code == 204
    assert join(endpoint, whole, unfinished).status_code == 201
    assert file_of(endpoint).content == b"abcdef"


def test_extensions_that_are_not_offered_are_not_named(endpoint):
    offered = requests.options(endpoint, timeout=30).headers["Tus-Extension"].split(",")
    assert not {"concatenation-unfinished", "checksum-trailer"} & set(offered)


def test_how_long_it_is_may_be_said_later(endpoint):
    assert "creation-defer-length" in requests.options(endpoint, timeout=30).headers["Tus-Extension"]
    both = create(endpoint, **{"Upload-Defer-Length": "1", "Upload-Length": "5"})
    assert both.status_code == create(endpoint, **{"Upload-Defer-Length": "0"}).status_code == 400
    upload = upload_of(endpoint, create(endpoint, **{"Upload-Defer-Length": "1"}))
    assert append(upload, 0, b"abc").headers["Upload-Offset"] == "3"
    head = requests.head(upload, headers=TUS, timeout=30).headers
    assert head["Upload-Defer-Length"] == "1" and "Upload-Length" not in head
    assert append(upload, 3, b"", **{"Upload-Length": "2"}).status_code == 413
    assert append(upload, 3, b"d", **{"Upload-Length": "6"}).status_code == 204
    head = requests.head(upload, headers=TUS, timeout=30).headers
    assert head["Upload-Length"] == "6" and "Upload-Defer-Length" not in head
    assert append(upload, 4, b"", **{"Upload-Length": "7"}).status_code == 400
    assert append(upload, 4, b"ef").status_code == 204
    assert file_of(endpoint).content == b"abcdef"


def test_a_piece_with_a_wrong_checksum_is_refused(endpoint):
    upload = begin(endpoint, 6)
    good = "sha1 " + base64.b64encode(hashlib.sha1(b"abc").digest()).decode()
    assert append(upload, 0, b"abd", **{"Upload-Checksum": good}).status_code == 460
    assert requests.head(upload, headers=TUS, timeout=30).headers["Upload-Offset"] == "0"
    assert append(upload, 0, b"abc", **{"Upload-Checksum": good}).status_code == 204
    assert append(upload, 3, b"abc", **{"Upload-Checksum": "crc32 AAAA"}).status_code == 400


def upload_until_killed(url, number, finished, progress):
    """PUTs files one by one until the server is gone."""
    for count in range(10_000):
        name = f"{number}-{count}-{os.urandom(4).hex()}"
        body = name.encode() * (1 + number * 20_000)
        try:
            if requests.put(f"{url}/files/kills/{name}", data=body, timeout=30).status_code == 201:
                finished[name] = hashlib.sha256(body).hexdigest()
                progress.set()
        except requests.RequestException:
            return


def test_kills_during_uploads_lose_no_finished_file_and_leave_no_chunks(tmp_path):
    finished, upload = {}, None
    for round_ in range(KILLS):
        with running(tmp_path) as server:
            if upload is not None:
                # A resumable upload goes on from what was acknowledged or later.
                offset = int(requests.head(server.url + upload, headers=TUS, timeout=30).headers["Upload-Offset"])
                assert offset >= 1000
                assert append(server.url + upload, offset, BYTES[offset:]).status_code == 204
                assert requests.get(f"{server.url}/files/kills/resumed-{round_ - 1}", timeout=30).content == BYTES
            upload = begin(f"{server.url}/uploads/kills", len(BYTES), f"resumed-{round_}")
            assert append(upload, 0, BYTES[:1000]).status_code == 204
            progress = threading.Event()
            uploaders = [threading.Thread(target=upload_until_killed, args=(server.url, number, finished, progress))
                         for number in range(UPLOADERS)]
            for uploader in uploaders:
                uploader.start()
            assert progress.wait(30)
            killed = threading.Event()
            cut_off = threading.Thread(
                target=lambda: pytest.raises(requests.RequestException, append, upload, 1000, slowly(killed)))
            cut_off.start()
            server.kill()
            killed.set()
            upload = upload.removeprefix(server.url)
            for uploader in [*uploaders, cut_off]:
                uploader.join()
    with running(tmp_path) as server, pymongo.MongoClient(server.uri) as client:
        for name, digest in finished.items():
            got = requests.get(f"{server.url}/files/kills/{name}", timeout=30)
            assert hashlib.sha256(got.content).hexdigest() == digest, name
        assert requests.delete(server.url + upload, headers=TUS, timeout=30).status_code == 204
        database = client["default"]
        entries = {file["_id"] for file in database["kills.files"].find({}, {"_id": 1})}
        orphans = set(database["kills.chunks"].distinct("files_id")) - entries
        while orphans:
            orphans = set(database["kills.chunks"].distinct("files_id")) - entries


def slowly(killed):
    """A body that ends after its server."""
    yield BYTES[1000:300_000]
    killed.wait(60)
    yield b"never"
