"""Views and the other functions of design documents, over the CouchDB protocol."""

import requests


def design(couch, name="d", status=201, **members):
    answer = requests.put(f"{couch}/_design/{name}", json=members)
    assert answer.status_code == status, answer.text
    return answer.json()


def fill(couch, *documents):
    answer = requests.post(f"{couch}/_bulk_docs", json={"docs": documents})
    return answer.json()


def view(couch, name="v", status=200, body=None, **parameters):
    url = f"{couch}/_design/d/_view/{name}"
    answer = requests.post(url, json=body, params=parameters) if body else requests.get(url, params=parameters)
    assert answer.status_code == status, answer.text
    return answer.json()


BY_KIND = "function (doc) { if (doc.kind) emit([doc.kind, doc.n], doc.n); }"


def animals(couch):
    design(couch, views={"v": {"map": BY_KIND, "reduce": "_sum"}})
    fill(couch, *({"_id": f"{kind}{n}", "kind": kind, "n": n} for kind in ("cat", "dog") for n in range(3)))


def test_a_view_is_read_by_range_group_and_key(couch):
    animals(couch)
    rows = view(couch, reduce="false", startkey='["dog"]', endkey='["dog",1]')
    assert (rows["total_rows"], rows["offset"]) == (6, 3)
    assert [row["id"] for row in rows["rows"]] == ["dog0", "dog1"]
    assert view(couch)["rows"] == [{"key": None, "value": 6}]
    assert view(couch, group_level=1)["rows"] == [{"key": ["cat"], "value": 3}, {"key": ["dog"], "value": 3}]
    keys = view(couch, body={"keys": [["dog", 2], ["cat", 1]]}, group="true")
    assert keys["rows"] == [{"key": ["dog", 2], "value": 2}, {"key": ["cat", 1], "value": 1}]
    several = requests.post(
        f"{couch}/_design/d/_view/v/queries", json={"queries": [{"group_level": 1, "limit": 1}, {"reduce": False, "skip": 5}]}
    ).json()["results"]
    assert several[0]["rows"] == [{"key": ["cat"], "value": 3}]
    assert several[1]["rows"] == [{"id": "dog2", "key": ["dog", 2], "value": 2}]


def test_rows_follow_the_documents(couch):
    animals(couch)
    assert view(couch)["rows"][0]["value"] == 6
    cat = requests.get(f"{couch}/cat2").json()
    fill(couch, {**cat, "n": 10})
    dog = requests.get(f"{couch}/dog2").json()
    requests.delete(f"{couch}/dog2", params={"rev": dog["_rev"]})
    assert view(couch)["rows"][0]["value"] == 12


def test_rows_bring_their_documents_or_those_that_they_name(couch):
    design(couch, views={"v": {"map": "function (doc) { if (doc.to) emit(doc.to, {_id: doc.to}); }"}})
    fill(couch, {"_id": "a", "to": "b"}, {"_id": "b", "n": 1}, {"_id": "c", "to": "nothing"})
    rows = view(couch, include_docs="true")["rows"]
    assert [(row["id"], row["doc"] and row["doc"]["_id"]) for row in rows] == [("a", "b"), ("c", None)]


def test_wrong_parameters_are_refused_in_the_words_of_couchdb(couch):
    animals(couch)
    design(couch, "m", views={"v": {"map": BY_KIND}})
    refused = {
        "reduce": ("Invalid boolean parameter: \"x\"", {"reduce": "x"}),
        "limit": ("Invalid value for integer: \"x\"", {"limit": "x"}),
        "docs": ("`include_docs` is invalid for reduce", {"include_docs": "true"}),
        "update": ("Invalid value for `update`.", {"update": "maybe"}),
    }
    for reason, parameters in refused.values():
        assert view(couch, status=400, **parameters) == {"error": "query_parse_error", "reason": reason}
    reduce = requests.get(f"{couch}/_design/m/_view/v", params={"reduce": "true"})
    assert reduce.json()["reason"] == "Reduce is invalid for map-only views."
    assert view(couch, "nothing", status=404) == {"error": "not_found", "reason": "missing_named_view"}


def test_design_documents_that_cannot_work_are_refused(couch):
    bad = design(couch, status=400, views={"v": {"map": "function (doc) {"}})
    assert bad["error"] == "compilation_error"
    bad = design(couch, status=400, views={"v": {"map": BY_KIND, "reduce": "_nothing"}})
    assert bad == {"error": "invalid_design_doc", "reason": "`_nothing` is not a supported reduce function."}


