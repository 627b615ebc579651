"""Requests of Elasticsearch's and Riak's protocols that would run for ever: they end when their time is up, when they are killed, when
their client goes and when the server is told to stop, and are seen meanwhile. What takes how long is as in `test_time.py`."""

import json
import socket
import threading
import time

import pymongo
import pytest
import requests
from server import Server
from test_time import END_S, LIMIT_MS, others, patience, took, wait_until  # noqa: F401

DOCUMENTS = 20_000
LOOP = "int n = 0; for (int i = 0; i < 20000; i++) { n += i; } return n"
SCRIPT = {"script": {"script": {"source": LOOP + " > 0;"}}}
# It looks at every document and takes none.
NOTHING = {"script": {"script": {"source": LOOP + " < 0;"}}}
SCORED = {"function_score": {"query": {"match_all": {}}, "functions": [{"script_score": {"script": LOOP + ";"}}] * 5}}
FOREVER = "function (v) { for (;;); }"


def job(*phases, inputs="b"):
    """A job of map/reduce without a time of its own that matters."""
    return {"inputs": inputs, "query": list(phases), "timeout": 3_600_000}


def script(kind, source):
    return {kind: {"language": "javascript", "source": source}}


GREW = "function (values) { var all = []; for (;;) { all.push(values.length); if (all.length > 1000) all = []; } }"
# By name: the protocol, the path and the body.
LOADS = {
    "a search by a script": ("elastic", "/n/_search", {"query": SCRIPT}),
    "scores by scripts": ("elastic", "/n/_search", {"query": SCORED}),
    "a count": ("elastic", "/n/_count", {"query": SCRIPT}),
    "a scroll": ("elastic", "/n/_search?scroll=1m", {"query": SCRIPT}),
    "several searches": ("elastic", "/n/_msearch", ("{}\n" + json.dumps({"query": SCRIPT}) + "\n") * 10),
    "a delete by a query": ("elastic", "/n/_delete_by_query", {"query": NOTHING}),
    "a slow update by a query": ("elastic", "/n/_update_by_query?requests_per_second=1&scroll_size=10", {}),
    "a map": ("riak", "/mapred", job(script("map", FOREVER))),
    "a map in parts": ("riak", "/mapred?chunked=true", job(script("map", FOREVER))),
    "a reduce": ("riak", "/mapred", job(script("reduce", GREW))),
}
# Not ended by the limit of reads: they write.
WRITES = {"a delete by a query", "a slow update by a query"}


def started(folder, *options):
    served = Server(folder, *options, memory="512m")
    for first in range(0, DOCUMENTS, 5_000):
        lines = "".join('{"index":{}}\n{"a":%d}\n' % at for at in range(first, first + 5_000))
        answer = requests.post(f"{served.elastic}/n/_bulk", data=lines, headers={"Content-Type": "application/x-ndjson"}, timeout=60)
        assert not answer.json()["errors"]
    for at in range(50):
        requests.put(f"{served.riak}/buckets/b/keys/{at}", data=b"1", headers={"Content-Type": "text/plain"}, timeout=60).raise_for_status()
    return served


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    served = started(tmp_path_factory.mktemp("time") / "data")
    yield served
    served.stop()


def request_of(server, name):
    """The request as it goes over the wire."""
    protocol, path, body = LOADS[name]
    body = body if isinstance(body, str) else json.dumps(body)
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return server.addresses[protocol], (head + body).encode()


class Asked:
    """A request on a connection of its own, whose answer somebody waits for."""

    def __init__(self, server, name):
        address, request = request_of(server, name)
        host, port = address.rsplit(":", 1)
        self.connection = socket.create_connection((host, int(port)), timeout=60)
        self.connection.sendall(request)
        self.answer, self.ended_at = b"", None
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        try:
            while b"\r\n0\r\n\r\n" not in self.answer and not self._is_whole():
                part = self.connection.recv(4096)
                if not part:
                    break
                self.answer += part
        except OSError:
            pass
        self.ended_at = time.monotonic()

    def _is_whole(self):
        head, separator, body = self.answer.partition(b"\r\n\r\n")
        lengths = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        return bool(separator and lengths) and len(body) >= int(lengths[0])

    def go(self):
        self.connection.shutdown(socket.SHUT_RDWR)
        self.connection.close()


def listed(client, name):
    path = LOADS[name][1].partition("?")[0]
    return [found["opid"] for found in client.admin.aggregate([{"$currentOp": {}}, {"$match": {"command.POST": path}}])]


