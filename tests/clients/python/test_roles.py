"""User-defined roles: the commands, and what whoever holds a role may do by each protocol."""

import pymongo
import pytest
import requests
from pymongo.errors import OperationFailure
from server import running

ROOT = ("boss", "secret")


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    with running(tmp_path_factory.mktemp("roles")) as server:
        with pymongo.MongoClient(server.uri) as client:
            client.admin.command("createUser", ROOT[0], pwd=ROOT[1], roles=["root"])
        yield server


@pytest.fixture
def boss(guarded):
    with pymongo.MongoClient(guarded.uri, username=ROOT[0], password=ROOT[1]) as client:
        yield client
        for name in ("shop", "admin", "bank"):
            client[name].command("dropAllRolesFromDatabase")
        for user in client.admin.command("usersInfo", {"forAllDBs": True})["users"]:
            if user["user"] != ROOT[0]:
                client[user["db"]].command("dropUser", user["user"])
        client.drop_database("shop")
        client.drop_database("bank")


@pytest.fixture
def log_in(guarded):
    clients = []

    def make(name, database="shop"):
        client = pymongo.MongoClient(guarded.uri, username=name, password="p", authSource=database)
        clients.append(client)
        return client

    yield make
    for client in clients:
        client.close()


def code_of(call, *arguments, **options):
    with pytest.raises(OperationFailure) as failed:
        call(*arguments, **options)
    return failed.value.code


def on(database, collection, *actions):
    return {"resource": {"db": database, "collection": collection}, "actions": list(actions)}


def may(client, database, command, *arguments, **options):
    try:
        client[database].command(command, *arguments, **options)
    except OperationFailure as error:
        if error.code == 13:
            return False
    return True


def test_a_user_of_one_mechanism_logs_in_without_naming_it(boss, log_in):
    for mechanism in ("SCRAM-SHA-1", "SCRAM-SHA-256"):
        boss.shop.command("createUser", mechanism, pwd="p", roles=["read"], mechanisms=[mechanism])
        assert log_in(mechanism).shop.orders.find_one() is None


def test_a_role_allows_what_it_says_and_no_more(boss, log_in):
    boss.shop.command("createRole", "clerk", privileges=[on("shop", "orders", "find", "insert")], roles=[])
    boss.shop.command("createUser", "carla", pwd="p", roles=["clerk"])
    carla = log_in("carla")
    carla.shop.orders.insert_one({"_id": 1})
    assert carla.shop.orders.find_one() == {"_id": 1}
    assert code_of(carla.shop.orders.delete_one, {}) == 13
    assert code_of(carla.shop.others.find_one) == 13
    assert code_of(carla.bank.orders.find_one) == 13
    assert code_of(carla.shop.command, "listCollections") == 13


def test_every_command_asks_the_same_place(boss, log_in):
    cases = [
        ("find", ("things",), {}, on("shop", "things", "find")),
        ("aggregate", ("things",), {"pipeline": [], "cursor": {}}, on("shop", "things", "find")),
        ("aggregate", ("things",), {"pipeline": [{"$out": "out"}], "cursor": {}}, on("shop", "", "find", "insert", "remove")),
        ("count", ("things",), {}, on("shop", "things", "find")),
        ("insert", ("things",), {"documents": [{}]}, on("shop", "things", "insert")),
        ("update", ("things",), {"updates": [{"q": {}, "u": {"$set": {"a": 1}}}]}, on("shop", "things", "update")),
        ("delete", ("things",), {"deletes": [{"q": {}, "limit": 0}]}, on("shop", "things", "remove")),
        ("create", ("made",), {}, on("shop", "made", "createCollection")),
        ("drop", ("things",), {}, on("shop", "things", "dropCollection")),
        ("createIndexes", ("things",), {"indexes": [{"key": {"a": 1}, "name": "a"}]}, on("shop", "things", "createIndex")),
        ("listIndexes", ("things",), {}, on("shop", "things", "listIndexes")),
        ("collStats", ("things",), {}, on("shop", "things", "collStats")),
        ("validate", ("things",), {}, on("shop", "things", "validate")),
        ("dbStats", (), {}, on("shop", "", "dbStats")),
        ("profile", (2,), {}, on("shop", "", "enableProfiler")),
        ("dropDatabase", (), {}, on("shop", "", "dropDatabase")),
        ("createUser", ("new",), {"pwd": "p", "roles": []}, on("shop", "", "createUser")),
        ("dropUser", ("new",), {}, on("shop", "", "dropUser")),
        ("createRole", ("new",), {"privileges": [], "roles": []}, on("shop", "", "createRole")),
        ("dropRole", ("new",), {}, on("shop", "", "dropRole")),
        ("usersInfo", (1,), {}, on("shop", "", "viewUser")),
        ("rolesInfo", (1,), {}, on("shop", "", "viewRole")),
    ]
    boss.shop.command("createRole", "tried", privileges=[], roles=[])
    boss.shop.command("createUser", "tess", pwd="p", roles=["tried"])
    tess = log_in("tess")
    for command, arguments, options, privilege in cases:
        boss.shop.command("updateRole", "tried", privileges=[])
        assert not may(tess, "shop", command, *arguments, **options), command
        boss.shop.command("updateRole", "tried", privileges=[privilege])
        assert may(tess, "shop", command, *arguments, **options), command
    boss.shop.command("profile", 0)