def test_a_new_version_is_built_while_the_old_one_serves(couch):
    animals(couch)
    assert view(couch)["rows"][0]["value"] == 6
    rev = requests.get(f"{couch}/_design/d").json()["_rev"]
    design(couch, _rev=rev, views={"v": {"map": BY_KIND, "reduce": "_count"}, "w": {"map": BY_KIND}})
    assert view(couch, update="false")["rows"][0]["value"] == 6
    assert view(couch, reduce="false")["total_rows"] == 6
    assert requests.post(f"{couch}/_view_cleanup", json={}).status_code == 202
    info = requests.get(f"{couch}/_design/d/_info").json()["view_index"]
    assert (info["updates_pending"]["total"], info["updater_running"]) == (0, False)
    assert info["sizes"]["file"] > 0 and info["sizes"]["active"] > 0


def test_validations_are_asked_before_a_document_is_written(couch):
    validate = """function (doc, old, user, security) {
      if (doc.n < 0) throw {forbidden: 'less than nothing'};
      if (old && old.n > doc.n) throw {unauthorized: 'it only grows'};
    }"""
    design(couch, validate_doc_update=validate)
    refused = requests.put(f"{couch}/a", json={"n": -1})
    assert (refused.status_code, refused.json()) == (403, {"error": "forbidden", "reason": "less than nothing"})
    rev = requests.put(f"{couch}/a", json={"n": 5}).json()["rev"]
    assert requests.put(f"{couch}/a", json={"n": 4, "_rev": rev}).status_code == 401
    mixed = fill(couch, {"_id": "b", "n": 1}, {"_id": "c", "n": -1})
    assert [one.get("error") for one in mixed] == [None, "forbidden"]


def test_changes_are_filtered_by_functions(couch):
    animals(couch)
    design(couch, "f", filters={"kind": "function (doc, req) { return doc.kind === req.query.kind; }"})
    filtered = requests.get(f"{couch}/_changes", params={"filter": "f/kind", "kind": "dog"}).json()
    assert [change["id"] for change in filtered["results"]] == ["dog0", "dog1", "dog2"]
    seen = requests.get(f"{couch}/_changes", params={"filter": "_view", "view": "d/v"}).json()
    assert len(seen["results"]) == 6
    missing = requests.get(f"{couch}/_changes", params={"filter": "f/nothing"})
    assert missing.status_code == 404


def test_a_function_that_does_not_end_fails_the_request_and_names_the_document(couch):
    design(couch, views={"v": {"map": "function (doc) { while (doc.bad); emit(1); }"}})
    fill(couch, {"_id": "good"}, {"_id": "bad one", "bad": True})
    failed = view(couch, status=500)
    assert failed["error"] == "os_process_error"
    assert "bad one" in failed["reason"]
    fill(couch, {**requests.get(f"{couch}/bad one").json(), "bad": False})
    assert view(couch)["total_rows"] == 2


def test_documents_of_the_mongodb_protocol_have_rows_too(client, couch):
    name = couch.rsplit("/", 1)[1]
    things = client["default"][name]
    things.insert_many([{"_id": "a", "kind": "cat", "n": 1}, {"kind": "dog", "n": 2}])
    design(couch, views={"v": {"map": BY_KIND}})
    rows = view(couch)["rows"]
    assert [row["key"] for row in rows] == [["cat", 1], ["dog", 2]]
    assert rows[1]["id"] == str(things.find_one({"kind": "dog"})["_id"])


def test_a_client_that_has_the_rows_is_told_so(couch):
    animals(couch)
    url = f"{couch}/_design/d/_view/v"
    for url, changes in ((f"{url}?reduce=false", {"kind": "cat", "n": 9}), (f"{couch}/_all_docs", {})):
        tag = requests.get(url).headers["ETag"]
        again = requests.get(url, headers={"If-None-Match": tag})
        assert (again.status_code, again.headers["ETag"], again.content) == (304, tag, b"")
        fill(couch, changes)
        changed = requests.get(url, headers={"If-None-Match": tag})
        assert changed.status_code == 200
        assert changed.headers["ETag"] != tag


def test_a_function_sees_the_members_that_it_names_and_all_where_it_names_the_document(couch):
    design(
        couch,
        views={
            "v": {"map": "function (doc) { emit(doc.a.b, doc._rev); }"},
            "w": {"map": "function (doc) { emit(null, doc); }"},
        },
    )
    design(couch, "e", views={"v": {"map": "function (doc) { if (doc.a) emit([doc._id, doc._rev, doc.a], doc.z); }"}})
    (written,) = fill(couch, {"_id": "x", "a": {"b": 1}, "c": 2})
    assert view(couch)["rows"] == [{"id": "x", "key": 1, "value": written["rev"]}]
    whole = {"_id": "x", "_rev": written["rev"], "a": {"b": 1}, "c": 2}
    assert view(couch, "w")["rows"] == [{"id": "x", "key": None, "value": whole}]
    rows = requests.get(f"{couch}/_design/e/_view/v").json()["rows"]
    assert rows == [{"id": "x", "key": ["x", written["rev"], {"b": 1}], "value": None}]


