"""Files over HTTP where users exist: who may do what, and what the others are told."""

import base64

import pymongo
import pytest
import requests
from server import running

BODY = b"bytes" * 1000
ROOT, READER, WRITER = ("root", "r"), ("reader", "r"), ("writer", "w")
TUS = {"Tus-Resumable": "1.0.0"}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running(tmp_path_factory.mktemp("users")) as server, pymongo.MongoClient(server.uri) as client:
        client.admin.command("createUser", *ROOT[:1], pwd=ROOT[1], roles=["root"])
        with pymongo.MongoClient(server.uri, username=ROOT[0], password=ROOT[1]) as root:
            roles = {READER: "read", WRITER: "readWrite"}
            for (name, password), role in roles.items():
                root.admin.command("createUser", name, pwd=password, roles=[{"role": role, "db": "default"}])
            root.admin.command("createUser", "stranger", pwd="s", roles=[{"role": "readWrite", "db": "fleet"}])
        yield server


@pytest.fixture(scope="module")
def url(server):
    url = f"{server.url}/files/users/note"
    assert requests.put(url, data=BODY, auth=WRITER, timeout=30).status_code == 201
    return url


def upload(server, auth):
    name = base64.b64encode(b"resumed").decode()
    return requests.post(f"{server.url}/uploads/users", auth=auth, timeout=30,
                         headers={**TUS, "Upload-Length": "3", "Upload-Metadata": f"filename {name}"})


def test_without_a_login_nothing_is_told_but_how_to_log_in(server, url):
    asked = [requests.get(url, timeout=30), requests.head(url, timeout=30), requests.put(url, data=b"x", timeout=30),
             requests.delete(url, timeout=30), requests.get(f"{server.url}/files/users", timeout=30),
             requests.post(f"{server.url}/files/users", files={"file": b"x"}, timeout=30), upload(server, None),
             requests.get(f"{server.url}/files/users/no-such-file", timeout=30)]
    for answer in asked:
        assert answer.status_code == 401, answer.request.method
        assert answer.headers["WWW-Authenticate"].startswith("Basic realm=")
    assert asked[0].json()["error"] == "unauthorized" and "log in" in asked[0].json()["reason"]


@pytest.mark.parametrize("auth", [("reader", "wrong"), ("nobody", "r"), ("reader", "")])
def test_a_wrong_name_or_password_is_told_alike(url, auth):
    refused = requests.get(url, auth=auth, timeout=30)
    assert refused.status_code == 401
    assert refused.json() == {"error": "unauthorized", "reason": "no user has this name and password"}


def test_credentials_that_cannot_be_read_are_a_wrong_request(url):
    assert requests.get(url, headers={"Authorization": "Basic !!!"}, timeout=30).status_code == 400


def test_the_role_read_reads_and_changes_nothing(server, url):
    assert requests.get(url, auth=READER, timeout=30).content == BODY
    assert requests.get(url, auth=READER, headers={"Range": "bytes=1-3"}, timeout=30).content == BODY[1:4]
    assert requests.get(f"{server.url}/files/users", auth=READER, timeout=30).status_code == 200
    refused = {"insert": [requests.put(url, data=b"x", auth=READER, timeout=30), upload(server, READER),
                          requests.post(f"{server.url}/files/users", files={"file": b"x"}, auth=READER, timeout=30)],
               "remove": [requests.delete(url, auth=READER, timeout=30)]}
    for action, answers in refused.items():
        for answer in answers:
            assert answer.status_code == 403 and answer.json()["error"] == "forbidden"
            assert f"the action {action}" in answer.json()["reason"] and "ask for a role" in answer.json()["reason"]
    assert requests.get(url, auth=READER, timeout=30).content == BODY


def test_the_role_read_write_puts_uploads_and_deletes(server):
    url = f"{server.url}/files/users/own"
    assert requests.put(url, data=b"one", auth=WRITER, timeout=30).status_code == 201
    begun = upload(server, WRITER)
    assert begun.status_code == 201
    resumed = requests.patch(server.url + begun.headers["Location"], data=b"two", auth=WRITER, timeout=30, headers={
        **TUS, "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"})
    assert resumed.status_code == 204
    assert requests.get(f"{server.url}/files/users/resumed", auth=WRITER, timeout=30).content == b"two"
    assert requests.delete(url, auth=WRITER, timeout=30).status_code == 204


def test_a_role_on_one_database_is_none_on_another(server, url):
    stranger = ("stranger", "s")
    assert requests.get(url, auth=stranger, timeout=30).status_code == 403
    assert requests.put(f"{server.url}/files/fleet.map/a", data=b"x", auth=stranger, timeout=30).status_code == 201