def test_privileges_on_the_server_and_on_everything(boss, log_in):
    boss.admin.command("createRole", "watcher", privileges=[
        {"resource": {"cluster": True}, "actions": ["serverStatus", "listDatabases"]}], roles=[])
    boss.admin.command("createRole", "anything", privileges=[
        {"resource": {"anyResource": True}, "actions": ["anyAction"]}], roles=[])
    boss.admin.command("createRole", "named", privileges=[on("", "orders", "find")], roles=[])
    boss.shop.command("createUser", "wanda", pwd="p", roles=[{"role": "watcher", "db": "admin"}])
    boss.shop.command("createUser", "all", pwd="p", roles=[{"role": "anything", "db": "admin"}])
    boss.shop.command("createUser", "nora", pwd="p", roles=[{"role": "named", "db": "admin"}])
    wanda, everything, nora = log_in("wanda"), log_in("all"), log_in("nora")
    assert wanda.admin.command("serverStatus")["ok"] == 1
    assert code_of(wanda.admin.command, "top") == 13 and code_of(wanda.shop.orders.find_one) == 13
    everything.admin.command("top")
    assert everything.admin["system.users"].find_one()
    assert nora.shop.orders.find_one() is None and nora.bank.orders.find_one() is None
    assert code_of(nora.shop.others.find_one) == 13


def test_roles_are_inherited_and_changes_hold_at_once(boss, log_in):
    boss.shop.command("createRole", "inner", privileges=[on("shop", "orders", "find")], roles=[])
    boss.shop.command("createRole", "middle", privileges=[], roles=["inner"])
    boss.shop.command("createRole", "outer", privileges=[], roles=["middle"])
    boss.shop.command("createUser", "ida", pwd="p", roles=["outer"])
    ida = log_in("ida")
    assert ida.shop.orders.find_one() is None
    assert code_of(ida.shop.orders.insert_one, {}) == 13
    boss.shop.command("grantPrivilegesToRole", "inner", privileges=[on("shop", "orders", "insert")])
    ida.shop.orders.insert_one({})
    boss.shop.command("revokePrivilegesFromRole", "inner", privileges=[on("shop", "orders", "insert")])
    assert code_of(ida.shop.orders.insert_one, {}) == 13
    boss.shop.command("grantRolesToRole", "inner", roles=["readWrite"])
    ida.shop.orders.insert_one({})
    boss.shop.command("revokeRolesFromRole", "inner", roles=["readWrite"])
    assert code_of(ida.shop.orders.insert_one, {}) == 13
    boss.shop.command("dropRole", "middle")
    assert code_of(ida.shop.orders.find_one) == 13
    info = boss.shop.command("rolesInfo", "outer")["roles"][0]
    assert info["roles"] == [] and info["inheritedRoles"] == []
    # A later role of that name is not theirs.
    boss.shop.command("createRole", "middle", privileges=[], roles=["inner"])
    assert code_of(ida.shop.orders.find_one) == 13
    boss.shop.command("grantRolesToUser", "ida", roles=["middle"])
    assert ida.shop.orders.find_one()
    assert boss.shop.command("dropAllRolesFromDatabase")["n"] == 3
    assert boss.shop.command("usersInfo", "ida")["users"][0]["roles"] == []


