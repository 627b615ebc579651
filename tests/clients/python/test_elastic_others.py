"""Other unmodified Python clients of Elasticsearch's protocol: asyncio's, elasticsearch-dsl, OpenSearch's; `_reindex` from another server."""

import asyncio
import base64
from datetime import datetime, timezone

import elasticsearch
import pymongo
import pytest
from elasticsearch import AsyncElasticsearch, Elasticsearch, helpers
from elasticsearch_dsl import A, Date, Document, Keyword, Q, Search, Text, connections
from opensearchpy import OpenSearch
from opensearchpy import helpers as opensearch_helpers
from server import running


@pytest.fixture(scope="module")
def elastic(server):
    with Elasticsearch(server.elastic) as client:
        yield client


@pytest.fixture
def index(elastic, request):
    name = "o_" + "".join(c if c.isalnum() else "_" for c in request.node.name.lower()[:60])
    elastic.indices.delete(index=f"{name}*", ignore_unavailable=True)
    yield name
    elastic.indices.delete(index=f"{name}*", ignore_unavailable=True)


def lines(index, count):
    return ({"_index": index, "_id": str(n), "n": n, "level": "warn" if n % 3 else "info", "message": f"line {n}"} for n in range(count))


def test_asyncio_writes_scans_and_searches_at_once(server, index):
    async def run():
        async with AsyncElasticsearch(server.elastic) as client:
            assert await helpers.async_bulk(client, lines(index, 1200)) == (1200, [])
            found = [hit["_source"]["n"] async for hit in helpers.async_scan(client, index=index, size=300)]
            assert sorted(found) == list(range(1200))
            counts = await asyncio.gather(*(client.count(index=index, query={"range": {"n": {"lt": n}}}) for n in range(20)))
            assert [answer["count"] for answer in counts] == list(range(20))
            copied = await helpers.async_reindex(client, index, f"{index}_copy")
            assert copied[0] == 1200
    asyncio.run(run())


