"""The unmodified Python client of Elasticsearch 8, and what other protocols write seen through it."""

import time

import elasticsearch
import pytest
from elasticsearch import Elasticsearch, helpers


@pytest.fixture(scope="module")
def elastic(server):
    with Elasticsearch(server.elastic) as client:
        yield client


@pytest.fixture
def index(elastic, request):
    name = "e_" + "".join(c if c.isalnum() else "_" for c in request.node.name.lower()[:60])
    elastic.indices.delete(index=name, ignore_unavailable=True)
    yield name
    elastic.indices.delete(index=name, ignore_unavailable=True)


def test_the_client_takes_the_server_for_elasticsearch(elastic):
    assert elastic.ping()
    assert elastic.info()["tagline"] == "You Know, for Search"
    assert elastic.cluster.health()["status"] == "green"


def test_documents_are_indexed_changed_and_deleted(elastic, index):
    made = elastic.index(index=index, id="1", document={"name": "Anna", "age": 5})
    assert (made["result"], made["_version"]) == ("created", 1)
    found = elastic.get(index=index, id="1")
    elastic.update(index=index, id="1", doc={"age": 6})
    with pytest.raises(elasticsearch.ConflictError):
        elastic.index(index=index, id="1", document={}, if_seq_no=found["_seq_no"], if_primary_term=found["_primary_term"])
    assert elastic.get(index=index, id="1")["_source"] == {"name": "Anna", "age": 6}
    elastic.delete(index=index, id="1")
    assert not elastic.exists(index=index, id="1")
    with pytest.raises(elasticsearch.NotFoundError):
        elastic.get(index=index, id="1")


def test_a_bulk_is_found_by_the_next_search(elastic, index):
    documents = ({"_index": index, "_id": str(number), "number": number, "text": f"line {number % 7}"} for number in range(1500))
    assert helpers.bulk(elastic, documents) == (1500, [])
    assert elastic.count(index=index, query={"match": {"text": "3"}})["count"] == 214
    answer = elastic.search(index=index, query={"range": {"number": {"lt": 10}}}, sort=[{"number": "desc"}], size=3)
    assert [hit["_source"]["number"] for hit in answer["hits"]["hits"]] == [9, 8, 7]
    answer = elastic.search(index=index, size=0, aggs={"lines": {"terms": {"field": "text.keyword", "size": 2}}})
    assert [bucket["doc_count"] for bucket in answer["aggregations"]["lines"]["buckets"]] == [215, 215]


def test_what_is_not_there_is_an_error_that_names_it(elastic, index):
    elastic.indices.create(index=index, mappings={"properties": {"a": {"type": "keyword"}}})
    with pytest.raises(elasticsearch.BadRequestError, match="resource_already_exists_exception"):
        elastic.indices.create(index=index)
    with pytest.raises(elasticsearch.ApiError, match="runtime_mappings"):
        elastic.search(index=index, runtime_mappings={"b": {"type": "long"}})


def test_the_nearest_documents_are_found(elastic, index):
    vector = {"type": "dense_vector", "dims": 3, "index": True, "similarity": "cosine"}
    elastic.indices.create(index=index, mappings={"properties": {"v": vector, "kind": {"type": "keyword"}}})
    documents = ({"_index": index, "_id": str(n), "v": [1.0, n / 1000, 0.5], "kind": "ab"[n % 2], "n": n} for n in range(2000))
    assert helpers.bulk(elastic, documents) == (2000, [])
    knn = {"field": "v", "query_vector": [1.0, 0.7, 0.5], "k": 3, "num_candidates": 50}
    hits = elastic.search(index=index, knn=knn, source=["n"])["hits"]
    assert sorted(hit["_source"]["n"] for hit in hits["hits"]) == [699, 700, 701]
    assert hits["max_score"] == pytest.approx(1.0)
    hits = elastic.search(index=index, knn={**knn, "filter": {"term": {"kind": "b"}}})["hits"]["hits"]
    assert {hit["_source"]["kind"] for hit in hits} == {"b"} and hits[0]["_id"] in ("699", "701")
    both = elastic.search(index=index, knn=knn, query={"term": {"n": 5}}, size=10)["hits"]
    assert both["total"]["value"] == 4
    clause = elastic.search(index=index, query={"knn": {"field": "v", "query_vector": [1, 0, 0.5], "num_candidates": 10}}, size=2)
    assert [hit["_id"] for hit in clause["hits"]["hits"]] == ["0", "1"]
    with pytest.raises(elasticsearch.BadRequestError, match="dimension"):
        elastic.search(index=index, knn={**knn, "query_vector": [1.0]})
    with pytest.raises(elasticsearch.BadRequestError, match="dimensions"):
        elastic.index(index=index, document={"v": [1.0]})