def test_what_cannot_be_is_refused(boss):
    shop = boss.shop
    shop.command("createRole", "a", privileges=[], roles=[])
    shop.command("createRole", "b", privileges=[], roles=["a"])
    cluster = {"resource": {"cluster": True}, "actions": ["top"]}
    refused = [
        (51002, ("createRole", "a"), {"privileges": [], "roles": []}),
        (2, ("createRole", "read"), {"privileges": [], "roles": []}),
        (2, ("createRole", ""), {"privileges": [], "roles": []}),
        (40414, ("createRole", "c"), {"roles": []}),
        (40414, ("createRole", "c"), {"privileges": []}),
        (40415, ("createRole", "c"), {"privileges": [], "roles": [], "more": 1}),
        (31, ("createRole", "c"), {"privileges": [], "roles": ["missing"]}),
        (49, ("createRole", "c"), {"privileges": [cluster], "roles": []}),
        (49, ("createRole", "c"), {"privileges": [on("bank", "", "find")], "roles": []}),
        (49, ("createRole", "c"), {"privileges": [], "roles": [{"role": "read", "db": "bank"}]}),
        (2, ("createRole", "c"), {"privileges": [on("shop", "", "fly")], "roles": []}),
        (2, ("createRole", "c"), {"privileges": [{"resource": {"db": "shop"}, "actions": ["find"]}], "roles": []}),
        (49, ("grantRolesToRole", "a"), {"roles": ["b"]}),
        (49, ("grantRolesToRole", "a"), {"roles": ["a"]}),
        (49, ("updateRole", "a"), {"roles": ["b"]}),
        (2, ("updateRole", "a"), {}),
        (31, ("updateRole", "missing"), {"roles": []}),
        (31, ("dropRole", "missing"), {}),
        (2, ("dropRole", "read"), {}),
        (2, ("grantPrivilegesToRole", "readWrite"), {"privileges": [on("shop", "", "find")]}),
        (31, ("createUser", "u"), {"pwd": "p", "roles": ["missing"]}),
    ]
    for code, arguments, options in refused:
        assert code_of(shop.command, *arguments, **options) == code, arguments


def test_whoever_grants_must_be_allowed_to(boss, log_in):
    boss.shop.command("createUser", "una", pwd="p", roles=["userAdmin"])
    una = log_in("una")
    una.shop.command("createRole", "own", privileges=[on("shop", "", "find")], roles=["read"])
    una.shop.command("createUser", "new", pwd="p", roles=["own"])
    assert code_of(una.shop.command, "createUser", "x", pwd="p", roles=[{"role": "root", "db": "admin"}]) == 13
    assert code_of(una.admin.command, "createRole", "x", privileges=[], roles=[]) == 13
    assert code_of(una.shop.command, "grantRolesToRole", "own", roles=[{"role": "root", "db": "admin"}]) == 13
    everything = {"resource": {"anyResource": True}, "actions": ["anyAction"]}
    assert code_of(una.shop.command, "grantPrivilegesToRole", "own", privileges=[everything]) == 13


