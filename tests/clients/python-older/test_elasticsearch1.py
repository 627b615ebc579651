"""The unmodified Python client of Elasticsearch 1: types in paths and items, searches by documents of that time."""

import elasticsearch1
import pytest
from elasticsearch1 import Elasticsearch, helpers


@pytest.fixture(scope="module")
def elastic(server):
    return Elasticsearch([server.elastic])


def test_documents_of_a_type_are_indexed_and_found(elastic):
    elastic.indices.create("old", body={"mappings": {"properties": {"device": {"type": "keyword"}}}})
    made = elastic.index("old", "line", {"device": "d1", "message": "out of paper"}, id=1)
    assert (made["_version"], made["_id"]) == (1, "1")
    assert elastic.get("old", 1, doc_type="line")["_source"]["device"] == "d1"
    elastic.update("old", "line", 1, body={"doc": {"device": "d2"}})
    found = elastic.search("old", "line", body={"query": {"match": {"message": "paper"}}})["hits"]["hits"]
    assert [hit["_source"] for hit in found] == [{"device": "d2", "message": "out of paper"}]
    elastic.delete("old", "line", 1)
    with pytest.raises(elasticsearch1.NotFoundError):
        elastic.get("old", 1)


def test_lines_are_brought_in_bulk_and_the_newest_of_a_device_are_found(elastic):
    lines = ({"_index": "old-lines", "_type": "line", "_id": n, "_source": {"at": 1704067200000 + n, "device": f"d{n % 5}", "n": n}} for n in range(2000))
    assert helpers.bulk(elastic, lines) == (2000, [])
    newest = {"query": {"bool": {"filter": [{"term": {"device.keyword": "d3"}}]}}, "sort": [{"at": "desc"}], "size": 100}
    hits = elastic.search("old-lines", body=newest)["hits"]["hits"]
    assert [hit["_source"]["n"] for hit in hits[:3]] == [1998, 1993, 1988] and len(hits) == 100
    assert elastic.count("old-lines", "line")["count"] == 2000


def test_all_documents_are_read_by_a_scan(elastic):
    lines = [{"_index": "old-scan", "_type": "line", "_id": n, "_source": {"n": n, "even": n % 2 == 0}} for n in range(2500)]
    assert helpers.bulk(elastic, lines) == (2500, [])
    assert sorted(hit["_source"]["n"] for hit in helpers.scan(elastic, index="old-scan", size=700)) == list(range(2500))
    even = helpers.scan(elastic, query={"query": {"term": {"even": True}}}, index="old-scan", preserve_order=True)
    assert sorted(hit["_source"]["n"] for hit in even) == list(range(0, 2500, 2))
    assert list(helpers.scan(elastic, query={"query": {"term": {"n": -1}}}, index="old-scan")) == []
