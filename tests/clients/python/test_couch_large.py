"""An attachment that is larger than the server's memory passes through it, both ways and from one database to another.

LARDER_ATTACHMENT_BYTES says how large it is; the bar is 1,000,000,000 (what does not get smaller by compression gets a little larger,
and CouchDB takes no more than 1,073,741,824 by default)."""

import hashlib
import json
import os
from pathlib import Path

import pytest
import requests
from server import running

SIZE = int(os.environ.get("LARDER_ATTACHMENT_BYTES", 256 * 1024 * 1024))
# What the server may take at any moment, less than the attachment has; its memory budget is 64 MB.
PEAK_MAX = 256 * 1024 * 1024
BLOCK = os.urandom(1024 * 1024)


@pytest.fixture(scope="module")
def own_server(tmp_path_factory):
    with running(tmp_path_factory.mktemp("large")) as server:
        yield server


def memory(server, name):
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    [line] = [line for line in status.splitlines() if line.startswith(name)]
    return int(line.split()[1]) * 1024


class Flat:
    """The server's memory stays below the limit within a block."""

    def __init__(self, server, what):
        self.server, self.what = server, what

    def __enter__(self):
        Path(f"/proc/{self.server.process.pid}/clear_refs").write_text("5")
        self.before = memory(self.server, "VmRSS")

    def __exit__(self, kind, *_):
        if kind is None:
            peak = memory(self.server, "VmHWM")
            print(f"{self.what}: {self.before >> 20} MB before, at most {peak >> 20} MB")
            assert peak < PEAK_MAX, self.what


def blocks():
    """The attachment, whose blocks all differ."""
    for number in range(SIZE // len(BLOCK)):
        yield number.to_bytes(8, "big") + BLOCK[8:]


@pytest.fixture(scope="module")
def expected():
    digest = hashlib.md5()
    for block in blocks():
        digest.update(block)
    return digest.hexdigest()


def received(answer):
    assert answer.status_code == 200
    digest, length = hashlib.md5(), 0
    for piece in answer.iter_content(1024 * 1024):
        digest.update(piece)
        length += len(piece)
    return digest.hexdigest(), length


class Related:
    """A document and the attachment behind it, in pieces."""

    def __init__(self, kind):
        self.length = SIZE // len(BLOCK) * len(BLOCK)
        document = {"_attachments": {"large": {"content_type": kind, "follows": True, "length": self.length}}}
        self.head = b"--abc\r\nContent-Type: application/json\r\n\r\n" + json.dumps(document).encode() + b"\r\n--abc\r\n\r\n"
        self.end = b"\r\n--abc--"

    def __len__(self):
        return len(self.head) + self.length + len(self.end)

    def __iter__(self):
        yield self.head
        yield from blocks()
        yield self.end


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kind", ["application/octet-stream", "text/plain"])
def test_a_large_attachment_takes_no_more_memory_than_a_small_one(own_server, expected, kind):
    name = kind.replace("/", "_").replace("-", "_")
    url = f"{own_server.couch}/large_{name}"
    assert requests.put(url).status_code == 201
    # What every first request takes is not counted.
    assert requests.put(f"{url}/small/f", data=BLOCK, headers={"Content-Type": kind}).status_code == 201
    assert requests.get(f"{url}/small/f").content == BLOCK
    length = SIZE // len(BLOCK) * len(BLOCK)
    with Flat(own_server, f"{kind}: PUT"):
        assert requests.put(f"{url}/a/large", data=blocks(), headers={"Content-Type": kind}).status_code == 201
    with Flat(own_server, f"{kind}: GET"):
        plain = {"Accept-Encoding": "identity"}
        assert received(requests.get(f"{url}/a/large", headers=plain, stream=True)) == (expected, length)
    with Flat(own_server, f"{kind}: PUT multipart/related"):
        headers = {"Content-Type": "multipart/related; boundary=abc"}
        assert requests.put(f"{url}/b", data=Related(kind), headers=headers).status_code == 201
    with Flat(own_server, f"{kind}: GET multipart/related"):
        answer = requests.get(f"{url}/b?attachments=true", stream=True)
        assert received(answer)[1] == int(answer.headers["Content-Length"])
    with Flat(own_server, f"{kind}: replication"):
        asked = {"source": url, "target": f"{url}_copy", "create_target": True}
        done = requests.post(f"{own_server.couch}/_replicate", json=asked).json()
        assert done["history"][0]["docs_written"] == 3, done
    stubs = [requests.get(f"{place}/b").json()["_attachments"]["large"]["digest"] for place in (url, f"{url}_copy")]
    assert stubs[0] == stubs[1]
    for place in (url, f"{url}_copy"):
        assert requests.delete(place).status_code == 200
