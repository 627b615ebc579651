"""API keys, made and used by the unmodified Python client of Elasticsearch 8."""

import time

import elasticsearch
import pymongo
import pytest
from elasticsearch import Elasticsearch
from server import running


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running(tmp_path_factory.mktemp("keys")) as server, pymongo.MongoClient(server.uri) as client:
        client.admin.command("createUser", "root", pwd="r", roles=["root"])
        with pymongo.MongoClient(server.uri, username="root", password="r") as root:
            root.admin.command("createUser", "writer", pwd="w", roles=[{"role": "readWrite", "db": "default"}])
        yield server


@pytest.fixture
def writer(server):
    with Elasticsearch(server.elastic, basic_auth=("writer", "w")) as client:
        yield client


def test_a_key_may_do_what_its_user_may_until_it_is_invalidated(server, writer):
    made = writer.security.create_api_key(name="shipper", expiration="1d")
    with Elasticsearch(server.elastic, api_key=made["encoded"]) as client:
        who = client.security.authenticate()
        assert (who["username"], who["authentication_type"]) == ("writer", "api_key")
        assert client.index(index="kept", id="1", document={"a": 1})["result"] == "created"
        with pytest.raises(elasticsearch.AuthorizationException):
            client.ingest.put_pipeline(id="p", processors=[])
        with pytest.raises(elasticsearch.BadRequestError):
            client.security.create_api_key(name="another")
        assert writer.security.invalidate_api_key(ids=[made["id"]])["invalidated_api_keys"] == [made["id"]]
        with pytest.raises(elasticsearch.AuthenticationException):
            client.get(index="kept", id="1")


def test_users_see_their_own_keys(server, writer):
    own = writer.security.create_api_key(name="own")
    with Elasticsearch(server.elastic, basic_auth=("root", "r")) as root:
        other = root.security.create_api_key(name="other")
        assert {own["id"], other["id"]} <= {key["id"] for key in root.security.get_api_key()["api_keys"]}
        keys = writer.security.get_api_key()["api_keys"]
        assert own["id"] in {key["id"] for key in keys} and other["id"] not in {key["id"] for key in keys}
        assert not any("hash" in key for key in keys)
        assert writer.security.invalidate_api_key(ids=[other["id"]])["invalidated_api_keys"] == []


def test_keys_that_are_wrong_or_expired_are_refused(server, writer):
    made = writer.security.create_api_key(name="brief", expiration="1ms")
    # A quick client asks within the millisecond.
    while time.time() * 1000 <= made["expiration"]:
        time.sleep(0.001)
    for key in [made["encoded"], (made["id"], "wrong"), ("none", "x"), "not base64!"]:
        with Elasticsearch(server.elastic, api_key=key) as client, pytest.raises(elasticsearch.AuthenticationException):
            client.info()


def test_a_scroll_goes_on_for_those_alone_who_may_read_its_index(server, writer):
    with Elasticsearch(server.elastic, basic_auth=("root", "r")) as root:
        with pymongo.MongoClient(server.uri, username="root", password="r") as client:
            client.secret.notes.insert_many([{"_id": str(number)} for number in range(3)])
        scroll = root.search(index="secret.notes", size=1, scroll="1m")["_scroll_id"]
        with pytest.raises(elasticsearch.AuthorizationException):
            writer.scroll(scroll_id=scroll)
        with pytest.raises(elasticsearch.AuthorizationException):
            writer.clear_scroll(scroll_id="_all")
        assert len(root.scroll(scroll_id=scroll)["hits"]["hits"]) == 1
        assert root.clear_scroll(scroll_id="_all")["succeeded"]