def test_elasticsearch_dsl_maps_saves_and_searches(server, index):
    name = index

    class Line(Document):
        message = Text()
        level = Keyword()
        at = Date()

        class Index:
            name = index

    assert Line.Index.name == name
    client = connections.create_connection(hosts=[server.elastic], alias="default")
    Line.init()
    at = datetime(2024, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
    for n, (level, message) in enumerate([("info", "the disk is fine"), ("warn", "the disk is full"), ("warn", "out of paper")]):
        Line(meta={"id": n}, level=level, message=message, at=at.replace(day=2 + n)).save(refresh=True)
    assert Line.get(id=1).at == at.replace(day=3)
    search = Line.search().query("match", message="disk").filter("term", level="warn").highlight("message").sort("-at")
    found, = search.execute()
    assert (found.meta.id, found.message) == ("1", "the disk is full")
    assert list(found.meta.highlight.message) == ["the <em>disk</em> is full"]
    search = Search(using=client, index=name)[:0]
    search.aggs.bucket("levels", A("terms", field="level")).bucket("days", "date_histogram", field="at", calendar_interval="day")
    levels = search.execute().aggregations.levels.buckets
    assert [(level.key, level.doc_count, len(level.days.buckets)) for level in levels] == [("warn", 2, 2), ("info", 1, 1)]
    line = Line.get(id=0)
    line.update(level="debug")
    assert Line.search().query(Q("term", level="debug") | Q("match_phrase", message="of paper")).count() == 2
    assert {hit.meta.id for hit in Line.search().exclude("term", level="debug").scan()} == {"1", "2"}
    line.delete()
    assert not Line.exists(id=0)
    connections.remove_connection("default")


def test_opensearchs_client_writes_pages_and_deletes(server, index):
    client = OpenSearch(hosts=[server.elastic])
    assert client.info()["tagline"]
    client.indices.create(index=index, body={"mappings": {"properties": {"level": {"type": "keyword"}}}})
    assert opensearch_helpers.bulk(client, lines(index, 1500)) == (1500, [])
    assert len(list(opensearch_helpers.scan(client, index=index, query={"query": {"term": {"level": "info"}}}))) == 500
    pit = client.create_pit(index=index, params={"keep_alive": "1m"})["pit_id"]
    client.delete_by_query(index=index, body={"query": {"range": {"n": {"gte": 10}}}})
    body = {"size": 1000, "sort": [{"n": "asc"}], "pit": {"id": pit, "keep_alive": "1m"}}
    first = client.search(body=body)["hits"]["hits"]
    rest = client.search(body={**body, "search_after": first[-1]["sort"]})["hits"]["hits"]
    assert [hit["_source"]["n"] for hit in first + rest] == list(range(1500))
    client.delete_pit(body={"pit_id": [pit]})
    assert client.count(index=index)["count"] == 10
    client.update(index=index, id="1", body={"doc": {"level": "error"}})
    assert client.get(index=index, id="1")["_source"]["level"] == "error"
    client.close()


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """A server with users, and 2,500 lines that only they may read."""
    with running(tmp_path_factory.mktemp("other")) as other:
        with Elasticsearch(other.elastic) as client:
            helpers.bulk(client, lines("lines", 2500))
        with pymongo.MongoClient(other.uri) as client:
            client.admin.command("createUser", "root", pwd="r:oot", roles=["root"])
        yield other


def test_documents_of_another_server_are_copied_by_a_query(elastic, index, other):
    remote = {"host": other.elastic, "username": "root", "password": "r:oot"}
    source = {"remote": remote, "index": "lines", "size": 400, "query": {"term": {"level.keyword": "warn"}}, "_source": ["n", "level"]}
    answer = elastic.reindex(source=source, dest={"index": index})
    assert (answer["total"], answer["created"], answer["batches"], answer["failures"]) == (1666, 1666, 5, [])
    assert elastic.get(index=index, id="1")["_source"] == {"n": 1, "level": "warn"}
    # Again, as a task, and no more than some; what is there already is written again.
    task = elastic.reindex(source=source, dest={"index": index}, max_docs=500, wait_for_completion=False)["task"]
    ended = elastic.tasks.get(task_id=task, wait_for_completion=True)
    assert ended["task"]["action"] == "indices:data/write/reindex"
    assert (ended["response"]["updated"], elastic.count(index=index)["count"]) == (500, 1666)
    conflict = elastic.options(ignore_status=409).reindex(source=source, dest={"index": index, "op_type": "create"}, max_docs=10)
    assert conflict["version_conflicts"] == 10


def test_a_key_logs_in_to_another_server(elastic, index, other):
    with Elasticsearch(other.elastic, basic_auth=("root", "r:oot")) as client:
        key = client.security.create_api_key(name="reindex")["encoded"]
    remote = {"host": other.elastic, "headers": {"Authorization": f"ApiKey {key}"}}
    answer = elastic.reindex(source={"remote": remote, "index": ["lines"], "query": {"range": {"n": {"lt": 7}}}}, dest={"index": index})
    assert answer["created"] == 7


def test_what_another_server_refuses_is_said(elastic, index, other):
    login = base64.b64encode(b"root:wrong").decode()
    wrong = {"host": other.elastic, "headers": {"Authorization": f"Basic {login}"}}
    with pytest.raises(elasticsearch.AuthenticationException, match="401"):
        elastic.reindex(source={"remote": wrong, "index": "lines"}, dest={"index": index})
    right = {"host": other.elastic, "username": "root", "password": "r:oot"}
    with pytest.raises(elasticsearch.NotFoundError, match="no such index"):
        elastic.reindex(source={"remote": right, "index": "none"}, dest={"index": index})
    with pytest.raises(elasticsearch.BadRequestError, match="slices"):
        elastic.reindex(source={"remote": right, "index": "lines"}, dest={"index": index}, slices=4)
    with pytest.raises(elasticsearch.ApiError, match="slice"):
        elastic.reindex(source={"remote": right, "index": "lines", "slice": {"id": 0, "max": 2}}, dest={"index": index})
    for host in ("localhost:9200", "ftp://localhost:1", "http://localhost", "http://root:r@localhost:1"):
        with pytest.raises(elasticsearch.BadRequestError, match="must be of the form"):
            elastic.reindex(source={"remote": {"host": host}, "index": "lines"}, dest={"index": index})


def test_a_user_who_is_no_administrator_cannot_read_private_addresses(other):
    with pymongo.MongoClient(other.uri, username="root", password="r:oot") as client:
        client.admin.command("createUser", "writer", pwd="w", roles=[{"role": "readWrite", "db": "default"}])
    with Elasticsearch(other.elastic, basic_auth=("writer", "w")) as client:
        with pytest.raises(elasticsearch.AuthorizationException, match="private address"):
            client.reindex(source={"remote": {"host": other.elastic}, "index": "lines"}, dest={"index": "mine"})
