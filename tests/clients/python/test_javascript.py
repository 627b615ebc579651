"""JavaScript in MongoDB's protocol: `$where`, `$function`, `$accumulator`, `mapReduce`."""

import datetime
import threading
import time

import bson
import pymongo
import pytest
from bson.code import Code
from bson.decimal128 import Decimal128
from bson.int64 import Int64
from pymongo.errors import OperationFailure


def call(collection, body, *arguments):
    stage = {"$project": {"_id": 0, "r": {"$function": {"body": body, "args": list(arguments), "lang": "js"}}}}
    return [row["r"] for row in collection.aggregate([stage])]


def refused(code, run):
    with pytest.raises(OperationFailure) as error:
        run()
    assert error.value.code == code, error.value


@pytest.mark.parametrize(
    "where",
    [
        "this.x > 1",
        "obj.x > 1;",
        "return this.x > 1",
        "var y = this.x; y > 1",
        "undeclared = this.x; undeclared > 1",
        "function() { return this.x > 1 }",
        "() => obj.x > 1",
        Code("this.x > 1"),
    ],
)
def test_where_takes_expressions_bodies_and_functions(collection, where):
    collection.insert_many([{"_id": n, "x": n} for n in range(4)])
    assert [d["_id"] for d in collection.find({"$where": where}).sort("_id")] == [2, 3]


def test_where_in_every_command_that_filters(collection):
    collection.insert_many([{"_id": n, "x": n} for n in range(6)])
    many = {"$where": "this.x >= 3"}
    assert collection.count_documents({}) == 6
    assert collection.database.command("count", collection.name, query=many)["n"] == 3
    assert sorted(collection.distinct("x", many)) == [3, 4, 5]
    assert collection.update_many(many, {"$inc": {"n": 1}}).modified_count == 3
    assert collection.find_one_and_update({"$where": "this.x == 5"}, {"$set": {"n": 9}})["n"] == 1
    assert collection.delete_many({"x": {"$lt": 5}, **many}).deleted_count == 2
    assert [d["_id"] for d in collection.find({"$or": [{"x": 0}, {"$where": "this.n == 9"}]}).sort("_id")] == [0, 5]
    assert [d["_id"] for d in collection.find({"$nor": [{"$where": "this.x < 5"}]})] == [5]


def test_where_is_refused_where_mongodb_refuses_it(database, collection):
    collection.insert_one({"a": [{"b": 1}]})
    where = {"$where": "true"}
    refused(2, lambda: list(collection.aggregate([{"$match": where}])))
    refused(2, lambda: list(collection.find({"a": {"$elemMatch": where}})))
    refused(2, lambda: database.create_collection("v", validator=where))
    refused(2, lambda: list(collection.find({"$where": 5})))
    refused(4649201, lambda: list(collection.find({"$where": Code("true", {"a": 1})})))
    refused(139, lambda: list(collection.find({"$where": "this is no script"})))
    refused(139, lambda: list(collection.find({"$where": "this.a.b.c.d"})))


def test_types_survive_a_function(collection):
    document = {
        "_id": bson.ObjectId(),
        "long": Int64(2**60),
        "decimal": Decimal128("1.10"),
        "date": datetime.datetime(2020, 1, 2, 3, 4, 5, 678000),
        "bytes": b"\x00\x01",
        "uuid": bson.Binary(bytes(range(16)), 4),
        "time": bson.Timestamp(5, 6),
        "regex": bson.Regex("^a", "i"),
        "min": bson.MinKey(),
        "max": bson.MaxKey(),
        "none": None,
        "list": [1.5, "x", {"__proto__": True}],
    }
    collection.insert_one(document)
    assert call(collection, "function(d) { return d }", "$$ROOT") == [document]


