"""Many feeds of changes at once, and feeds whose clients do not read."""

import json
import re
import resource
import socket
import ssl
import time
from pathlib import Path

import pytest
import requests
from server import running
from tls import House

FEEDS = 400
# What one may take of the server's memory, whether its client reads or not: about 10,000 in a build for tests, documents included.
BYTES_A_FEED_MAX = 20_000
# Within TLS: the session, and what it has encrypted.
BYTES_A_TLS_FEED_MAX = 200_000
DOCUMENTS = 600
TEXT = "x" * 2000
CLIENTS = 20
LONG = "".join(f"{n:08}" for n in range(800_000))
FOLLOWED = "_changes?include_docs=true&feed=continuous"


@pytest.fixture
def descriptors():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def resident(server):
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"RssAnon:\s+(\d+)", status).group(1)) * 1024


def processor(server):
    words = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(words[11]) + int(words[12])


def rested(server):
    """Waits until the server has nothing more to do; on a busy machine it may have to wait for a processor."""
    last, looks = None, 0
    while looks < 2:
        now = processor(server) // 5
        looks = looks + 1 if now == last else 0
        last = now
        time.sleep(1)


def ask(server, path, trust=None):
    """Asks for a feed and reads nothing of it; within TLS where a context is given."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32 * 1024)
    host, port = server.couch.removeprefix("http://").split(":")
    client.connect((host, int(port)))
    if trust:
        client = trust.wrap_socket(client, server_hostname=host)
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    return client


def changes(client, count):
    """The ids of so many changes."""
    client.settimeout(60)
    with client.makefile("rb") as lines:
        while lines.readline() != b"\r\n":
            pass
        text, ids = b"", []
        while len(ids) < count:
            size = int(lines.readline(), 16)
            text += lines.read(size)
            assert lines.read(2) == b"\r\n"
            *whole, text = text.split(b"\n")
            ids += [json.loads(line)["id"] for line in whole if line]
    return ids


def test_feeds_whose_clients_do_not_read_cost_next_to_nothing_and_go_on_where_they_were(tmp_path, descriptors):
    with running(tmp_path) as server:
        requests.put(f"{server.couch}/d").raise_for_status()
        docs = [{"_id": f"{n:05}", "text": TEXT} for n in range(DOCUMENTS)]
        # What the first documents and feeds bring with them is no part of what each takes.
        requests.post(f"{server.couch}/d/_bulk_docs", json={"docs": docs[:100]}).raise_for_status()
        path = "/d/_changes?feed=continuous&include_docs=true&heartbeat=600000&since=now"
        first = [ask(server, path) for _ in range(20)]
        rested(server)
        before = resident(server)
        feeds = [ask(server, path) for _ in range(FEEDS)]
        rested(server)
        idle = (resident(server) - before) / FEEDS
        for start in range(100, DOCUMENTS, 100):
            made = requests.post(f"{server.couch}/d/_bulk_docs", json={"docs": docs[start : start + 100]})
            made.raise_for_status()
        rested(server)
        # The allocator gives back what is free when it comes to it, on a busy machine later.
        until = time.monotonic() + 60
        while (stalled := (resident(server) - before) / FEEDS) >= BYTES_A_FEED_MAX and time.monotonic() < until:
            time.sleep(1)
        print(f"a feed takes {idle:.0f} bytes, {stalled:.0f} where its client does not read")
        assert idle < BYTES_A_FEED_MAX and stalled < BYTES_A_FEED_MAX
        for client in (first[0], feeds[0], feeds[-1]):
            assert changes(client, DOCUMENTS - 100) == [f"{n:05}" for n in range(100, DOCUMENTS)]
        for client in first + feeds:
            client.close()


def test_a_feed_within_tls_whose_client_does_not_read_waits_too(tmp_path, descriptors):
    (tmp_path / "house").mkdir()
    house = House(tmp_path / "house")
    trust = ssl.create_default_context(cafile=house.authority)
    with running(tmp_path / "data", *house.options()) as server, requests.Session() as session:
        session.verify, session.trust_env = str(house.authority), False
        couch = server.couch.replace("http://", "https://")
        session.put(f"{couch}/d").raise_for_status()
        docs = [{"_id": f"{n:05}", "text": TEXT} for n in range(DOCUMENTS)]
        session.post(f"{couch}/d/_bulk_docs", json={"docs": docs[:100]}).raise_for_status()
        path = "/d/_changes?feed=continuous&include_docs=true&heartbeat=600000&since=now"
        first = [ask(server, path, trust) for _ in range(20)]
        rested(server)
        before = resident(server)
        feeds = [ask(server, path, trust) for _ in range(100)]
        rested(server)
        idle = (resident(server) - before) / len(feeds)
        for start in range(100, DOCUMENTS, 100):
            session.post(f"{couch}/d/_bulk_docs", json={"docs": docs[start : start + 100]}).raise_for_status()
        rested(server)
        stalled = (resident(server) - before) / len(feeds)
        print(f"a feed within TLS takes {idle:.0f} bytes, {stalled:.0f} where its client does not read")
        # A feed's documents are 1 MB; TLS keeps what it has encrypted until the socket takes it.
        assert stalled < BYTES_A_TLS_FEED_MAX
        assert session.get(f"{couch}/d", timeout=60).json()["doc_count"] == DOCUMENTS
        for client in (first[0], feeds[0], feeds[-1]):
            assert changes(client, DOCUMENTS - 100) == [f"{n:05}" for n in range(100, DOCUMENTS)]
        for client in first + feeds:
            client.close()


@pytest.mark.parametrize("path", ["long", "_all_docs?include_docs=true", "_changes?include_docs=true", FOLLOWED])
def test_a_long_document_whose_client_does_not_take_it_waits_on_the_disk(tmp_path, path):
    """So many clients cost far less than a document each, and get all of it when they read at last."""
    with running(tmp_path) as server:
        requests.put(f"{server.couch}/d").raise_for_status()
        requests.put(f"{server.couch}/d/long", json={"text": LONG}).raise_for_status()
        requests.get(f"{server.couch}/d/long").raise_for_status()
        rested(server)
        before = resident(server)
        clients = [ask(server, f"/d/{path}") for _ in range(CLIENTS)]
        deadline = time.monotonic() + 60
        # The system takes up to 4 MB for each.
        while temporary(server) < CLIENTS * len(LONG) // 8:
            assert time.monotonic() < deadline, "nothing waits on the disk"
            time.sleep(0.1)
        rested(server)
        assert resident(server) - before < CLIENTS * len(LONG) // 5
        for client in clients:
            assert LONG.encode() in body(client, len(LONG))
            client.close()
        deadline = time.monotonic() + 60
        while temporary(server):
            assert time.monotonic() < deadline, "temporary files are left"
            time.sleep(0.1)


def temporary(server):
    """The bytes of the server's temporary files."""
    told = requests.get(f"{server.url}/metrics").text
    return int(re.search(r"^larder_temporary_bytes (\d+)$", told, re.MULTILINE).group(1))


