//! Every option of a command either has its effect or is refused; none is ignored.

use crate::case::{Case, bad, bad_statement, good, run};
use value::{Binary, Document, Value, doc};

#[test]
fn retryable_writes_change_one_document_each() {
    run(&retryable_writes());
}

#[test]
fn options_of_indexes_are_checked_and_kept() {
    run(&index_options());
}

#[test]
fn write_concerns_and_uuids_are_what_they_say() {
    run(&concerns_and_uuids());
}

#[test]
fn parameters_are_shown_as_they_are_asked_for() {
    run(&parameters());
}

#[test]
fn the_status_leaves_out_what_is_not_wanted() {
    run(&status());
}

#[test]
fn fields_that_no_command_knows_are_refused() {
    run(&unknown_fields());
}

#[test]
fn a_find_that_would_be_gone_on_with_is_refused_by_name() {
    let find = |options: Document| {
        let mut request = doc! {"find": "a"};
        options
            .into_iter()
            .for_each(|(name, value)| request.push(name, value));
        request
    };
    let forward = || doc! {"$natural": 1};
    let asked = |options: Document| find(options.with("$_requestResumeToken", true));
    run(&[
        good(find(doc! {"$_requestResumeToken": false}), doc! {"ok": 1.0}),
        bad(
            find(doc! {"$_resumeAfter": {"$recordId": 1_i64}}),
            2,
            "if 'resumeAfter' is",
        ),
        bad(asked(doc! {}), 2, "hint must be"),
        bad(asked(doc! {"hint": {"$natural": (-1)}}), 2, "hint must be"),
        bad(
            asked(doc! {"hint": forward(), "sort": {"x": 1}}),
            2,
            "sort must be",
        ),
        bad(asked(doc! {"hint": forward()}), 238, "$_requestResumeToken"),
    ]);
}

#[test]
fn clients_say_what_they_are() {
    run(&metadata());
}

/// A request that a driver may send again.
fn again(request: Document, number: i64) -> Document {
    let id = Binary {
        subtype: 4,
        bytes: vec![7; 16],
    };
    request.with("lsid", doc! {"id": id}).with("txnNumber", number)
}

fn retryable_writes() -> Vec<Case> {
    let bulk = |operation: Document| {
        doc! {"bulkWrite": 1, "nsInfo": [{"ns": "test.a"}], "ops": [operation]}
    };
    let refused = || doc! {"nErrors": 1, "cursor": {"firstBatch": [{"ok": 0.0, "idx": 0, "code": 72}]}};
    vec![
        good(
            doc! {"insert": "a", "documents": [{"_id": 1, "x": 1}, {"_id": 2, "x": 1}]},
            doc! {"n": 2},
        ),
        bad_statement(
            again(
                doc! {"update": "a", "updates": [{"q": {}, "u": {"$inc": {"x": 1}}, "multi": true}]},
                1,
            ),
            72,
        ),
        bad_statement(
            again(doc! {"delete": "a", "deletes": [{"q": {}, "limit": 0}]}, 2),
            72,
        ),
        good(
            again(
                bulk(doc! {"update": 0, "filter": {}, "updateMods": {"$inc": {"x": 1}}, "multi": true}),
                3,
            ),
            refused(),
        )
        .of("admin"),
        good(
            again(bulk(doc! {"delete": 0, "filter": {}, "multi": true}), 4),
            refused(),
        )
        .of("admin"),
        good(
            again(
                doc! {"update": "a", "updates": [{"q": {"_id": 1}, "u": {"$inc": {"x": 1}}}]},
                5,
            ),
            doc! {"nModified": 1},
        ),
        good(
            again(
                doc! {"delete": "a", "deletes": [{"q": {"_id": 1}, "limit": 1}]},
                6,
            ),
            doc! {"n": 1},
        ),
        good(
            doc! {"update": "a", "updates": [{"q": {}, "u": {"$inc": {"x": 1}}, "multi": true}]},
            doc! {"n": 1, "nModified": 1},
        ),
    ]
}

