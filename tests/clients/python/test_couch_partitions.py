"""Partitioned databases of CouchDB 3: ids, what partitions hold, and queries of one partition."""

import json

import pymongo
import pytest
import requests

MAP = {"some": {"map": "function (doc) { emit(doc.value, doc.group); }"}}
COUNT = {"some": {"map": "function (doc) { emit([doc.group, doc.value], 1); }", "reduce": "_count"}}


@pytest.fixture
def partitioned(couch):
    assert requests.delete(couch).status_code == 200
    assert requests.put(couch, params={"partitioned": "true"}).status_code == 201
    return couch


@pytest.fixture
def filled(partitioned):
    documents = [
        {"_id": f"{'foo' if n % 2 == 0 else 'bar'}:{n:03}", "value": n, "group": "one" if n % 3 == 0 else "two"}
        for n in range(1, 101)
    ]
    answer = requests.post(f"{partitioned}/_bulk_docs", json={"docs": documents})
    assert all(told["ok"] for told in answer.json())
    return partitioned


def refused(answer):
    assert answer.status_code == 400
    told = answer.json()
    return told["error"], told["reason"]


def ids(answer):
    assert answer.status_code == 200, answer.text
    return [row["id"] for row in answer.json()["rows"]]


def found(answer):
    assert answer.status_code == 200, answer.text
    return [document["_id"] for document in answer.json()["docs"]]


def put_design(url, name, views, **options):
    design = {"views": views, **({"options": options} if options else {})}
    assert requests.put(f"{url}/_design/{name}", json=design).status_code == 201


def test_info_says_that_a_database_is_partitioned(partitioned):
    assert requests.get(partitioned).json()["props"] == {"partitioned": True}


def test_databases_are_partitioned_by_true_alone_and_not_the_systems(server, couch):
    assert requests.get(couch).json()["props"] == {}
    answer = requests.put(f"{couch}_no", params={"partitioned": "tru"})
    assert refused(answer) == ("bad_request", "Invalid `partitioned` parameter")
    answer = requests.put(f"{server.couch}/_replicator", params={"partitioned": "true"})
    assert refused(answer) == ("bad_request", "Cannot partition a system database")


NO_PARTITION = ("illegal_docid", "Doc id must be of form partition:id")


@pytest.mark.parametrize(
    ("id", "told"),
    [
        ("plain", NO_PARTITION),
        ("a:", ("illegal_docid", "Document id must not be empty")),
        (":a", ("illegal_partition", "Partition must not be empty")),
        ("_a:b", ("illegal_docid", "Only reserved document ids may start with underscore.")),
        ("a:_b", ("illegal_docid", "Only reserved document ids may start with underscore.")),
    ],
)
def test_ids_must_name_partition_and_document_whoever_writes_them(partitioned, id, told):
    assert refused(requests.put(f"{partitioned}/{id}", json={})) == told
    assert refused(requests.post(partitioned, json={"_id": id})) == told
    assert refused(requests.post(f"{partitioned}/_bulk_docs", json={"docs": [{"_id": "a:b"}, {"_id": id}]})) == told
    given = {"_rev": "1-967a00dff5e02add41819138abb3284d"}
    answer = requests.put(f"{partitioned}/{id}", params={"new_edits": "false"}, json=given)
    assert refused(answer) == told
    assert requests.put(f"{partitioned}/a:c", json={}).status_code == 201
    answer = requests.request("COPY", f"{partitioned}/a:c", headers={"Destination": id})
    assert refused(answer) == told
    assert requests.get(partitioned).json()["doc_count"] == 1


def test_documents_without_id_get_none(partitioned):
    assert refused(requests.post(partitioned, json={})) == NO_PARTITION


def test_looking_for_an_id_without_partition_is_refused(partitioned):
    assert refused(requests.get(f"{partitioned}/plain")) == NO_PARTITION
    revisions = {"plain": ["1-967a00dff5e02add41819138abb3284d"]}
    assert refused(requests.post(f"{partitioned}/_purge", json=revisions)) == NO_PARTITION
    assert refused(requests.post(f"{partitioned}/_revs_diff", json=revisions)) == NO_PARTITION
    answer = requests.post(f"{partitioned}/_bulk_get", json={"docs": [{"id": "plain"}]})
    error = {"id": "plain", "rev": None, "error": NO_PARTITION[0], "reason": NO_PARTITION[1]}
    assert answer.json() == {"results": [{"id": "plain", "docs": [{"error": error}]}]}


