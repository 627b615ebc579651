//! Commands about the server as a whole.

use crate::case::{Case, bad, good, run};
use value::{Value, array, doc};

#[test]
fn commands_for_the_server_get_mongodbs_answers() {
    run(&cases());
}

pub fn cases() -> Vec<Case> {
    let mut cases = hellos();
    cases.extend(descriptions());
    cases.extend(maintenance());
    cases.extend(fail_points());
    cases.extend(end());
    cases
}

fn hellos() -> Vec<Case> {
    vec![
        good(
            doc! {"hello": 1},
            doc! {"isWritablePrimary": true, "msg": "isdbgrid", "maxWireVersion": 25, "minWireVersion": 0},
        ),
        good(doc! {"isMaster": 1}, doc! {"ismaster": true}),
        good(
            doc! {"ismaster": 1, "helloOk": true},
            doc! {"ismaster": true, "helloOk": true},
        ),
        bad(
            doc! {"hello": 1, "client": {"driver": {"name": "d", "version": "1"}}},
            183,
            "Missing required sub-document 'os'",
        ),
        bad(doc! {"hello": 1, "maxAwaitTimeMS": 1}, 31_368, "topologyVersion"),
        bad(doc! {"hello": 1, "helloOk": "true"}, 14, "hello.helloOk"),
        bad(doc! {"hello": 1, "compression": [1]}, 14, "compression"),
        good(
            doc! {"hello": 1, "saslSupportedMechs": {"user": "nobody", "db": "admin"}},
            doc! {"isWritablePrimary": true},
        ),
        bad(
            doc! {"hello": 1, "saslSupportedMechs": "nobody"},
            2,
            "username must contain a '.' separated database.user pair",
        ),
        bad(
            doc! {"hello": 1, "saslSupportedMechs": {"user": "nobody"}},
            2,
            "UserName must contain a field named: db",
        ),
        bad(doc! {"hello": 1, "saslSupportedMechs": 1}, 14, "[string, object]"),
        good(doc! {"ping": 1}, doc! {}),
        bad(doc! {"ping": 1, "maxTimeMS": "1"}, 14, "maxTimeMS"),
        bad(doc! {"noSuchCommand": 1}, 59, "no such command: 'noSuchCommand'"),
    ]
}

