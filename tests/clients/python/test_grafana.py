"""The requests that Grafana's Elasticsearch data source sends, by the forms in its source: time series, logs with what surrounds
them, raw documents, the names of fields and values for variables, annotations."""

import json

import pytest
import requests

FROM, TO = 1704067200000, 1704070800000
INDEX = "grafana-2024.01.01"


@pytest.fixture(scope="module")
def elastic(server):
    mapping = {"mappings": {"properties": {
        "@timestamp": {"type": "date"}, "level": {"type": "keyword"}, "device": {"type": "keyword"}, "took": {"type": "double"},
        "place": {"type": "geo_point"}, "message": {"type": "text"},
        "tags": {"type": "nested", "properties": {"key": {"type": "keyword"}}}}}}
    assert requests.put(f"{server.elastic}/{INDEX}", json=mapping).ok
    lines = []
    for n in range(1200):
        level = "error" if n % 10 == 0 else "info"
        document = {"@timestamp": FROM + 3000 * n, "device": f"d{n % 4}", "took": n % 100, "message": f"request {n} took a while",
                    "tags": [{"key": f"k{n % 2}"}], "place": {"lat": n % 4, "lon": 10}}
        if n % 6:
            document["level"] = level
        lines += [json.dumps({"index": {"_id": str(n)}}), json.dumps(document)]
    answer = requests.post(f"{server.elastic}/{INDEX}/_bulk", data="\n".join(lines) + "\n", headers={"Content-Type": "application/x-ndjson"})
    assert answer.json()["errors"] is False
    yield server.elastic
    requests.delete(f"{server.elastic}/{INDEX}")


def searched(elastic, *bodies):
    """The answers to searches that are sent together."""
    head = {"ignore_unavailable": True, "index": INDEX, "search_type": "query_then_fetch"}
    text = "".join(f"{json.dumps(head)}\n{json.dumps(body)}\n" for body in bodies)
    answer = requests.post(f"{elastic}/_msearch?max_concurrent_shard_requests=5", data=text, headers={"Content-Type": "application/x-ndjson"})
    assert answer.status_code == 200, answer.text
    responses = answer.json()["responses"]
    for response in responses:
        assert response["status"] == 200, response
    return responses


def body(query=None, **more):
    """Filters are an object where there is one, and a list where there are more."""
    filters = {"range": {"@timestamp": {"format": "epoch_millis", "gte": FROM, "lte": TO}}}
    if query:
        filters = [filters, {"query_string": {"analyze_wildcard": True, "query": query}}]
    return {"query": {"bool": {"filter": filters}}, "size": 0, **more}


def histogram(interval="5m", **more):
    return {"date_histogram": {"field": "@timestamp", "fixed_interval": interval, "min_doc_count": 0, "format": "epoch_millis",
                               "extended_bounds": {"min": FROM, "max": TO}}, **more}


def test_the_health_of_a_source(elastic):
    assert requests.get(elastic).json()["version"]["number"].split(".")[0].isdigit()
    mapping = requests.get(f"{elastic}/{INDEX}/_mapping").json()[INDEX]["mappings"]["properties"]
    assert mapping["@timestamp"] == {"type": "date"} and mapping["tags"]["type"] == "nested"
    field, = requests.get(f"{elastic}/{INDEX}/_mapping/field/@timestamp").json().values()
    assert field["mappings"]["@timestamp"]["mapping"]["@timestamp"]["type"] == "date"


def test_counts_and_metrics_over_time(elastic):
    metrics = {"1": {"avg": {"field": "took"}}, "3": {"percentiles": {"field": "took", "percents": ["25", "50", "75"]}},
               "4": {"extended_stats": {"field": "took"}}, "5": {"cardinality": {"field": "device"}}}
    plain, with_metrics = searched(elastic, body(aggs={"2": histogram()}), body("device:d1", aggs={"2": histogram(aggs=metrics)}))
    buckets = plain["aggregations"]["2"]["buckets"]
    assert len(buckets) == 13 and sum(bucket["doc_count"] for bucket in buckets) == 1200
    assert (buckets[0]["key"], buckets[0]["key_as_string"]) == (FROM, str(FROM))
    first = with_metrics["aggregations"]["2"]["buckets"][0]
    assert first["doc_count"] == 25 and first["1"]["value"] == 49.0 and first["5"]["value"] == 1
    assert set(first["3"]["values"]) == {"25.0", "50.0", "75.0"}
    assert {"std_deviation", "std_deviation_bounds", "sum_of_squares"} <= first["4"].keys()