def test_an_object_is_one_field(elastic, index):
    elastic.indices.create(index=index, mappings={"properties": {"labels": {"type": "flattened"}}})
    documents = ({"_index": index, "labels": {"app": f"app-{n % 3}", "at": {"zone": n % 2}}} for n in range(1200))
    assert helpers.bulk(elastic, documents) == (1200, [])
    both = {"bool": {"filter": [{"term": {"labels.app": "app-1"}}, {"term": {"labels.at.zone": 1}}]}}
    answer = elastic.search(index=index, query=both, aggs={"zones": {"terms": {"field": "labels.at.zone"}}}, size=0)
    assert answer["hits"]["total"]["value"] == 200
    assert [bucket["key"] for bucket in answer["aggregations"]["zones"]["buckets"]] == ["1"]
    assert list(elastic.indices.get_mapping(index=index)[index]["mappings"]["properties"]) == ["labels"]


def test_words_are_suggested_and_marked(elastic, index):
    elastic.indices.create(index=index, mappings={"properties": {"place": {"type": "completion"}}})
    elastic.index(index=index, id="1", document={"place": {"input": ["Berlin", "Bern"], "weight": 3}, "text": "a quick brown fox"})
    elastic.index(index=index, id="2", document={"place": "Bergen", "text": "quick dogs"})
    suggest = {"places": {"prefix": "ber", "completion": {"field": "place"}}, "words": {"text": "quikc", "term": {"field": "text"}}}
    found = elastic.search(index=index, suggest=suggest)["suggest"]
    assert [option["text"] for option in found["places"][0]["options"]] == ["Berlin", "Bergen"]
    assert [option["text"] for option in found["words"][0]["options"]] == ["quick"]
    answer = elastic.search(index=index, query={"match": {"text": "fox"}}, highlight={"fields": {"text": {}}})
    assert answer["hits"]["hits"][0]["highlight"] == {"text": ["a quick brown <em>fox</em>"]}


def test_documents_are_copied_and_deleted_by_a_query(elastic, index):
    helpers.bulk(elastic, ({"_index": index, "_id": str(number), "number": number} for number in range(2500)))
    copied = elastic.reindex(source={"index": index, "query": {"range": {"number": {"lt": 1200}}}}, dest={"index": f"{index}_copy"})
    assert (copied["created"], copied["failures"]) == (1200, [])
    task = elastic.delete_by_query(index=index, query={"range": {"number": {"gte": 500}}}, wait_for_completion=False)["task"]
    ended = elastic.tasks.get(task_id=task, wait_for_completion=True)
    assert (ended["completed"], ended["response"]["deleted"]) == (True, 2000)
    counts = [elastic.count(index=name)["count"] for name in (index, f"{index}_copy")]
    assert counts == [500, 1200]
    assert elastic.indices.stats(index=index)["indices"][index]["primaries"]["docs"]["count"] == 500
    elastic.indices.delete(index=f"{index}_copy")


def test_what_pymongo_writes_is_found_here_and_the_other_way_round(elastic, client, index):
    collection = client["default"][index]
    collection.insert_many([{"_id": f"m{number}", "device": f"d{number % 3}", "value": number} for number in range(9)])
    answer = elastic.search(index=index, query={"term": {"device.keyword": "d1"}}, sort=["value"])
    assert [hit["_id"] for hit in answer["hits"]["hits"]] == ["m1", "m4", "m7"]
    assert elastic.indices.get_mapping(index=index)[index]["mappings"]["properties"]["value"] == {"type": "long"}
    elastic.index(index=index, id="e", document={"device": "d1", "value": 100})
    assert collection.find_one({"value": 100}) == {"_id": "e", "device": "d1", "value": 100}
    collection.delete_one({"_id": "m1"})
    assert elastic.count(index=index, query={"match": {"device": "d1"}})["count"] == 3