fn descriptions() -> Vec<Case> {
    vec![
        good(
            doc! {"buildInfo": 1},
            doc! {"version": "8.0.0", "versionArray": [8, 0, 0, 0], "bits": 64},
        ),
        good(doc! {"buildinfo": 1}, doc! {"maxBsonObjectSize": 16_777_216}),
        bad(
            doc! {"buildInfo": 1, "writeConcern": {"w": 1}},
            72,
            "does not support writeConcern",
        ),
        good(doc! {"whatsmyuri": 1}, doc! {}),
        bad(doc! {"whatsmyuri": 1, "maxTimeMS": (-1)}, 2, "maxTimeMS"),
        good(
            doc! {"listCommands": 1},
            doc! {"commands": {"find": {"adminOnly": false, "apiVersions": ["1"], "deprecatedApiVersions": []}}},
        ),
        bad(
            doc! {"listCommands": 1, "readConcern": {"level": "majority"}},
            72,
            "does not support",
        ),
        good(
            doc! {"serverStatus": 1},
            doc! {"process": "mongos", "connections": {"current": 1}, "queues": {"ingressSessionEstablishment": {"rejectedAdmissions": (Value::Int64(0))}}, "catalogStats": {"capped": 0}},
        ),
        bad(
            doc! {"serverStatus": 1, "apiVersion": "1", "apiStrict": true},
            323,
            "not in API Version 1",
        ),
        good(
            doc! {"top": 1},
            doc! {"totals": {"note": "all times in microseconds"}},
        )
        .of("admin"),
        bad(doc! {"top": 1}, 13, "admin database"),
        good(
            doc! {"connPoolStats": 1, "no": 1},
            doc! {"totalCreated": 0_i64, "acquisitionWaitTimes": {"[950ms, 1000ms)": {"count": 0_i64}}, "pools": {}},
        ),
        bad(
            doc! {"connPoolStats": 1, "writeConcern": {"w": 1}},
            72,
            "does not support writeConcern",
        ),
        good(doc! {"features": 1}, doc! {"js": {"utf8": true}}).with("oidMachine"),
        bad(doc! {"features": 1, "no": 1}, 40_415, "'features.no'"),
        bad(doc! {"features": 1, "oidReset": true}, 238, "oidReset"),
        good(
            doc! {"dropConnections": 1, "hostAndPort": ["a:1", "[::1]:2"]},
            doc! {},
        )
        .of("admin"),
        bad(
            doc! {"dropConnections": 1, "hostAndPort": ["a:0"]},
            9,
            "host:port",
        )
        .of("admin"),
        bad(doc! {"dropConnections": 1}, 40_414, "hostAndPort").of("admin"),
        good(doc! {"hostInfo": 1}, doc! {"system": {"cpuAddrSize": 64}}).of("admin"),
        bad(doc! {"hostInfo": 1, "no": 1}, 40_415, "'hostInfo.no'"),
        good(
            doc! {"setFeatureCompatibilityVersion": "8.0", "confirm": true},
            doc! {},
        )
        .of("admin"),
        bad(
            doc! {"setFeatureCompatibilityVersion": "8.0"},
            7_369_100,
            "'confirm: true'",
        )
        .of("admin"),
        bad(
            doc! {"setFeatureCompatibilityVersion": "4.0", "confirm": true},
            2,
            "'4.0'",
        )
        .of("admin"),
        bad(doc! {"setFeatureCompatibilityVersion": 8}, 14, "wrong type").of("admin"),
        good(
            doc! {"getCmdLineOpts": 1},
            doc! {"parsed": {"setParameter": {"enableTestCommands": "1"}}},
        )
        .of("admin"),
        bad(doc! {"getCmdLineOpts": 1}, 13, "admin database"),
        good(
            doc! {"getLog": "*"},
            doc! {"names": ["global", "startupWarnings"]},
        )
        .of("admin"),
        good(doc! {"getLog": "global"}, doc! {"log": Value::Array(array![])}).of("admin"),
        bad(doc! {"getLog": "no"}, 96, "no").of("admin"),
        bad(doc! {"getLog": null}, 40_414, "'getLog.getLog'").of("admin"),
        bad(doc! {"getLog": 1}, 14, "'getLog.getLog'").of("admin"),
        good(
            doc! {"getParameter": 1, "notablescan": 1},
            doc! {"notablescan": false},
        )
        .of("admin"),
        bad(doc! {"getParameter": 1, "no": 1}, 72, "no option found to get").of("admin"),
        good(
            doc! {"setParameter": 1, "notablescan": false},
            doc! {"was": false},
        )
        .of("admin"),
        bad(
            doc! {"setParameter": 1, "no": 1},
            72,
            "unrecognized parameter [no]",
        )
        .of("admin"),
        good(
            doc! {"setParameter": 1, "ingressConnectionEstablishmentRatePerSec": 20},
            doc! {"was": f64::from(i32::MAX)},
        )
        .of("admin"),
        good(
            doc! {"getParameter": 1, "ingressConnectionEstablishmentRatePerSec": 1},
            doc! {"ingressConnectionEstablishmentRatePerSec": 20.0},
        )
        .of("admin"),
        bad(
            doc! {"setParameter": 1, "ingressConnectionEstablishmentBurstCapacitySecs": 0},
            2,
            "0 is not greater than 0",
        )
        .of("admin"),
        bad(
            doc! {"setParameter": 1, "ingressConnectionEstablishmentMaxQueueDepth": (-1)},
            2,
            "-1 is not greater than or equal to 0",
        )
        .of("admin"),
        bad(
            doc! {"setParameter": 1, "ttlMonitorSleepSecs": "often"},
            2,
            "it is not a number",
        )
        .of("admin"),
        bad(
            doc! {"setParameter": 1, "maxBSONDepth": 1},
            20,
            "not allowed to change [maxBSONDepth]",
        )
        .of("admin"),
    ]
}