@pytest.mark.parametrize("name", LOADS)
def test_a_kill_ends_it_and_others_are_answered(server, patience, name):  # noqa: F811
    with pymongo.MongoClient(server.uri) as client, others(server, patience):
        asked = Asked(server, name)
        wait_until(lambda: listed(client, name), 60)
        time.sleep(0.3)
        began = time.monotonic()
        for operation in listed(client, name):
            client.admin.command("killOp", 1, op=operation)
        wait_until(lambda: asked.ended_at, 30)
        print(f"{name}: {(asked.ended_at - began) * 1000:.0f} ms after the kill")
        assert asked.ended_at - began <= END_S * patience
        assert b"interrupted" in asked.answer or b"cancel" in asked.answer, asked.answer[:500]


@pytest.mark.parametrize("name", LOADS)
def test_it_ends_with_its_client(server, patience, name):  # noqa: F811
    with pymongo.MongoClient(server.uri) as client:
        asked = Asked(server, name)
        wait_until(lambda: listed(client, name), 60)
        time.sleep(0.3)
        asked.go()
        took_s = wait_until(lambda: not listed(client, name), END_S * patience)
        print(f"{name}: {took_s * 1000:.0f} ms after its client went")


@pytest.mark.parametrize("name", [name for name in LOADS if name not in WRITES])
def test_a_limit_for_all_ends_it(tmp_path_factory, patience, limited, name):  # noqa: F811
    asked, began = Asked(limited, name), time.monotonic()
    # Several searches have their time one after another.
    most_s = LIMIT_MS / 1000 * (10 if name == "several searches" else 1) + END_S * patience
    wait_until(lambda: asked.ended_at, most_s + 1)
    print(f"{name}: ended {(asked.ended_at - began) * 1000:.0f} ms after it began, with {LIMIT_MS} ms")
    assert asked.ended_at - began <= most_s
    assert b"time" in asked.answer, asked.answer[:500]


@pytest.fixture(scope="module")
def limited(tmp_path_factory):
    served = started(tmp_path_factory.mktemp("limited") / "data", "--default-max-time-ms", str(LIMIT_MS))
    yield served
    served.stop()


def test_a_search_has_the_time_that_it_says(server, patience):  # noqa: F811
    for name in ("a search by a script", "scores by scripts"):
        body = {**LOADS[name][2], "timeout": f"{LIMIT_MS}ms"}
        began = time.monotonic()
        answer = requests.post(f"{server.elastic}/n/_search", json=body, timeout=60)
        assert time.monotonic() - began <= LIMIT_MS / 1000 + END_S * patience
        assert answer.json().get("timed_out") or answer.status_code == 504, answer.text[:300]
    body = {**job(script("map", FOREVER)), "timeout": LIMIT_MS}
    began = time.monotonic()
    answer = requests.post(f"{server.riak}/mapred", json=body, timeout=60)
    assert time.monotonic() - began <= LIMIT_MS / 1000 + END_S * patience
    assert "timeout" in answer.text


def test_a_task_is_cancelled(server, patience):  # noqa: F811
    begun = requests.post(f"{server.elastic}/n/_update_by_query?wait_for_completion=false&requests_per_second=1&scroll_size=10", timeout=60)
    task = begun.json()["task"]
    began = time.monotonic()
    requests.post(f"{server.elastic}/_tasks/{task}/_cancel", timeout=60).raise_for_status()
    ended = lambda: requests.get(f"{server.elastic}/_tasks/{task}", timeout=60).json()  # noqa: E731
    wait_until(lambda: ended()["completed"], END_S * patience)
    print(f"cancelled within {(time.monotonic() - began) * 1000:.0f} ms")
    assert ended()["response"]["canceled"] == "by user request"


@pytest.mark.parametrize("name", ["a search by a script", "a slow update by a query", "a map", "a map in parts"])
def test_sigterm_ends_endless_requests(tmp_path, patience, name):  # noqa: F811
    served = started(tmp_path / "data")
    with pymongo.MongoClient(served.uri) as client:
        asked = Asked(served, name)
        wait_until(lambda: listed(client, name), 60)
        time.sleep(0.3)
    took_s = took(served.stop)
    print(f"{name}: the server ended {took_s * 1000:.0f} ms after the signal")
    # The end of the server itself takes a moment too: what is in memory goes to the disk.
    assert took_s <= (END_S + 1) * patience
    wait_until(lambda: asked.ended_at, 60)
