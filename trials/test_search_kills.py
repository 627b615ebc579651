"""SIGKILL under bulk load, with a full-text index that follows: what was acknowledged is found, once, and nothing else."""

import json
import threading
import time

import pymongo
import requests
from server import running

WRITERS = 2
BATCH = 250
START_MS = 1_767_312_000_000
LINES = {"mappings": {"properties": {"@timestamp": {"type": "date"}, "batch": {"type": "keyword"}, "message": {"type": "text"}}}}


def test_what_was_acknowledged_is_found_once_after_kills(tmp_path, chance, long):
    sent, acknowledged = set(), set()
    with running(tmp_path, memory="128m") as server:
        assert requests.put(f"{server.elastic}/lines", json=LINES).ok
        # From a thousand documents on there is an index.
        for number in range(5):
            assert write(server.elastic, f"first-{number}") == 200
            sent.add(f"first-{number}")
            acknowledged.add(f"first-{number}")
    for round_ in range(100 if long else 3):
        with running(tmp_path, memory="128m") as server:
            writers = [threading.Thread(target=write_until_killed, args=(server.elastic, f"{round_}-{writer}", sent, acknowledged))
                       for writer in range(WRITERS)]
            searcher = threading.Thread(target=search_until_killed, args=(server.elastic,))
            for thread in [*writers, searcher]:
                thread.start()
            # Commits of the index come each second.
            time.sleep(chance.uniform(0.3, 3))
            server.kill()
            for thread in [*writers, searcher]:
                thread.join(60)
        with running(tmp_path, memory="128m") as server:
            compare(server, acknowledged, sent)
            if chance.random() < 0.5:
                # Once more, with all of it in the index.
                time.sleep(2.5)
                compare(server, acknowledged, sent)


def batch(name):
    lines = []
    for number in range(BATCH):
        lines.append('{"create":{}}')
        document = {"@timestamp": START_MS + number, "batch": name, "message": f"of {name.replace('-', 'x')} line {number}"}
        lines.append(json.dumps(document))
    return "\n".join(lines) + "\n"


def write(elastic, name):
    answer = requests.post(f"{elastic}/lines/_bulk", data=batch(name), headers={"Content-Type": "application/x-ndjson"}, timeout=60)
    return 500 if answer.json()["errors"] else answer.status_code


def write_until_killed(elastic, writer, sent, acknowledged):
    for number in range(1_000_000):
        name = f"{writer}-{number}"
        sent.add(name)
        try:
            if write(elastic, name) != 200:
                return
        except (requests.RequestException, ValueError):
            return
        acknowledged.add(name)


def search_until_killed(elastic):
    try:
        while True:
            requests.post(f"{elastic}/lines/_search", json={"query": {"match": {"message": "line"}}}, timeout=60)
    except requests.RequestException:
        pass


def compare(server, acknowledged, sent):
    def search(**body):
        answer = requests.post(f"{server.elastic}/lines/_search", json=body, timeout=120)
        assert answer.status_code == 200, answer.text
        assert not answer.json()["timed_out"]
        return answer.json()

    with pymongo.MongoClient(server.uri) as client:
        stored = {one["_id"]: one["count"] for one in client.default.lines.aggregate([{"$group": {"_id": "$batch", "count": {"$sum": 1}}}])}
    assert acknowledged <= stored.keys(), "lost"
    assert stored.keys() <= sent, "what nobody sent"
    assert all(stored[name] == BATCH for name in acknowledged)
    total = sum(stored.values())
    # By columns, by the word that all have, by the words of some.
    terms = {"batches": {"terms": {"field": "batch", "size": 50_000}}}
    answer = search(size=0, track_total_hits=True, aggs=terms)
    buckets = {bucket["key"]: bucket["doc_count"] for bucket in answer["aggregations"]["batches"]["buckets"]}
    assert buckets == stored
    assert answer["hits"]["total"]["value"] == total
    answer = search(size=10, track_total_hits=True, query={"match": {"message": "line"}})
    assert (answer["hits"]["total"]["value"], len(answer["hits"]["hits"])) == (total, 10)
    for name in sorted(stored)[::max(1, len(stored) // 20)]:
        found = search(size=2 * BATCH, track_total_hits=True, query={"match": {"message": name.replace("-", "x")}},
                       sort=[{"@timestamp": "desc"}])["hits"]
        assert found["total"]["value"] == stored[name]
        assert len({hit["_id"] for hit in found["hits"]}) == len(found["hits"]) == stored[name]
        assert {hit["_source"]["batch"] for hit in found["hits"]} == {name}