fn maintenance() -> Vec<Case> {
    vec![
        good(doc! {"logRotate": 1}, doc! {}).of("admin"),
        bad(doc! {"logRotate": "audit"}, 4, "audit").of("admin"),
        bad(doc! {"logRotate": null}, 40_414, "'logRotate.logRotate'").of("admin"),
        good(doc! {"fsync": 1}, doc! {"numFiles": 1}).of("admin"),
        good(doc! {"fsync": 1, "lock": true}, doc! {"lockCount": 1_i64}).of("admin"),
        good(doc! {"currentOp": 1}, doc! {"fsyncLock": true}).of("admin"),
        good(
            doc! {"lockInfo": 1},
            doc! {"lockInfo": [{"granted": [{"mode": "S"}]}]},
        )
        .of("admin"),
        good(doc! {"fsyncUnlock": 1}, doc! {"lockCount": 0_i64}).of("admin"),
        bad(
            doc! {"fsync": 1, "fsyncLockAcquisitionTimeoutMillis": 1.5},
            14,
            "wrong type",
        )
        .of("admin"),
        bad(doc! {"fsyncUnlock": 1}, 20, "not locked").of("admin"),
        good(
            doc! {"lockInfo": 1, "includeStorageEngineDump": true},
            doc! {"lockInfo": Value::Array(array![])},
        )
        .of("admin"),
        bad(
            doc! {"lockInfo": 1, "includeStorageEngineDump": 1},
            14,
            "'lockInfo.includeStorageEngineDump'",
        )
        .of("admin"),
        good(
            doc! {"fsync": 1, "forBackup": true, "allowFsyncFailure": true},
            doc! {"numFiles": 1},
        )
        .of("admin"),
        bad(doc! {"fsync": 1, "forBackup": "x"}, 14, "'fsync.forBackup'").of("admin"),
        bad(
            doc! {"fsync": 1, "lock": true, "allowFsyncFailure": true},
            72,
            "'allowFsyncFailure'",
        )
        .of("admin"),
        bad(doc! {"currentOp": 1}, 13, "admin database"),
        good(
            doc! {"killOp": 1, "op": 123},
            doc! {"info": "attempting to kill op"},
        )
        .of("admin"),
        bad(doc! {"killOp": 1}, 4, "Missing expected field \"op\"").of("admin"),
        bad(doc! {"killOp": 1, "op": "x"}, 14, "numeric type").of("admin"),
    ]
}

/// Whoever runs the server may end it then.
fn end() -> Vec<Case> {
    vec![
        bad(doc! {"shutdown": 1}, 13, "admin database"),
        bad(doc! {"shutdown": 1, "force": 1}, 14, "'shutdown.force'").of("admin"),
        bad(doc! {"shutdown": 1, "no": 1}, 40_415, "'shutdown.no'").of("admin"),
        good(doc! {"shutdown": 1, "timeoutSecs": 0}, doc! {}).of("admin"),
    ]
}

fn fail_points() -> Vec<Case> {
    vec![
        good(
            doc! {"configureFailPoint": "failCommand", "mode": {"times": 1}, "data": {"failCommands": ["ping"], "errorCode": 91}},
            doc! {},
        )
        .of("admin"),
        bad(doc! {"ping": 1}, 91, "failpoint"),
        good(doc! {"ping": 1}, doc! {}),
        bad(doc! {"configureFailPoint": "no", "mode": "off"}, 2, "not supported").of("admin"),
        good(doc! {"insert": "late", "documents": [{"_id": 1}, {"_id": 2}, {"_id": 3}]}, doc! {}),
        good(doc! {"find": "late", "batchSize": 1, "maxTimeMS": 60_000}, doc! {}),
        good(
            doc! {"configureFailPoint": "maxTimeAlwaysTimeOut", "mode": "alwaysOn"},
            doc! {},
        )
        .of("admin"),
        bad(doc! {"getMore": "<cursor>", "collection": "late"}, 50, "time limit"),
        bad(doc! {"find": "none", "maxTimeMS": 60_000}, 50, "time limit"),
        bad(doc! {"ping": 1, "maxTimeMS": 60_000}, 50, "time limit"),
        good(doc! {"find": "late", "batchSize": 1}, doc! {}),
        good(doc! {"getMore": "<cursor>", "collection": "late"}, doc! {}),
        good(
            doc! {"configureFailPoint": "maxTimeAlwaysTimeOut", "mode": "off"},
            doc! {},
        )
        .of("admin"),
        good(doc! {"ping": 1, "maxTimeMS": 60_000}, doc! {}),
        good(doc! {"testVersion2": 1, "apiVersion": "1"}, doc! {}),
        bad(
            doc! {"testVersion2": 1, "apiVersion": "1", "apiStrict": true},
            323,
            "command testVersion2 is not in API Version 1",
        ),
    ]
}

#[test]
fn each_statement_of_a_write_is_counted() {
    run(&[
        good(
            doc! {"insert": "counted", "documents": [{"_id": 1}, {"_id": 2}, {"_id": 3}]},
            doc! {"n": 3},
        ),
        good(
            doc! {"update": "counted", "updates": [
                {"q": {"_id": 1}, "u": {"$set": {"a": 1}}},
                {"q": {"_id": 2}, "u": {"$set": {"a": 1}}},
            ]},
            doc! {"n": 2},
        ),
        good(
            doc! {"delete": "counted", "deletes": [{"q": {}, "limit": 0}]},
            doc! {"n": 3},
        ),
        good(
            doc! {"serverStatus": 1},
            doc! {"opcounters": {"insert": 3_i64, "update": 2_i64, "delete": 1_i64}},
        ),
    ]);
}
