"""Messages that util-linux's logger sends, as documents of the collection, and found by Elasticsearch's client."""

import shutil
import subprocess
import time

import pymongo
import pytest
from elasticsearch import Elasticsearch
from server import running

LOGGER = shutil.which("logger")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running(tmp_path_factory.mktemp("syslog"), "--syslog-listen", "127.0.0.1:0") as server:
        # It listens last of all.
        until = time.monotonic() + 30
        while "syslog" not in server.addresses and time.monotonic() < until:
            time.sleep(0.05)
        yield server


def wait_for(collection, count):
    until = time.monotonic() + 30
    while collection.count_documents({}) < count and time.monotonic() < until:
        time.sleep(0.05)
    return collection.count_documents({})


@pytest.mark.skipif(LOGGER is None, reason="logger of util-linux is not installed")
def test_messages_of_logger_are_documents(server):
    host, port = server.addresses["syslog"].rsplit(":", 1)
    for way in (["--udp", "--rfc3164"], ["--udp", "--rfc5424"], ["--tcp", "--rfc5424"], ["--tcp", "--octet-count"]):
        command = [LOGGER, "--server", host, "--port", port, *way, "--tag", "boiler", "--priority", "local0.warning", "--", " ".join(way)]
        subprocess.run(command, check=True, timeout=30)
    with pymongo.MongoClient(server.uri) as client:
        assert wait_for(client.logs.syslog, 4) == 4
        for document in client.logs.syslog.find():
            assert (document["level"], document["facility"], document["program"]) == ("warning", "local0", "boiler"), document
    with Elasticsearch(server.elastic) as elastic:
        found = elastic.search(index="logs.syslog", query={"match": {"message": "rfc5424"}})
        assert found["hits"]["total"]["value"] == 2