def test_the_constructors_and_helpers_of_mongodbs_server_exist(collection):
    collection.insert_one({"_id": 1, "n": Int64(5)})
    assert call(collection, "function(n) { return [n + 1, typeof n, n.toNumber()] }", "$n") == [[6.0, "object", 5.0]]
    made = call(
        collection,
        "function() { return [NumberLong('7'), NumberInt(8), NumberDecimal('9.5'), new Timestamp(1, 2),"
        " ObjectId('0123456789abcdef01234567'), ISODate('2020-01-01T00:00:00Z'), HexData(0, '00ff'), MinKey] }",
    )[0]
    assert made[:4] == [7, 8, Decimal128("9.5"), bson.Timestamp(1, 2)]
    assert [type(value) for value in made[:2]] == [Int64, int]
    assert made[4] == bson.ObjectId("0123456789abcdef01234567")
    assert made[5:7] == [datetime.datetime(2020, 1, 1), b"\x00\xff"]
    text = "function() { return [tojson({a: [1, 'x', NumberLong(2)]}, '', true), hex_md5('a'), isNumber(1), isString('')] }"
    assert call(collection, text) == [
        ['{ "a" : [ 1, "x", NumberLong(2) ] }', "0cc175b9c0f1b6a831c399e269772661", True, True]
    ]
    assert call(collection, "function() { return Array.sum([1, 2]) + Array.avg([2, 4]) }") == [6.0]


def test_function_arguments_are_checked(database, collection):
    collection.insert_one({})
    good = {"body": "function() { return 1 }", "args": [], "lang": "js"}

    def run(**changes):
        operand = {name: value for name, value in {**good, **changes}.items() if value is not None}
        return list(collection.aggregate([{"$project": {"r": {"$function": operand}}}]))

    assert run()[0]["r"] == 1.0
    for code, changes in [
        (31261, {"body": None}),
        (31262, {"body": 5}),
        (31432, {"body": "$a"}),
        (31263, {"args": None}),
        (31418, {"lang": None}),
        (31419, {"lang": "py"}),
        (31266, {"args": "x"}),
        (139, {"body": "function("}),
        (139, {"body": "function() { throw 'no' }"}),
    ]:
        refused(code, lambda: run(**changes))
    refused(4660800, lambda: database.create_collection("v", validator={"$expr": {"$function": good}}))


def test_globals_live_as_long_as_the_operation(collection):
    collection.insert_many([{"_id": n} for n in range(3)])
    body = "function() { globalThis.n = (globalThis.n || 0) + 1; return n }"
    assert call(collection, body) == [1, 2, 3]
    assert call(collection, body) == [1, 2, 3]


def test_accumulators_run_their_functions(collection):
    collection.insert_many([{"_id": n, "g": n % 2, "x": n} for n in range(6)])
    accumulator = {
        "init": "function(base) { return {sum: base, n: 0} }",
        "initArgs": ["$start"],
        "accumulate": "function(state, x) { return {sum: state.sum + x, n: state.n + 1} }",
        "accumulateArgs": ["$x"],
        "merge": "function(a, b) { return {sum: a.sum + b.sum, n: a.n + b.n} }",
        "finalize": "function(state) { return state.sum / state.n }",
        "lang": "js",
    }
    group = {"$group": {"_id": {"g": "$g", "start": {"$literal": 3}}, "avg": {"$accumulator": accumulator}}}
    assert sorted(row["avg"] for row in collection.aggregate([group])) == [3.0, 4.0]
    bucket = {"$bucketAuto": {"groupBy": "$x", "buckets": 1, "output": {"avg": {"$accumulator": {**accumulator, "initArgs": [0]}}}}}
    assert [row["avg"] for row in collection.aggregate([bucket])] == [2.5]
    for code, changes in [(4544702, {"init": 5}), (4544706, {"more": 1}), (4544705, {"lang": "py"}), (4544711, {"initArgs": 5})]:
        stage = {"$group": {"_id": None, "r": {"$accumulator": {**accumulator, **changes}}}}
        refused(code, lambda: list(collection.aggregate([stage])))


MAP = "function() { emit(this.g, this.x * factor) }"
REDUCE = "function(key, values) { return Array.sum(values) }"