def test_revisions_are_those_of_couchdb(couch):
    (written,) = fill(couch, {"_id": "doc", "a": 2})
    assert written["rev"] == "1-3975759ccff3842adf690a5c10caee42"
    (empty,) = fill(couch, {"_id": "empty"})
    assert empty["rev"] == "1-967a00dff5e02add41819138abb3284d"
    deleted = requests.delete(f"{couch}/empty", params={"rev": empty["rev"]}).json()
    assert deleted["rev"] == "2-eec205a9d413992850a6e32678485900"


def test_a_build_is_seen_in_active_tasks(couch):
    fill(couch, *({"_id": f"{n:04}"} for n in range(1000)))
    design(couch, views={"v": {"map": "function (doc) { for (var i = 0; i < 500000; i++); emit(doc._id); }"}})
    assert view(couch, update="lazy")["rows"] == []
    tasks = f"{couch.rsplit('/', 1)[0]}/_active_tasks"
    seen = []
    while view(couch, update="false", limit=0)["total_rows"] < 1000:
        seen += [task for task in requests.get(tasks).json() if task["type"] == "indexer"]
    assert seen
    assert {task["design_document"] for task in seen} == {"_design/d"}
    assert all(0 <= task["progress"] <= 100 for task in seen)


def test_views_of_capped_collections_are_refused_clearly(client, couch):
    name = couch.rsplit("/", 1)[1]
    client["default"].drop_collection(name)
    client["default"].create_collection(name, capped=True, size=100_000)
    design(couch, views={"v": {"map": BY_KIND}})
    refused = view(couch, status=501)
    assert "capped" in refused["reason"]


def test_purged_documents_leave_their_rows(couch):
    animals(couch)
    assert len(view(couch, reduce="false")["rows"]) == 6
    before = requests.get(couch).json()["purge_seq"]
    revision = requests.get(f"{couch}/cat1").json()["_rev"]
    purged = requests.post(f"{couch}/_purge", json={"cat1": [revision], "dog1": ["1-0"]})
    assert purged.status_code == 201
    assert purged.json() == {"purge_seq": None, "purged": {"cat1": [revision], "dog1": []}}
    assert [row["id"] for row in view(couch, reduce="false", key='["cat",1]')["rows"]] == []
    assert view(couch)["rows"] == [{"key": None, "value": 5}]
    assert requests.get(couch).json()["purge_seq"] != before
    assert requests.get(f"{couch}/_purged_infos").json() == {"purged_infos": [{"id": "cat1", "revs": [revision]}]}
    # A document that comes again has rows again.
    fill(couch, {"_id": "cat1", "kind": "cat", "n": 1})
    assert view(couch)["rows"] == [{"key": None, "value": 6}]


def test_ranks_and_edges_are_built_in(couch):
    reduces = ["_top_2", "_bottom_2", "_first", "_last"]
    design(couch, views={reduce: {"map": BY_KIND, "reduce": reduce} for reduce in reduces})
    fill(couch, *({"kind": "cat", "n": n} for n in [3, 1, 2, 3]))
    found = [view(couch, name=reduce)["rows"][0]["value"] for reduce in reduces]
    assert found == [[3, 2], [1, 2], 1, 3]
    wrong = design(couch, name="w", status=400, views={"v": {"map": BY_KIND, "reduce": "_top_x"}})
    assert wrong == {"error": "invalid_design_doc", "reason": "invalid rank reducer"}
    wrong = design(couch, name="w", status=400, views={"v": {"map": BY_KIND, "reduce": "_bottom_101"}})
    assert wrong["reason"] == "rank value must be between 1 and 100"


def test_a_reduction_that_does_not_shrink_is_an_error_in_its_row(couch):
    grows = "function (keys, values) { return new Array(2000).join('grow'); }"
    design(couch, views={"v": {"map": BY_KIND, "reduce": grows}})
    fill(couch, {"kind": "cat", "n": 1})
    [row] = view(couch)["rows"]
    assert (row["key"], row["error"]) == (None, "reduce_overflow_error")
    assert row["reason"].startswith("Reduce output must shrink more rapidly")


def test_a_selector_validates_documents(couch):
    selector = {"newDoc": {"type": {"$type": "string"}, "year": {"$lt": 2026}}}
    design(couch, language="query", validate_doc_update=selector)
    assert requests.put(f"{couch}/a", json={"type": "movie", "year": 1994}).status_code == 201
    refused = requests.put(f"{couch}/b", json={"type": "movie", "year": 2094})
    assert refused.status_code == 403
    assert refused.json() == {"error": "forbidden", "reason": "document is not valid"}