def test_roles_info_lists_roles_and_privileges(boss, log_in):
    shop = boss.shop
    shop.command("createRole", "clerk", privileges=[on("shop", "orders", "insert", "find")], roles=["read"])
    shop.command("createUser", "carla", pwd="p", roles=["clerk"])
    info = shop.command("rolesInfo", "clerk", showPrivileges=True)["roles"]
    assert len(info) == 1
    assert info[0]["_id"] == "shop.clerk" and not info[0]["isBuiltin"]
    assert info[0]["privileges"] == [on("shop", "orders", "find", "insert")]
    assert info[0]["roles"] == info[0]["inheritedRoles"] == [{"role": "read", "db": "shop"}]
    assert len(info[0]["inheritedPrivileges"]) == 2
    assert [role["role"] for role in shop.command("rolesInfo", 1)["roles"]] == ["clerk"]
    listed = [role["role"] for role in shop.command("rolesInfo", 1, showBuiltinRoles=True)["roles"]]
    assert {"clerk", "read", "dbOwner"} <= set(listed) and "root" not in listed
    assert shop.command("rolesInfo", ["clerk", {"role": "read", "db": "bank"}, "missing"])["roles"][1]["db"] == "bank"
    assert shop.command("rolesInfo", "missing")["roles"] == []
    carla = log_in("carla")
    assert carla.shop.command("rolesInfo", "clerk")["roles"] and carla.shop.command("rolesInfo", "read")["roles"]
    assert code_of(carla.shop.command, "rolesInfo", 1) == 13
    assert code_of(carla.shop.command, "rolesInfo", "dbOwner") == 13
    status = carla.shop.command("connectionStatus", showPrivileges=True)["authInfo"]
    assert {role["role"] for role in status["authenticatedUserRoles"]} == {"clerk", "read"}
    assert len(status["authenticatedUserPrivileges"]) == 2
    shown = shop.command("usersInfo", "carla", showPrivileges=True)["users"][0]
    assert {role["role"] for role in shown["inheritedRoles"]} == {"clerk", "read"}


def test_the_other_protocols_obey(boss, guarded):
    boss.admin.command("createRole", "reader", privileges=[on("shop", "photos.files", "find")], roles=[])
    boss.admin.command("createRole", "couchdb", privileges=[on("shop", "orders", "find")], roles=[])
    boss.admin.command("createRole", "super", privileges=[], roles=["root"])
    boss.admin.command("createUser", "rita", pwd="p", roles=["reader"])
    boss.admin.command("createUser", "curt", pwd="p", roles=["couchdb"])
    boss.admin.command("createUser", "sue", pwd="p", roles=["super"])
    boss.shop.orders.insert_one({"_id": "x"})
    photo = f"{guarded.url}/files/shop.photos/a.txt"
    assert requests.put(photo, data=b"a", auth=ROOT).status_code == 201
    assert requests.get(photo, auth=("rita", "p")).content == b"a"
    assert requests.put(photo, data=b"b", auth=("rita", "p")).status_code == 403
    assert requests.get(photo, auth=("curt", "p")).status_code == 403
    order = f"{guarded.couch}/shop%2Forders/x"
    assert requests.get(order, auth=("curt", "p")).status_code == 200
    assert requests.put(f"{guarded.couch}/shop%2Forders/y", json={}, auth=("curt", "p")).status_code == 403
    assert requests.get(order, auth=("rita", "p")).status_code == 403
    assert requests.get(f"{guarded.couch}/_session", auth=("sue", "p")).json()["userCtx"]["roles"] == ["_admin"]
    boss.admin.command("updateRole", "couchdb", privileges=[])
    assert requests.get(order, auth=("curt", "p")).status_code == 403


def test_roles_survive_a_restart(tmp_path):
    with running(tmp_path) as server, pymongo.MongoClient(server.uri) as client:
        client.admin.command("createUser", ROOT[0], pwd=ROOT[1], roles=["root"])
    for _ in range(2):
        with running(tmp_path) as server, pymongo.MongoClient(server.uri, username=ROOT[0], password=ROOT[1]) as boss:
            if not boss.shop.command("rolesInfo", 1)["roles"]:
                boss.shop.command("createRole", "clerk", privileges=[on("shop", "orders", "find")], roles=[])
                boss.shop.command("createUser", "carla", pwd="p", roles=["clerk"])
                server.kill()
                continue
            with pymongo.MongoClient(server.uri, username="carla", password="p", authSource="shop") as carla:
                assert carla.shop.orders.find_one() is None
                assert code_of(carla.shop.others.find_one) == 13
            return
    pytest.fail("the role was lost")