def map_reduce(collection, out, **options):
    command = {"mapReduce": collection.name, "map": MAP, "reduce": REDUCE, "out": out, "scope": {"factor": 1}}
    return collection.database.command({**command, **options})


def test_map_reduce_returns_its_results_inline(collection):
    collection.insert_many([{"_id": n, "g": n % 2, "x": n} for n in range(6)])
    results = map_reduce(collection, {"inline": 1})["results"]
    assert sorted((row["_id"], row["value"]) for row in results) == [(0, 6.0), (1, 9.0)]
    options = {"query": {"x": {"$gt": 0}}, "sort": {"x": -1}, "limit": 2, "scope": {"factor": 10}, "jsMode": True}
    finalize = Code("function(key, value) { return {key: key, value: value} }")
    results = map_reduce(collection, {"inline": 1}, finalize=finalize, **options)["results"]
    assert sorted(row["value"]["value"] for row in results) == [40.0, 50.0]


def test_map_reduce_into_collections(database, collection):
    collection.insert_many([{"_id": n, "g": n % 2, "x": n} for n in range(6)])
    totals = database["totals"]
    totals.insert_many([{"_id": 0, "value": 100.0}, {"_id": 7, "value": 1.0}])
    read = lambda: {row["_id"]: row["value"] for row in totals.find()}
    assert map_reduce(collection, {"reduce": "totals"})["result"] == "totals"
    assert read() == {0: 106.0, 1: 9.0, 7: 1.0}
    map_reduce(collection, {"merge": "totals"})
    assert read() == {0: 6.0, 1: 9.0, 7: 1.0}
    map_reduce(collection, "totals")
    assert read() == {0: 6.0, 1: 9.0}


def test_map_reduce_into_another_database(client, database, collection):
    collection.insert_many([{"_id": n, "g": n % 2, "x": n} for n in range(6)])
    other = client[database.name + "_out"]
    try:
        result = map_reduce(collection, {"replace": "totals", "db": other.name})["result"]
        assert result == {"db": other.name, "collection": "totals"}
        assert {row["_id"]: row["value"] for row in other["totals"].find()} == {0: 6.0, 1: 9.0}
        map_reduce(collection, {"reduce": "totals", "db": other.name})
        assert {row["_id"]: row["value"] for row in other["totals"].find()} == {0: 12.0, 1: 18.0}
        assert "totals" not in database.list_collection_names()
    finally:
        client.drop_database(other.name)


def test_map_reduce_arguments_are_checked(collection):
    collection.insert_one({"g": 1, "x": 1})
    for code, out, options in [
        (13606, 5, {}),
        (13522, {"replace": "a", "merge": "b"}, {}),
        (13522, {}, {}),
        (2, {"inline": 2}, {}),
        (2, {"inline": 1}, {"map": 5}),
        (40415, {"inline": 1}, {"more": 1}),
        (139, {"inline": 1}, {"map": "function() { emit(1) }"}),
    ]:
        refused(code, lambda: map_reduce(collection, out, **options))


def test_scripts_end_at_their_time_limit(client, collection):
    collection.insert_one({})
    started = time.monotonic()
    refused(50, lambda: list(collection.find({"$where": "while (true) {}"}).max_time_ms(200)))
    refused(50, lambda: list(collection.find({"$where": "sleep(60000)"}).max_time_ms(200)))
    assert time.monotonic() - started < 20
    refused(146, lambda: list(collection.find({"$where": "var a = []; while (true) a.push('x'.repeat(1000000) + a.length)"})))
    refused(139, lambda: list(collection.find({"$where": "(function f() { return f() + 1 })()"})))

    def kill():
        while True:
            for operation in client.admin.aggregate([{"$currentOp": {}}]):
                if "$where" in operation.get("command", {}).get("filter", {}):
                    client.admin.command("killOp", op=operation["opid"])
                    return
            time.sleep(0.01)

    thread = threading.Thread(target=kill)
    thread.start()
    refused(11601, lambda: list(collection.find({"$where": "while (true) {}"})))
    thread.join()