fn index_options() -> Vec<Case> {
    let create = |spec: Document| doc! {"createIndexes": "i", "indexes": [spec]};
    let lenient = |spec: Document| create(spec).with("ignoreUnknownIndexOptions", true);
    let sphere = |options: Document| {
        let mut spec = doc! {"key": {"place": "2dsphere"}, "name": "place"};
        options
            .into_iter()
            .for_each(|(name, value)| spec.push(name, value));
        create(spec)
    };
    let engine = |options: Value| create(doc! {"key": {"e": 1}, "name": "e"}.with("storageEngine", options));
    let wildcard = |projection: Document| {
        create(doc! {"key": {"$**": 1}, "name": "w"}.with("wildcardProjection", projection))
    };
    vec![
        bad(
            create(doc! {"key": {"a": 1}, "name": "a", "made": 1}),
            197,
            "'made'",
        ),
        good(
            lenient(doc! {"key": {"a": 1}, "name": "a", "unique": true, "made": 1}),
            doc! {"numIndexesAfter": 2},
        ),
        bad(
            create(doc! {"key": {"b": 1}, "name": "b"}).with("ignoreUnknownIndexOptions", "yes"),
            14,
            "'createIndexes.ignoreUnknownIndexOptions'",
        ),
        bad(sphere(doc! {"coarsestIndexedLevel": (-1)}), 16_747, "coarsest"),
        bad(sphere(doc! {"finestIndexedLevel": 31}), 16_748, "finest"),
        bad(
            sphere(doc! {"coarsestIndexedLevel": 9, "finestIndexedLevel": 8}),
            16_749,
            "finest",
        ),
        bad(sphere(doc! {"coarsestIndexedLevel": 24}), 16_749, "finest"),
        good(
            sphere(doc! {"coarsestIndexedLevel": 3, "finestIndexedLevel": 30}),
            doc! {},
        ),
        bad(engine(Value::Int32(1)), 67, "must be a document"),
        bad(engine(doc! {}.into()), 67, "Empty"),
        bad(engine(doc! {"x": {}}.into()), 72, "x is not a registered"),
        bad(
            engine(doc! {"wiredTiger": {"configString": 1}}.into()),
            14,
            "configString",
        ),
        good(
            engine(doc! {"wiredTiger": {"configString": "block_compressor=none"}}.into()),
            doc! {},
        ),
        bad(wildcard(doc! {"a": {"$slice": 1}}), 51_271, "computes none"),
        bad(
            wildcard(doc! {"a": {"b": {"$elemMatch": {"c": 1}}}}),
            51_271,
            "computes none",
        ),
        good(
            doc! {"listIndexes": "i"},
            doc! {"cursor": {"firstBatch": [
                {"name": "_id_"},
                {"name": "a", "unique": true},
                {"name": "place", "coarsestIndexedLevel": 3, "finestIndexedLevel": 30},
                {"name": "e", "storageEngine": {"wiredTiger": {"configString": "block_compressor=none"}}},
            ]}},
        ),
        good(doc! {"reIndex": "i"}, doc! {"nIndexes": 4}),
    ]
}

fn concerns_and_uuids() -> Vec<Case> {
    let insert = |concern: Document| doc! {"insert": "c", "documents": [{}]}.with("writeConcern", concern);
    let bulk = |uuid: Binary| {
        doc! {
            "bulkWrite": 1,
            "nsInfo": [{"ns": "test.c", "collectionUUID": uuid}],
            "ops": [{"insert": 0, "document": {}}, {"insert": 0, "document": {}}],
            "ordered": false,
        }
    };
    let other = Binary {
        subtype: 4,
        bytes: vec![1; 16],
    };
    let none = Binary {
        subtype: 0,
        bytes: Vec::new(),
    };
    let mismatch = |request: Document| {
        let error = doc! {"index": 0, "code": 361, "db": "test", "expectedCollection": "c"};
        good(request, doc! {"n": 0, "writeErrors": [error]})
    };
    vec![
        mismatch(doc! {"insert": "c", "documents": [{}, {}], "collectionUUID": other.clone()}),
        mismatch(
            doc! {"update": "c", "updates": [{"q": {}, "u": {"a": 1}}], "collectionUUID": other.clone()},
        ),
        mismatch(doc! {"delete": "c", "deletes": [{"q": {}, "limit": 0}], "collectionUUID": other.clone()}),
        bad(doc! {"find": "c", "collectionUUID": other.clone()}, 361, "UUID"),
        bad(
            doc! {"aggregate": "c", "pipeline": [], "cursor": {}, "collectionUUID": other.clone()},
            361,
            "UUID",
        ),
        bad(
            doc! {"collMod": "c", "collectionUUID": other.clone()},
            361,
            "UUID",
        ),
        bad(
            doc! {"find": "c", "collectionUUID": none.clone()},
            14,
            "'find.collectionUUID'",
        ),
        bad(
            doc! {"insert": "c", "documents": [{}], "stmtIds": [0, 1.5]},
            14,
            "'insert.stmtIds.1'",
        ),
        bad(
            doc! {"insert": "c", "documents": [{}], "stmtId": 0, "stmtIds": [0]},
            72,
            "both stmtId and stmtIds",
        ),
        bad(insert(doc! {"fsync": true, "j": true}), 9, "fsync and j"),
        bad(insert(doc! {"fsync": "x"}), 14, "'writeConcern.fsync'"),
        good(insert(doc! {"fsync": true, "j": false}), doc! {"n": 1}),
        good(
            bulk(other),
            doc! {"nErrors": 2, "nInserted": 0, "cursor": {"firstBatch": [
                {"idx": 0, "code": 361, "expectedCollection": "c"},
                {"idx": 1, "code": 361},
            ]}},
        )
        .of("admin"),
        bad(bulk(none), 14, "'bulkWrite.nsInfo.collectionUUID'").of("admin"),
        good(doc! {"count": "c"}, doc! {"n": 1}),
    ]
}

