import pymongo
import pytest
import requests
from server import running


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    with running(tmp_path_factory.mktemp("data")) as server:
        yield server


@pytest.fixture(scope="session")
def client(server):
    with pymongo.MongoClient(server.uri) as client:
        yield client


@pytest.fixture
def database(client, request):
    name = "t_" + request.node.name[:40].replace("[", "_").replace("]", "").replace(".", "_").replace(" ", "_")
    client.drop_database(name)
    yield client[name]
    client.drop_database(name)


@pytest.fixture
def collection(database):
    return database["things"]


@pytest.fixture
def couch(server, request):
    name = "c_" + "".join(c if c.isalnum() else "_" for c in request.node.name.lower()[:60])
    url = f"{server.couch}/{name}"
    requests.delete(url)
    assert requests.put(url).status_code == 201
    yield url
    requests.delete(url)
