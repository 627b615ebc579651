"""What the CouchDB protocol does with requests whatever they are about: ids, callbacks, methods, settings."""

import re

import requests


def configure(server, section, name, text):
    assert requests.put(f"{server.couch}/_node/_local/_config/{section}/{name}", json=text).status_code == 200


def test_ids_are_made_by_the_configured_algorithm(server):
    answer = requests.get(f"{server.couch}/_uuids", params={"count": 3})
    assert len(answer.json()["uuids"]) == 3
    assert answer.headers["ETag"] and "no-cache" in answer.headers["Cache-Control"]
    many = requests.get(f"{server.couch}/_uuids", params={"count": 1001})
    assert many.json() == {"error": "bad_request", "reason": "count parameter too large"}
    try:
        configure(server, "uuids", "utc_id_suffix", "frog")
        configure(server, "uuids", "algorithm", "utc_id")
        ids = requests.get(f"{server.couch}/_uuids", params={"count": 10}).json()["uuids"]
        assert ids == sorted(ids) and all(re.fullmatch("[0-9a-f]{14}frog", one) for one in ids)
    finally:
        configure(server, "uuids", "algorithm", "sequential")


def test_answers_are_calls_where_the_settings_allow_it(server, couch):
    requests.put(f"{couch}/a", json={"n": 1})
    plain = requests.get(f"{couch}/a", params={"callback": "f"})
    assert plain.headers["Content-Type"] == "application/json"
    try:
        configure(server, "chttpd", "allow_jsonp", "true")
        called = requests.get(f"{couch}/_changes", params={"callback": "f"})
        assert called.headers["Content-Type"] == "application/javascript"
        assert re.fullmatch(r"/\* CouchDB \*/f\(\{.*\}\s*\);\n", called.text, re.S)
        wrong = requests.get(f"{couch}/a", params={"callback": "f()"})
        assert wrong.status_code == 400
        assert wrong.json() == {"error": "bad_request", "reason": "invalid_callback"}
    finally:
        configure(server, "chttpd", "allow_jsonp", "false")
