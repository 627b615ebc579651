"""Files over HTTP with requests and curl, and the same files with pymongo's GridFS."""

import base64
import hashlib
import json
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from email import message_from_bytes
from email.utils import parsedate_to_datetime

import gridfs
import pytest
import requests
from bson import ObjectId
from server import running

BYTES = bytes(range(256)) * 4000


@pytest.fixture
def bucket(server, client, request):
    """A bucket of the test's own in database `default`, and its path."""
    name = "b" + str(abs(hash(request.node.name)) % 10**9)
    for part in ("files", "chunks", "uploads"):
        client["default"].drop_collection(f"{name}.{part}")
    return name


@pytest.fixture
def url(server, bucket):
    return f"{server.url}/files/{bucket}"


@pytest.fixture
def gridfs_bucket(client, bucket):
    return gridfs.GridFSBucket(client["default"], bucket_name=bucket)


def put(url, body, **headers):
    answer = requests.put(url, data=body, headers=headers, timeout=30)
    assert answer.status_code == 201, answer.text
    return answer


def test_what_is_put_comes_back_with_type_and_validators(url):
    made = put(f"{url}/a/photo.jpg", BYTES)
    assert made.json()["length"] == len(BYTES)
    got = requests.get(f"{url}/a/photo.jpg", timeout=30)
    assert got.content == BYTES
    assert got.headers["Content-Type"] == "image/jpeg"
    assert got.headers["Content-Disposition"] == 'inline; filename="photo.jpg"'
    assert got.headers["ETag"] == made.headers["ETag"]
    assert got.headers["Accept-Ranges"] == "bytes"
    assert abs(parsedate_to_datetime(got.headers["Last-Modified"]).timestamp() - time.time()) < 60
    assert made.headers["Location"].endswith("/a/photo.jpg")
    head = requests.head(f"{url}/a/photo.jpg", timeout=30)
    assert head.headers["Content-Length"] == str(len(BYTES)) and head.content == b""
    put(f"{url}/typed.jpg", b"x", **{"Content-Type": "text/x-mine"})
    assert requests.get(f"{url}/typed.jpg", timeout=30).headers["Content-Type"] == "text/x-mine"


def test_a_driver_reads_what_was_put_and_http_serves_what_a_driver_uploaded(url, gridfs_bucket):
    made = put(f"{url}/by-http", BYTES).json()
    assert gridfs_bucket.open_download_stream_by_name("by-http").read() == BYTES
    assert gridfs_bucket.open_download_stream(ObjectId(made["id"])).read() == BYTES
    file = gridfs_bucket.upload_from_stream("by-driver", BYTES, metadata={"contentType": "text/plain"})
    by_name = requests.get(f"{url}/by-driver", timeout=30)
    assert (by_name.content, by_name.headers["Content-Type"]) == (BYTES, "text/plain")
    assert requests.get(url, params={"id": str(file)}, timeout=30).content == BYTES
    gridfs_bucket.upload_from_stream_with_id("my id", "other", b"other")
    assert requests.get(url, params={"id": "my id"}, timeout=30).content == b"other"
    gridfs_bucket.delete(file)
    assert requests.get(f"{url}/by-driver", timeout=30).status_code == 404


def test_names_in_any_script(url):
    for name in ["Übergröße.txt", "写真/猫 1.jpg", "a b+c&d=e#f?g%h.txt", "😀", "quote\"back\\slash"]:
        path = f"{url}/{requests.utils.quote(name, safe='')}"
        put(path, name.encode())
        got = requests.get(path, timeout=30)
        assert got.content == name.encode()
        disposition = got.headers["Content-Disposition"]
        last = name.rsplit("/", 1)[-1]
        if last.isascii() and not set(last) & set('"\\%'):
            assert disposition == f'inline; filename="{last}"'
        else:
            assert disposition == f"inline; filename*=UTF-8''{requests.utils.quote(last, safe='-._~')}"
    listed = [file["name"] for file in requests.get(url, timeout=30).json()["files"]]
    assert sorted(listed) == listed and "写真/猫 1.jpg" in listed


def test_single_ranges_are_sent_or_refused(url):
    put(f"{url}/a", BYTES)
    size = len(BYTES)
    for header, start, end in [("0-0", 0, 1), ("1000-", 1000, size), ("-5", size - 5, size), ("261119-261121", 261119, 261122),
                               ("5-99999999", 5, size)]:
        got = requests.get(f"{url}/a", headers={"Range": f"bytes={header}"}, timeout=30)
        assert got.status_code == 206
        assert got.headers["Content-Range"] == f"bytes {start}-{end - 1}/{size}"
        assert got.content == BYTES[start:end]
    beyond = requests.get(f"{url}/a", headers={"Range": f"bytes={size}-"}, timeout=30)
    assert (beyond.status_code, beyond.headers["Content-Range"]) == (416, f"bytes */{size}")
    assert requests.get(f"{url}/a", headers={"Range": "lines=1-2"}, timeout=30).status_code == 200