def test_a_scan_goes_through_all_documents_of_an_alias(elastic, index):
    documents = ({"_index": index, "_id": str(number), "number": number} for number in range(250))
    helpers.bulk(elastic, documents)
    elastic.indices.put_alias(index=index, name=f"{index}_low", filter={"range": {"number": {"lt": 120}}})
    found = [hit["_source"]["number"] for hit in helpers.scan(elastic, index=f"{index}_low", size=50)]
    assert sorted(found) == list(range(120))


def test_an_index_is_made_by_its_template(elastic, index):
    elastic.indices.put_index_template(name=index, index_patterns=[f"{index}*"], template={"mappings": {"properties": {"level": {"type": "keyword"}}}})
    try:
        elastic.index(index=index, document={"level": "warn"})
        assert elastic.indices.get_mapping(index=index)[index]["mappings"]["properties"] == {"level": {"type": "keyword"}}
    finally:
        elastic.indices.delete_index_template(name=index)


def test_lines_go_through_a_pipeline(elastic, index):
    elastic.ingest.put_pipeline(id="lines", processors=[
        {"grok": {"field": "message", "patterns": ["%{COMBINEDAPACHELOG}"]}},
        {"date": {"field": "timestamp", "formats": ["dd/MMM/yyyy:HH:mm:ss Z"]}},
        {"convert": {"field": "bytes", "type": "integer"}},
        {"remove": {"field": ["message", "timestamp"]}}],
        on_failure=[{"set": {"field": "error", "value": "{{_ingest.on_failure_message}}"}}])
    line = '1.2.3.4 - - [10/Oct/2000:13:55:36 +0000] "GET /a HTTP/1.1" 200 12 "-" "curl/8"'
    documents = [{"_index": index, "message": line}, {"_index": index, "message": "something else"}]
    assert helpers.bulk(elastic, documents, pipeline="lines") == (2, [])
    hits = elastic.search(index=index, query={"range": {"@timestamp": {"gte": "2000-01-01", "lt": "2001-01-01"}}})["hits"]["hits"]
    assert [(hit["_source"]["clientip"], hit["_source"]["bytes"]) for hit in hits] == [("1.2.3.4", 12)]
    assert elastic.count(index=index, query={"exists": {"field": "error"}})["count"] == 1
    elastic.ingest.delete_pipeline(id="lines")


def test_a_script_changes_documents(elastic, index):
    elastic.index(index=index, id="1", document={"views": 1, "tags": ["a"]})
    script = {"source": "ctx._source.views += params.n; ctx._source.tags.add(params.tag)", "params": {"n": 2, "tag": "b"}}
    assert elastic.update(index=index, id="1", script=script)["result"] == "updated"
    assert elastic.get(index=index, id="1")["_source"] == {"views": 3, "tags": ["a", "b"]}
    with pytest.raises(elasticsearch.BadRequestError) as wrong:
        elastic.update(index=index, id="1", script={"source": "while (true) { }"})
    assert wrong.value.body["error"]["type"] == "script_exception"


def test_a_data_stream_takes_documents_and_is_rolled_over(elastic):
    elastic.options(ignore_status=404).indices.delete_data_stream(name="metrics-app")
    elastic.indices.put_index_template(name="metrics", index_patterns=["metrics-*"], data_stream={},
                                       template={"mappings": {"properties": {"level": {"type": "keyword"}}}})
    lines = ({"_op_type": "create", "_index": "metrics-app", "@timestamp": f"2024-01-01T00:00:0{n}Z", "level": "info"} for n in range(5))
    assert helpers.bulk(elastic, lines) == (5, [])
    assert elastic.indices.rollover(alias="metrics-app")["rolled_over"]
    elastic.index(index="metrics-app", op_type="create", document={"@timestamp": "2024-01-02T00:00:00Z", "level": "warn"})
    stream, = elastic.indices.get_data_stream(name="metrics-app")["data_streams"]
    assert len(stream["indices"]) == 2 and stream["generation"] == 2
    assert elastic.count(index="metrics-*")["count"] == 6
    assert len(list(helpers.scan(elastic, index="metrics-app"))) == 6
    elastic.indices.delete_data_stream(name="metrics-app")
    elastic.indices.delete_index_template(name="metrics")