fn parameters() -> Vec<Case> {
    let get = |options: Value| Document::new().with("getParameter", options);
    let details = |shown: bool| get(doc! {"showDetails": shown}.into()).with("logLevel", 1);
    vec![
        good(details(false), doc! {"logLevel": 0}).of("admin"),
        good(
            details(true),
            doc! {"logLevel": {"value": 0, "settableAtRuntime": false}},
        )
        .of("admin"),
        good(
            get(doc! {"allParameters": 1, "setAt": "runtime", "showDetails": true}.into()),
            doc! {"notablescan": {"value": false, "settableAtRuntime": true, "settableAtStartup": false}},
        )
        .of("admin"),
        good(get("*".into()), doc! {"logLevel": 0, "notablescan": false}).of("admin"),
        good(
            get(doc! {"setAt": "startup"}.into())
                .with("acceptApiVersion2", 1)
                .with("enableTestCommands", 1),
            doc! {"acceptApiVersion2": false, "enableTestCommands": true},
        )
        .of("admin"),
        bad(
            get(doc! {"setAt": "startup"}.into()).with("notablescan", 1),
            72,
            "no option found",
        )
        .of("admin"),
        bad(get(doc! {"setAt": "never"}.into()), 2, "'getParameter.setAt'").of("admin"),
        bad(get(doc! {"setAt": 1}.into()), 14, "'getParameter.setAt'").of("admin"),
        bad(
            get(doc! {"showDetails": "x"}.into()),
            14,
            "'getParameter.showDetails'",
        )
        .of("admin"),
        bad(get(doc! {"foo": 1}.into()), 40_415, "'getParameter.foo'").of("admin"),
        // All or nothing is set.
        bad(
            doc! {"setParameter": 1, "notablescan": true, "no": 1},
            72,
            "unrecognized parameter [no]",
        )
        .of("admin"),
        bad(
            doc! {"setParameter": 1, "notablescan": true, "quiet": true},
            20,
            "not allowed to change [quiet]",
        )
        .of("admin"),
        bad(
            doc! {"setParameter": 1, "ttlMonitorSleepSecs": "often", "no": 1},
            72,
            "unrecognized parameter [no]",
        )
        .of("admin"),
        // The first by name tells what it was.
        good(
            doc! {"setParameter": 1, "ttlMonitorSleepSecs": 60, "notablescan": false},
            doc! {"was": false},
        )
        .of("admin"),
        good(
            doc! {"getParameter": 1, "notablescan": 1},
            doc! {"notablescan": false},
        )
        .of("admin"),
    ]
}