def test_design_and_local_documents_have_no_partition(partitioned):
    assert requests.put(f"{partitioned}/_design/d", json={}).status_code == 201
    assert requests.put(f"{partitioned}/_local/l", json={}).status_code == 201


def test_the_mongodb_protocol_keeps_the_rule(partitioned, client):
    collection = client["default"][partitioned.rsplit("/", 1)[1]]
    collection.insert_one({"_id": "a:b"})
    with pytest.raises(pymongo.errors.WriteError, match="partition:id"):
        collection.insert_one({"_id": "plain"})
    with pytest.raises(pymongo.errors.WriteError, match="partition:id"):
        collection.update_one({"_id": 1}, {"$set": {"n": 1}}, upsert=True)
    assert requests.get(f"{partitioned}/_partition/a").json()["doc_count"] == 1


def test_what_a_partition_holds(partitioned):
    def info(name):
        return requests.get(f"{partitioned}/_partition/{name}").json()

    empty = info("a")
    assert empty.pop("db_name") == partitioned.rsplit("/", 1)[1]
    assert empty == {"partition": "a", "doc_count": 0, "doc_del_count": 0, "sizes": {"active": 0, "external": 0}}
    revision = requests.put(f"{partitioned}/a:1", json={"text": "some text"}).json()["rev"]
    requests.put(f"{partitioned}/a:2", json={})
    requests.put(f"{partitioned}/b:1", json={})
    assert info("a")["doc_count"] == 2
    total = requests.get(partitioned).json()["sizes"]["external"]
    assert info("a")["sizes"]["external"] + info("b")["sizes"]["external"] == total
    before = info("a")["sizes"]
    requests.delete(f"{partitioned}/a:1", params={"rev": revision})
    after = info("a")
    assert (after["doc_count"], after["doc_del_count"]) == (1, 1)
    assert after["sizes"]["external"] < before["external"]


def test_names_that_no_partition_can_have(partitioned, couch):
    assert refused(requests.get(f"{partitioned}/_partition")) == ("bad_request", "invalid_partition_req")
    underscore = ("illegal_partition", "Partition must not start with an underscore")
    assert refused(requests.get(f"{partitioned}/_partition/_a")) == underscore
    assert refused(requests.get(f"{partitioned}/_partition/_a/_all_docs")) == underscore
    colon = ("illegal_partition", "Partition must not contain a colon")
    assert refused(requests.get(f"{partitioned}/_partition/a:b")) == colon
    assert requests.get(f"{partitioned}/_partition/a/_changes").status_code == 404


def test_a_database_without_partitions_is_asked_for_none(couch):
    for path in ["a", "a/_all_docs", "a/_design/d/_view/v"]:
        answer = requests.get(f"{couch}/_partition/{path}")
        assert refused(answer) == ("bad_request", "database is not partitioned")


def test_all_docs_of_a_partition_is_its_range(filled):
    url = f"{filled}/_partition/foo/_all_docs"
    assert ids(requests.get(url)) == [f"foo:{n:03}" for n in range(2, 101, 2)]
    limited = {"limit": 2, "skip": 1, "descending": "true"}
    assert ids(requests.get(url, params=limited)) == ["foo:098", "foo:096"]
    between = {"start_key": '"foo:010"', "end_key": '"foo:014"'}
    assert ids(requests.get(url, params=between)) == ["foo:010", "foo:012", "foo:014"]
    wider = {"start_key": '"a"', "end_key": '"z"', "limit": 1}
    assert ids(requests.get(url, params=wider)) == ["foo:002"]
    assert ids(requests.get(url, params={"key": '"bar:001"'})) == []
    assert ids(requests.post(url, json={"keys": ["foo:004", "foo:002"]})) == ["foo:004", "foo:002"]
    body = requests.get(url).json()
    assert (body["total_rows"], body["offset"]) == (100, 50)


def test_all_docs_takes_the_partition_as_a_parameter_too(filled, couch):
    answer = requests.get(f"{filled}/_all_docs", params={"partition": "bar", "limit": 1})
    assert ids(answer) == ["bar:001"]
    answer = requests.get(f"{filled}/_partition/foo/_all_docs", params={"partition": "bar"})
    assert refused(answer) == ("bad_request", "Conflicting value for `partition` in query string")