def test_an_index_is_dropped_when_its_time_has_come(elastic, index):
    elastic.cluster.put_settings(persistent={"indices.lifecycle.poll_interval": "1s"})

    def dropped_after(age):
        return {"phases": {"hot": {"actions": {}}, "delete": {"min_age": age, "actions": {"delete": {}}}}}

    elastic.ilm.put_lifecycle(name="brief", policy=dropped_after("1h"))
    elastic.indices.create(index=index, settings={"index.lifecycle.name": "brief"})
    assert elastic.ilm.explain_lifecycle(index=index)["indices"][index]["policy"] == "brief"
    elastic.ilm.put_lifecycle(name="brief", policy=dropped_after("1s"))
    until = time.monotonic() + 60
    while elastic.indices.exists(index=index) and time.monotonic() < until:
        time.sleep(0.2)
    assert not elastic.indices.exists(index=index)
    elastic.ilm.delete_lifecycle(name="brief")
    elastic.cluster.put_settings(persistent={"indices.lifecycle.poll_interval": None})


def test_documents_are_found_where_their_routing_leads(elastic, index):
    elastic.indices.create(index=index, settings={"number_of_shards": 5, "number_of_routing_shards": 5})
    elastic.index(index=index, id="1", routing="5", document={"a": 1})
    assert elastic.get(index=index, id="1", routing="5")["_routing"] == "5"
    assert not elastic.exists(index=index, id="1")
    helpers.bulk(elastic, [{"_index": index, "_id": "2", "_routing": "x", "a": 2}])
    assert {hit["_id"]: hit["_routing"] for hit in helpers.scan(elastic, index=index)} == {"1": "5", "2": "x"}
    elastic.update(index=index, id="2", routing="x", doc={"b": 3})
    assert elastic.get_source(index=index, id="2", routing="x").body == {"a": 2, "b": 3}
    elastic.delete(index=index, id="1", routing="5")
    with pytest.raises(elasticsearch.NotFoundError):
        elastic.delete(index=index, id="2")


def test_searches_are_made_of_templates(elastic, index):
    helpers.bulk(elastic, [{"_index": index, "n": n, "word": f"w{n % 2}"} for n in range(6)])
    source = '{"query": {"match": {"word": "{{word}}"}}, "size": {{size}}{{^size}}10{{/size}}}'
    elastic.put_script(id=index, script={"lang": "mustache", "source": source})
    found = elastic.search_template(index=index, id=index, params={"word": "w1", "size": 2})
    assert (found["hits"]["total"]["value"], len(found["hits"]["hits"])) == (3, 2)
    assert elastic.render_search_template(id=index, params={"word": "w0"})["template_output"]["size"] == 10
    both = elastic.msearch_template(search_templates=[{"index": index}, {"id": index, "params": {"word": "w0"}}, {}, {"source": "{}"}])
    assert [one["status"] for one in both["responses"]] == [200, 200]
    elastic.delete_script(id=index)
    with pytest.raises(elasticsearch.NotFoundError):
        elastic.get_script(id=index)


def test_the_best_hits_are_looked_at_again(elastic, index):
    helpers.bulk(elastic, [{"_index": index, "_id": str(n), "n": n, "word": "same"} for n in range(5)])
    rescore = {"window_size": 5, "query": {"rescore_query": {"term": {"n": 3}}, "rescore_query_weight": 10}}
    assert elastic.search(index=index, query={"match": {"word": "same"}}, rescore=rescore)["hits"]["hits"][0]["_id"] == "3"


def test_an_index_is_copied(elastic, index):
    elastic.index(index=index, id="1", document={"a": 1})
    elastic.indices.put_settings(index=index, settings={"index.blocks.write": True})
    elastic.indices.clone(index=index, target=f"{index}_copy")
    assert elastic.get(index=f"{index}_copy", id="1")["_source"] == {"a": 1}
    elastic.indices.delete(index=f"{index}_copy")