fn status() -> Vec<Case> {
    let without = |name: &str, value: Value| doc! {"serverStatus": 1}.with(name, value);
    let mut cases = vec![
        good(
            doc! {"serverStatus": 1, "unheardOf": 1},
            doc! {"asserts": {"regular": 0, "user": 0, "rollovers": 0}, "mem": {"bits": 64, "supported": true}},
        ),
        bad(doc! {"ping": 1, "no": 1}, 40_415, "'ping.no'"),
        good(doc! {"serverStatus": 1}, doc! {"asserts": {"user": 1}}),
        good(without("metrics", true.into()), doc! {"metrics": {}}),
        good(
            doc! {"serverStatus": 1},
            doc! {"globalLock": {"currentQueue": {"total": 0}, "activeClients": {"readers": 1, "writers": 0}},
            "opcountersRepl": {"insert": 0_i64}, "featureCompatibilityVersion": {"major": 8}},
        ),
        good(without("metrics", Value::Array(Vec::new())), doc! {"metrics": {}}),
    ];
    for value in [Value::Int32(0), Value::Bool(false), Value::Null] {
        for name in [
            "asserts",
            "connections",
            "globalLock",
            "mem",
            "metrics",
            "network",
            "opcounters",
        ] {
            cases.push(good(without(name, value.clone()), doc! {"version": "8.0.0"}).without(name));
        }
    }
    cases
}

fn unknown_fields() -> Vec<Case> {
    let names = ["ping", "buildInfo", "hostInfo", "getCmdLineOpts", "logout"];
    let mut cases: Vec<Case> = names
        .into_iter()
        .map(|name| {
            bad(
                Document::new().with(name, 1).with("no", 1),
                40_415,
                "unknown field",
            )
            .of("admin")
        })
        .collect();
    cases.extend([
        bad(doc! {"getLog": "global", "no": 1}, 40_415, "'getLog.no'").of("admin"),
        good(doc! {"hostInfo": 1}, doc! {"system": {"cpuAddrSize": 64}}),
        bad(doc! {"killOp": 1, "op": 1.5}, 2, "exactly representable").of("admin"),
        bad(doc! {"killOp": 1, "op": 4_294_967_296_i64}, 26_823, "32-bit").of("admin"),
        good(
            doc! {"dbStats": 1, "scale": 1023.999},
            doc! {"scaleFactor": 1023_i64},
        )
        .without("freeStorageSize"),
        good(
            doc! {"dbStats": 1, "freeStorage": 1},
            doc! {"freeStorageSize": 0.0, "indexFreeStorageSize": 0.0, "totalFreeStorageSize": 0.0},
        ),
        // Long commands are cut, unless a test asks for them whole; options are true or false whatever their type.
        good(
            doc! {"currentOp": 1, "x": {"$ne": "y".repeat(2_000)}, "comment": "long"},
            doc! {"inprog": [{"command": {"comment": "long"}}]},
        )
        .of("admin"),
        good(
            doc! {"currentOp": 1, "$ownOps": "yes", "$truncateOps": false, "x": {"$ne": "y".repeat(2_000)}},
            doc! {"inprog": [{"command": {"currentOp": 1}}]},
        )
        .of("admin"),
        // What every command takes is no condition on operations.
        good(
            doc! {"currentOp": 1, "maxTimeMS": 10_000, "apiVersion": "1"},
            doc! {"inprog": [{"command": {"currentOp": 1}}]},
        )
        .of("admin"),
    ]);
    cases
}

fn metadata() -> Vec<Case> {
    let hello = |client: Document| doc! {"hello": 1}.with("client", client);
    let driver = || doc! {"name": "d", "version": "1"};
    let os = || doc! {"type": "Linux"};
    let named = |driver: Document, os: Document| doc! {"driver": driver, "os": os};
    vec![
        bad(
            hello(named(doc! {"name": 1, "version": "1"}, os())),
            14,
            "'driver.name' field must be a string",
        ),
        bad(
            hello(named(doc! {"name": "d"}, os())),
            183,
            "Missing required field 'driver.version'",
        ),
        bad(
            hello(named(driver(), doc! {})),
            183,
            "Missing required field 'os.type'",
        ),
        bad(
            hello(named(driver(), os()).with("application", doc! {"name": 1})),
            14,
            "'application.name' field must be a string",
        ),
        bad(
            hello(doc! {"driver": 1, "os": {"type": "Linux"}}),
            14,
            "'driver' field is required to be a BSON document",
        ),
        good(hello(named(driver(), os()).with("application", doc! {})), doc! {}),
    ]
}