def test_views_of_a_partitioned_database_are_asked_by_partition(filled):
    put_design(filled, "d", MAP)
    url = f"{filled}/_partition/foo/_design/d/_view/some"
    assert ids(requests.get(url)) == [f"foo:{n:03}" for n in range(2, 101, 2)]
    backward = {"descending": "true", "limit": 2}
    assert ids(requests.get(url, params=backward)) == ["foo:100", "foo:098"]
    assert ids(requests.get(url, params={"start_key": 12, "end_key": 16})) == ["foo:012", "foo:014", "foo:016"]
    assert ids(requests.get(url, params={"key": 3})) == []
    assert ids(requests.post(url, json={"keys": [4, 3, 2]})) == ["foo:004", "foo:002"]
    documents = requests.get(url, params={"key": 2, "include_docs": "true"}).json()["rows"]
    assert documents[0]["doc"]["value"] == 2
    queries = {"queries": [{"key": 2}, {"key": 4}]}
    several = requests.post(f"{url}/queries", json=queries).json()["results"]
    assert [result["rows"][0]["id"] for result in several] == ["foo:002", "foo:004"]


def test_reductions_of_a_partition(filled):
    put_design(filled, "d", COUNT)
    url = f"{filled}/_partition/foo/_design/d/_view/some"
    assert requests.get(url).json()["rows"] == [{"key": None, "value": 50}]
    grouped = requests.get(url, params={"group_level": 1}).json()["rows"]
    assert grouped == [{"key": ["one"], "value": 16}, {"key": ["two"], "value": 34}]
    answer = requests.get(url, params={"include_docs": "true"})
    assert refused(answer) == ("query_parse_error", "`include_docs` is invalid for reduce")


def test_a_partition_and_a_view_that_do_not_go_together(filled):
    put_design(filled, "own", MAP)
    put_design(filled, "all", MAP, partitioned=False)
    mandatory = ("query_parse_error", "`partition` parameter is mandatory for queries to this view.")
    assert refused(requests.get(f"{filled}/_design/own/_view/some")) == mandatory
    unsupported = ("query_parse_error", "`partition` parameter is not supported in this design doc")
    assert refused(requests.get(f"{filled}/_partition/foo/_design/all/_view/some")) == unsupported
    assert len(ids(requests.get(f"{filled}/_design/all/_view/some"))) == 100


def test_design_documents_are_in_no_partition_of_a_view(filled):
    put_design(filled, "d", MAP, include_design=True)
    url = f"{filled}/_partition/foo/_design/d/_view/some"
    assert len(ids(requests.get(url))) == 50


def test_the_option_is_refused_in_other_databases(couch):
    design = {"views": MAP, "options": {"partitioned": True}}
    told = refused(requests.put(f"{couch}/_design/d", json=design))
    assert told == ("invalid_design_doc", "partitioned option cannot be true in a non-partitioned database.")


def test_limits_of_rows_are_settings(server, filled):
    put_design(filled, "d", MAP)
    setting = f"{server.couch}/_node/_local/_config/query_server_config/partition_query_limit"
    requests.put(setting, json="10")
    try:
        for path in ["_all_docs", "_design/d/_view/some"]:
            url = f"{filled}/_partition/foo/{path}"
            assert len(ids(requests.get(url))) == 10
            told = refused(requests.get(url, params={"limit": 11}))
            assert told == ("query_parse_error", "Limit is too large, must not exceed 10")
        assert len(ids(requests.get(f"{filled}/_all_docs"))) == 101
    finally:
        requests.delete(setting)


def test_a_full_partition_takes_only_what_makes_it_smaller(server, partitioned):
    setting = f"{server.couch}/_node/_local/_config/couchdb/max_partition_size"
    large = {"text": "x" * 2000}
    revision = requests.put(f"{partitioned}/a:1", json=large).json()["rev"]
    requests.put(setting, json="1000")
    try:
        answer = requests.put(f"{partitioned}/a:2", json={})
        assert answer.status_code == 403
        told = {"error": "partition_overflow", "reason": "Partition limit exceeded due to update on 'a:2'"}
        assert answer.json() == told
        several = {"docs": [{"_id": "a:2"}, {"_id": "b:1"}]}
        told = requests.post(f"{partitioned}/_bulk_docs", json=several).json()
        assert (told[0]["error"], told[1]["ok"]) == ("partition_overflow", True)
        given = {"_rev": "1-967a00dff5e02add41819138abb3284d"}
        answer = requests.put(f"{partitioned}/a:3", params={"new_edits": "false"}, json=given)
        assert answer.status_code == 201
        answer = requests.put(f"{partitioned}/a:1", json={"_rev": revision, "text": ""})
        assert answer.status_code == 201
        assert requests.put(f"{partitioned}/a:2", json={}).status_code == 201
    finally:
        requests.delete(setting)