def test_several_ranges_come_as_parts(url):
    put(f"{url}/a.txt", BYTES)
    got = requests.get(f"{url}/a.txt", headers={"Range": "bytes=0-9, 300000-300009, -3"}, timeout=30)
    assert got.status_code == 206
    head = f"Content-Type: {got.headers['Content-Type']}\r\n\r\n".encode()
    parts = message_from_bytes(head + got.content).get_payload()
    assert [part["Content-Range"] for part in parts] == [
        f"bytes {start}-{end}/{len(BYTES)}" for start, end in [(0, 9), (300000, 300009), (len(BYTES) - 3, len(BYTES) - 1)]]
    assert parts[0]["Content-Type"].startswith("text/plain")
    assert len(got.content) == int(got.headers["Content-Length"])
    assert BYTES[300000:300010] in got.content


def test_conditions_decide_whether_a_file_is_sent(url):
    made = put(f"{url}/a", BYTES)
    tag, date = made.headers["ETag"], made.headers["Last-Modified"]

    def status(**headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return requests.get(f"{url}/a", headers=headers, timeout=30).status_code

    assert status(If_None_Match=tag) == 304
    assert status(If_None_Match='"other"') == 200
    assert status(If_Modified_Since=date) == 304
    assert status(If_Modified_Since="Sat, 01 Jan 2000 00:00:00 GMT") == 200
    assert status(If_Match='"other"') == 412
    assert status(Range="bytes=0-1", If_Range=tag) == 206
    assert status(Range="bytes=0-1", If_Range='"other"') == 200
    put(f"{url}/a", BYTES + b"!")
    assert status(If_None_Match=tag) == 200


def test_conditions_decide_whether_a_file_is_written(url):
    def status(body, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return requests.put(f"{url}/a", data=body, headers=headers, timeout=30).status_code

    assert status(b"1", If_Match="*") == 412
    assert status(b"1", If_None_Match="*") == 201
    assert status(b"2", If_None_Match="*") == 412
    tag = requests.head(f"{url}/a", timeout=30).headers["ETag"]
    assert status(b"2", If_Match=tag) == 201
    assert status(b"3", If_Match=tag) == 412


def test_versions_of_a_name_are_read_and_deleted(url):
    for version in [b"one", b"two", b"three"]:
        put(f"{url}/a", version)

    def version(number):
        return requests.get(f"{url}/a", params={"version": number}, timeout=30)

    assert [version(n).content for n in (0, 1, -1, -2)] == [b"one", b"two", b"three", b"two"]
    assert version(3).status_code == 404
    assert requests.delete(f"{url}/a", params={"version": -1}, timeout=30).status_code == 204
    assert requests.get(f"{url}/a", timeout=30).content == b"two"
    assert requests.delete(f"{url}/a", timeout=30).status_code == 204
    missing = requests.get(f"{url}/a", timeout=30)
    assert missing.status_code == 404 and missing.json()["error"] == "not_found"
    assert requests.delete(f"{url}/a", timeout=30).status_code == 404


def test_a_form_brings_several_files(url):
    files = [("f", ("übung.txt", b"first", "text/plain")), ("f", ("b.bin", BYTES)), ("note", (None, "no file"))]
    answer = requests.post(url, files=files, timeout=30)
    assert answer.status_code == 201, answer.text
    assert [file["name"] for file in answer.json()["files"]] == ["übung.txt", "b.bin"]
    assert requests.get(f"{url}/b.bin", timeout=30).content == BYTES
    assert requests.post(url, data="x", timeout=30).status_code == 415


def test_digests_are_checked_and_given(url, client, bucket):
    digest = base64.b64encode(hashlib.sha256(BYTES).digest()).decode()
    put(f"{url}/a", BYTES, **{"Content-Digest": f"sha-256=:{digest}:"})
    assert requests.head(f"{url}/a", timeout=30).headers["Repr-Digest"] == f"sha-256=:{digest}:"
    put(f"{url}/b", BYTES, Digest=f"SHA-256={digest}")
    wrong = requests.put(f"{url}/c", data=BYTES + b"!", headers={"Content-Digest": f"sha-256=:{digest}:"}, timeout=30)
    assert (wrong.status_code, wrong.json()["error"]) == (400, "digest_mismatch")
    assert requests.get(f"{url}/c", timeout=30).status_code == 404
    # What is on the disk is checked when it is read.
    file = client["default"][f"{bucket}.files"].find_one({"filename": "a"})
    client["default"][f"{bucket}.chunks"].update_one({"files_id": file["_id"], "n": 1}, [{"$set": {
        "data": b"x" * 261120}}])
    damaged = requests.get(f"{url}/a", timeout=30)
    assert (damaged.status_code, damaged.json()["error"]) == (500, "damaged")


def test_a_listing_comes_in_pages(url):
    names = [f"file {number:03}" for number in range(25)]
    for name in names:
        put(f"{url}/{name}", b"x")
    put(f"{url}/other", b"x")
    found, after = [], None
    while True:
        page = requests.get(url, params={"limit": 10, "prefix": "file ", "after": after}, timeout=30).json()
        found += [file["name"] for file in page["files"]]
        after = page["next"]
        if after is None:
            break
    assert found == names
    assert requests.get(url, params={"limit": 0}, timeout=30).status_code == 400


def test_curl_puts_resumes_and_deletes(url, tmp_path):
    (tmp_path / "whole").write_bytes(BYTES)

    def curl(*options):
        return subprocess.run(["curl", "-sS", "--fail-with-body", *options], capture_output=True, text=True, timeout=60,
                              cwd=tmp_path, check=True).stdout

    assert json.loads(curl("-T", "whole", f"{url}/a"))["length"] == len(BYTES)
    (tmp_path / "part").write_bytes(BYTES[:300_000])
    curl("-C", "-", "-o", "part", f"{url}/a")
    assert (tmp_path / "part").read_bytes() == BYTES
    curl("-F", "file=@whole;filename=b", url)
    curl("-X", "DELETE", f"{url}/a")
    assert [file["name"] for file in json.loads(curl(url))["files"]] == ["b"]


def test_other_databases_and_wrong_requests(server, client):
    client.drop_database("fleet")
    put(f"{server.url}/files/fleet.photos/a", b"x")
    assert gridfs.GridFSBucket(client["fleet"], bucket_name="photos").open_download_stream_by_name("a").read() == b"x"
    for method, path, status in [("GET", "/files/$", 400), ("GET", "/files/.b", 400), ("PATCH", "/files/b/a", 405),
                                 ("GET", "/nothing", 404), ("GET", "/files/b/%FF", 400), ("GET", "/files/b/a?version=x", 400),
                                 ("PUT", "/files/b/" + "n" * 2000, 400)]:
        answer = requests.request(method, server.url + path, timeout=30)
        assert answer.status_code == status, (path, answer.text)
        assert set(answer.json()) == {"error", "reason"}


def test_health_and_metrics_are_reported(server):
    assert requests.get(f"{server.url}/health", timeout=30).json() == {"status": "ok"}
    metrics = requests.get(f"{server.url}/metrics", timeout=30).text
    values = dict(line.split(" ") for line in metrics.splitlines() if not line.startswith("#"))
    assert int(values["larder_http_requests_total"]) > 0
    assert int(values["process_resident_memory_bytes"]) > 10 << 20


def test_files_in_memory_are_not_answered_once_the_folder_is_gone(tmp_path):
    folder = tmp_path / "data"
    with running(folder) as server:
        url = f"{server.url}/files/b/hot"
        put(url, BYTES)
        for _ in range(3):
            assert requests.get(url, timeout=30).content == BYTES
        folder.rename(tmp_path / "moved")
        time.sleep(0.3)
        for ask in (requests.get, requests.head):
            assert ask(url, timeout=30).status_code >= 500
        assert "gone or was replaced" in requests.get(url, timeout=30).text


def test_a_file_that_is_replaced_and_deleted_while_it_is_read_is_whole_or_not_there(url):
    bodies, statuses, end = [bytes([number]) * 900_000 for number in range(4)], set(), time.monotonic() + 3

    def writing(number):
        with requests.Session() as session:
            while time.monotonic() < end:
                statuses.add(("PUT", session.put(f"{url}/x", data=bodies[number], timeout=30).status_code))

    def deleting():
        with requests.Session() as session:
            while time.monotonic() < end:
                statuses.add(("DELETE", session.delete(f"{url}/x", timeout=30).status_code))
                time.sleep(0.005)

    def reading(_):
        with requests.Session() as session:
            while time.monotonic() < end:
                answer = session.get(f"{url}/x", timeout=30)
                statuses.add(("GET", answer.status_code))
                assert answer.status_code == 404 or answer.content in bodies, answer.content[:200]

    with ThreadPoolExecutor() as pool:
        tasks = [*(pool.submit(writing, number) for number in range(2)), pool.submit(deleting), *(pool.submit(reading, at) for at in range(3))]
        for task in tasks:
            task.result()
    assert {status for verb, status in statuses if verb == "GET"} <= {200, 404}, statuses