def test_groups_ordered_by_counts_names_and_metrics(elastic):
    def grouped(order, field="level", **more):
        terms = {"field": field, "size": 500, "order": order, "min_doc_count": 1, **more}
        return body(aggs={"3": {"terms": terms, "aggs": {"1": {"sum": {"field": "took"}}, "2": histogram(aggs={"1": {"sum": {"field": "took"}}})}}})
    by_count, by_name, by_metric, missing = searched(
        elastic, grouped({"_count": "desc"}), grouped({"_key": "asc"}, "device"), grouped({"1": "desc"}, "device"),
        grouped({"_count": "desc"}, missing="none"))
    keys = [[bucket["key"] for bucket in answer["aggregations"]["3"]["buckets"]] for answer in (by_count, by_name, by_metric, missing)]
    assert keys == [["info", "error"], ["d0", "d1", "d2", "d3"], ["d3", "d2", "d1", "d0"], ["info", "none", "error"]]
    assert len(by_metric["aggregations"]["3"]["buckets"][0]["2"]["buckets"]) == 13


def test_filters_ranges_grids_and_nested_documents(elastic):
    filters = {"errors": {"query_string": {"query": "level:error", "analyze_wildcard": True}},
               "*": {"query_string": {"query": "*", "analyze_wildcard": True}}}
    answers = searched(
        elastic,
        body(aggs={"3": {"filters": {"filters": filters}, "aggs": {"2": histogram()}}}),
        body(aggs={"3": {"histogram": {"field": "took", "interval": 25, "min_doc_count": 1}}}),
        body(aggs={"3": {"geohash_grid": {"field": "place", "precision": 3}}}),
        body(aggs={"3": {"nested": {"path": "tags"}, "aggs": {"4": {"terms": {"field": "tags.key", "size": 10, "order": {"_key": "asc"}}}}}}))
    filtered, numbers, grid, nested = (answer["aggregations"]["3"] for answer in answers)
    assert filtered["buckets"]["errors"]["doc_count"] == 80 and filtered["buckets"]["*"]["doc_count"] == 1200
    assert [(bucket["key"], bucket["doc_count"]) for bucket in numbers["buckets"]] == [(0.0, 300), (25.0, 300), (50.0, 300), (75.0, 300)]
    assert sum(bucket["doc_count"] for bucket in grid["buckets"]) == 1200
    assert [(bucket["key"], bucket["doc_count"]) for bucket in nested["4"]["buckets"]] == [("k0", 600), ("k1", 600)]


def test_pipelines_over_buckets(elastic):
    pipelines = {"1": {"sum": {"field": "took"}}, "3": {"derivative": {"buckets_path": "1"}}, "4": {"cumulative_sum": {"buckets_path": "1"}},
                 "5": {"serial_diff": {"buckets_path": "1", "lag": 1}},
                 "6": {"bucket_script": {"buckets_path": {"var1": "1", "var2": "_count"}, "script": "params.var1 / params.var2"}}}
    answer, = searched(elastic, body(aggs={"2": histogram(aggs=pipelines)}))
    buckets = answer["aggregations"]["2"]["buckets"]
    assert [bucket["1"]["value"] for bucket in buckets[:3]] == [4950.0, 4950.0, 4950.0]
    assert "3" not in buckets[0] and buckets[1]["3"]["value"] == 0.0
    assert buckets[2]["4"]["value"] == 14850.0 and buckets[1]["5"]["value"] == 0.0 and buckets[0]["6"]["value"] == 49.5


def logs(query=None, order="desc", **more):
    return body(query, **{
        "size": 500, "docvalue_fields": ["@timestamp"], "script_fields": {},
        "fields": [{"field": "@timestamp", "format": "strict_date_optional_time_nanos"}],
        "sort": {"@timestamp": {"order": order, "unmapped_type": "boolean"}, "_doc": {"order": order}},
        "highlight": {"pre_tags": ["@HIGHLIGHT@"], "post_tags": ["@/HIGHLIGHT@"], "fragment_size": 2147483647, "fields": {"*": {}}},
        "aggs": {"1": histogram("1m")}, **more})