def test_mango_finds_by_partition(filled):
    selector = {"value": {"$gte": 6, "$lt": 16}}
    url = f"{filled}/_partition/foo"
    expected = [f"foo:{n:03}" for n in range(6, 16, 2)]
    assert found(requests.post(f"{url}/_find", json={"selector": selector})) == expected
    requests.post(f"{filled}/_index", json={"index": {"fields": ["value"]}, "name": "by-value"})
    explained = requests.post(f"{url}/_explain", json={"selector": selector}).json()
    assert (explained["index"]["name"], explained["index"]["partitioned"]) == ("by-value", True)
    assert (explained["partitioned"], explained["mrargs"]["partition"]) == (True, "foo")
    first = requests.post(f"{url}/_find", json={"selector": selector, "limit": 3}).json()
    rest = requests.post(f"{url}/_find", json={"selector": selector, "bookmark": first["bookmark"]})
    assert [document["_id"] for document in first["docs"]] + found(rest) == expected
    read = {"selector": {"value": {"$gt": 0}}, "limit": 100, "execution_stats": True}
    answer = requests.post(f"{url}/_find", json=read).json()
    assert answer["execution_stats"]["total_keys_examined"] == 50


def test_mango_follows_changes_of_a_partition(filled):
    requests.post(f"{filled}/_index", json={"index": {"fields": ["value"]}})
    asked = {"selector": {"value": 1000}}
    url = f"{filled}/_partition/foo/_find"
    assert found(requests.post(url, json=asked)) == []
    requests.put(f"{filled}/foo:new", json={"value": 1000})
    requests.put(f"{filled}/fooo:new", json={"value": 1000})
    assert found(requests.post(url, json=asked)) == ["foo:new"]


def test_mango_chooses_indexes_of_the_kind_that_is_asked(filled):
    def chosen(path):
        asked = {"selector": {"value": {"$gt": 5}}}
        return requests.post(f"{filled}{path}/_explain", json=asked).json()["index"]["name"]

    own = {"index": {"fields": ["value"]}, "name": "own", "ddoc": "own"}
    every = {"index": {"fields": ["value"]}, "name": "all", "ddoc": "all", "partitioned": False}
    for index in [own, every]:
        assert requests.post(f"{filled}/_index", json=index).json()["result"] == "created"
    assert (chosen("/_partition/foo"), chosen("")) == ("own", "all")
    listed = requests.get(f"{filled}/_index").json()["indexes"]
    assert {index["name"]: index.get("partitioned") for index in listed} == {
        "_all_docs": None,
        "own": True,
        "all": False,
    }
    asked = {"selector": {"value": {"$gt": 5}}, "limit": 100}
    assert len(found(requests.post(f"{filled}/_find", json=asked))) == 95
    assert len(found(requests.post(f"{filled}/_partition/foo/_find", json=asked))) == 48


def test_an_index_cannot_join_a_design_document_of_the_other_kind(filled):
    every = {"index": {"fields": ["value"]}, "ddoc": "all", "partitioned": False}
    assert requests.post(f"{filled}/_index", json=every).json()["result"] == "created"
    own = {"index": {"fields": ["group"]}, "ddoc": "all", "partitioned": True}
    reason = "Requested partitioned option does not match existing value on design document _design/all"
    assert refused(requests.post(f"{filled}/_index", json=own)) == ("invalid_partitioned_option", reason)


def test_sorting_without_an_index_says_which_is_missing(filled):
    asked = {"selector": {"value": {"$gt": 5}}, "sort": ["value"]}
    of_partition = "No partitioned index exists for this sort, try indexing by the sort fields."
    answer = requests.post(f"{filled}/_partition/foo/_find", json=asked)
    assert refused(answer) == ("no_usable_index", of_partition)
    of_all = "No global index exists for this sort, try indexing by the sort fields."
    assert refused(requests.post(f"{filled}/_find", json=asked)) == ("no_usable_index", of_all)


def test_a_replication_makes_its_target_partitioned(server, filled):
    target = f"{filled.rsplit('/', 1)[1]}_copy"
    url = f"{server.couch}/{target}"
    asked = {
        "source": filled,
        "target": url,
        "create_target": True,
        "create_target_params": {"partitioned": True},
    }
    answer = requests.post(f"{server.couch}/_replicate", json=asked)
    assert answer.json()["ok"], json.dumps(answer.json())
    try:
        assert requests.get(url).json()["props"] == {"partitioned": True}
        assert requests.get(f"{url}/_partition/foo").json()["doc_count"] == 50
    finally:
        requests.delete(url)
