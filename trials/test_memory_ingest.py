"""Documents on their way in: bulk requests of Elasticsearch's protocol, ingest pipelines, messages of syslog. In a group of 512 MB, as in
`test_memory.py`."""

import gzip
import socket
import time
from collections import Counter

import requests
from limited import LIMITS, Limited, assert_alive, connections, group, server, together  # noqa: F401


def bulk(server, lines, path="/_bulk"):
    headers = {"Content-Type": "application/x-ndjson"}
    return requests.post(f"{server.elastic}/trial{path}", data=lines, headers=headers, timeout=600)


def bulk_answer(answer):
    """Every item was written, or an error says which limit was met."""
    if answer.status_code != 200:
        assert answer.status_code in (413, 429) and any(limit in answer.text for limit in LIMITS), answer.text[:300]
        return "refused"
    for item in answer.json()["items"]:
        item = item["index"]
        assert item["status"] == 201 or (item["status"] in (400, 429) and any(limit in str(item["error"]) for limit in (*LIMITS, "which is the limit"))), item
    return "written"


def test_bulk_requests_of_many_small_items(server, long):
    answers = Counter()

    def put():
        answers[bulk_answer(bulk(server, '{"index":{}}\n{}\n' * (2_000_000 if long else 200_000)))] += 1

    together(put, 8 if long else 3)
    assert bulk_answer(bulk(server, '{"index":{}}\n{}\n' * 1_000)) == "written"
    print(answers)


def test_bulk_requests_of_large_documents(server, long):
    answers = Counter()
    document = '{"index":{}}\n{"t":"' + "x" * 5_000_000 + '"}\n'

    def put():
        answers[bulk_answer(bulk(server, document * 4))] += 1

    together(put, 32 if long else 6)
    assert answers["written"] > 0, answers


def test_compressed_bulk_requests(server, long):
    lines = gzip.compress(b'{"index":{}}\n{"t":"' + b"x" * 90_000_000 + b'"}\n', 1)
    headers = {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"}

    def put():
        answer = requests.post(f"{server.elastic}/trial/_bulk", data=lines, headers=headers, timeout=600)
        assert answer.status_code in (200, 413, 429), answer.text[:300]

    together(put, 16 if long else 4)


def test_documents_that_pipelines_make_larger(server, long):
    doubling = [{"set": {"field": "t", "value": "{{t}}{{t}}"}}] * 30
    steps = {"grows": doubling, "grows some": doubling[:12]}
    for name, processors in steps.items():
        answer = requests.put(f"{server.elastic}/_ingest/pipeline/{name.replace(' ', '_')}", json={"processors": processors}, timeout=60)
        assert answer.status_code == 200, answer.text
    lines = '{"index":{}}\n{"t":"' + "x" * 1_000 + '"}\n'

    def put(path):
        answer = bulk(server, lines * (500 if long else 100), path)
        assert bulk_answer(answer) == "written", answer.text[:300]
        return [item["index"]["status"] for item in answer.json()["items"]]

    assert set(put("/_bulk?pipeline=grows")) == {400}
    statuses = Counter()
    together(lambda: statuses.update(put("/_bulk?pipeline=grows_some")), 8 if long else 3)
    assert statuses[201] > 0, statuses


def test_half_sent_messages_of_syslog(tmp_path, long):
    with group() as path:
        served = Limited(tmp_path / "data", path, "--syslog-listen", "127.0.0.1:0")
        try:
            held, _ = connections(served, "syslog", 2_000 if long else 300, b"<13>" + b"x" * 200_000)
            try:
                host, port = served.addresses["syslog"].rsplit(":", 1)
                with socket.create_connection((host, int(port)), timeout=60) as other:
                    other.sendall(b"<13>whole\n")
                    other.shutdown(socket.SHUT_WR)
                    with served.client() as client:
                        # Whoever sends nothing more while others wait is closed.
                        ends = time.monotonic() + 60
                        while not client.logs.syslog.count_documents({"message": "whole"}):
                            assert time.monotonic() < ends, "a whole message waits behind half ones"
                            time.sleep(0.1)
                        told = client.admin.command("serverStatus")["larder"]["memory"]
                        assert told["syslog"]["heldBytes"] <= told["syslog"]["limitBytes"], told
            finally:
                for connection in held:
                    connection.close()
            assert_alive(served)
            print(f"{served.resident_mb()} MB at the most")
        finally:
            served.stop()