def test_logs_and_the_lines_around_one(elastic):
    answer, = searched(elastic, logs("message:took AND level:error"))
    hits = answer["hits"]["hits"]
    assert [hit["_id"] for hit in hits[:3]] == ["1190", "1180", "1160"] and len(hits) == 80
    assert hits[0]["highlight"]["message"] == ["request 1190 @HIGHLIGHT@took@/HIGHLIGHT@ a while"]
    assert hits[0]["fields"]["@timestamp"] == ["2024-01-01T00:59:30.000Z"]
    before, after = searched(elastic, logs(size=3, search_after=hits[0]["sort"]), logs(order="asc", size=3, search_after=hits[0]["sort"]))
    assert [hit["_id"] for hit in before["hits"]["hits"]] == ["1189", "1188", "1187"]
    assert [hit["_id"] for hit in after["hits"]["hits"]] == ["1191", "1192", "1193"]
    assert sum(bucket["doc_count"] for bucket in answer["aggregations"]["1"]["buckets"]) == 80


def test_raw_documents_are_shown_newest_first(elastic):
    sort = [{"@timestamp": {"order": "desc", "unmapped_type": "boolean"}}, {"_doc": {"order": "desc"}}]
    answer, = searched(elastic, body("device:d1 AND message:\"a while\"", size=500, sort=sort, docvalue_fields=["@timestamp"], script_fields={}))
    assert answer["hits"]["total"]["value"] == 300 and len(answer["hits"]["hits"]) == 300
    assert answer["hits"]["hits"][0]["_source"]["device"] == "d1"


def test_values_for_variables_and_annotations(elastic):
    terms = {"size": 0, "query": {"bool": {"filter": [{"range": {"@timestamp": {"gte": FROM, "lte": TO, "format": "epoch_millis"}}},
                                                      {"query_string": {"query": "device:*"}}]}},
             "aggs": {"1": {"terms": {"field": "device", "size": 500, "order": {"_key": "asc"}}}}}
    span = {"bool": {"should": [{"range": {"@timestamp": {"from": FROM, "to": TO, "format": "epoch_millis"}}}], "minimum_should_match": 1}}
    annotations = {"query": {"bool": {"filter": [span, {"query_string": {"query": "level:error"}}]}}, "size": 10000}
    names, marks = searched(elastic, terms, annotations)
    assert [bucket["key"] for bucket in names["aggregations"]["1"]["buckets"]] == ["d0", "d1", "d2", "d3"]
    assert len(marks["hits"]["hits"]) == 80


def test_top_metrics_and_moving_averages(elastic):
    top = {"top_metrics": {"metrics": [{"field": "took"}], "sort": [{"@timestamp": "desc"}], "size": 1}}
    moving = {"moving_avg": {"buckets_path": "1", "window": 5, "model": "simple", "minimize": False}}
    answer, = searched(elastic, body(aggs={"2": histogram(aggs={"1": {"sum": {"field": "took"}}, "3": top, "4": moving})}))
    buckets = [bucket for bucket in answer["aggregations"]["2"]["buckets"] if bucket["doc_count"]]
    assert buckets[0]["3"]["top"][0]["metrics"] == {"took": 99}
    assert "4" not in buckets[0] and buckets[1]["4"]["value"] == buckets[0]["1"]["value"]


def test_a_wrong_query_is_an_error_of_its_own_search(elastic):
    head = json.dumps({"ignore_unavailable": True, "index": INDEX})
    text = f"{head}\n{json.dumps(body('message:(unclosed'))}\n{head}\n{json.dumps(body('level:info'))}\n"
    answer = requests.post(f"{elastic}/_msearch?max_concurrent_shard_requests=5", data=text, headers={"Content-Type": "application/x-ndjson"})
    wrong, right = answer.json()["responses"]
    assert wrong["status"] == 400 and wrong["error"]["root_cause"][0]["reason"]
    assert right["hits"]["total"]["value"] == 920