def body(client, length):
    """What comes, without the sizes of chunks, until there is this much of it."""
    client.settimeout(60)
    with client.makefile("rb") as answer:
        head = b"".join(iter(answer.readline, b"\r\n"))
        if b"chunked" not in head.lower():
            return answer.read(length + len(b'{"_id":"long","_rev":"1-0123456789abcdef0123456789abcdef","text":""}\n'))
        text = b""
        while len(text) < length + 2:
            size = int(answer.readline(), 16)
            text += answer.read(size)
            assert answer.read(2) == b"\r\n"
            if not size:
                break
        return text


def test_a_feed_that_ends_leaves_its_connection_to_the_next_request(couch):
    requests.put(f"{couch}/a", json={}).raise_for_status()
    with requests.Session() as session:
        for _ in range(3):
            told = session.get(f"{couch}/_changes", params={"feed": "longpoll"}, timeout=30)
            assert [row["id"] for row in told.json()["results"]] == ["a"]
            lines = session.get(f"{couch}/_changes", params={"feed": "continuous", "timeout": 50}, timeout=30)
            assert json.loads(lines.text.splitlines()[0])["id"] == "a"
            assert session.get(f"{couch}/a", timeout=30).json()["_id"] == "a"
        [pool] = session.adapters["http://"].poolmanager.pools._container.values()
        assert pool.num_connections == 1
