//! Creating, changing, describing and dropping collections and databases.

use crate::case::{Case, bad, good, run};
use value::{Binary, Document, Value, doc};

#[test]
fn commands_for_collections_get_mongodbs_answers() {
    run(&cases());
}

#[test]
fn a_uuid_stands_for_the_name_of_its_collection() {
    run(&named_by_uuid());
}

pub fn cases() -> Vec<Case> {
    let mut cases = making();
    cases.extend(describing());
    cases.extend(ranges());
    cases.extend(hashed());
    cases.extend(dropping());
    cases
}

fn making() -> Vec<Case> {
    let no_uuid = || Binary {
        subtype: 4,
        bytes: vec![7; 16],
    };
    vec![
        good(doc! {"create": "plain"}, doc! {}),
        good(
            doc! {"create": "seen", "viewOn": "plain", "pipeline": [{"$match": {"n": 1}}]},
            doc! {},
        ),
        good(doc! {"create": "log", "capped": true, "size": 4096}, doc! {}),
        good(
            doc! {"listCollections": 1, "filter": {"name": "log"}},
            doc! {"cursor": {"firstBatch": [{"options": {"capped": true, "size": 4096}}]}},
        ),
        good(
            doc! {"insert": "log", "documents": [{"_id": 1, "a": [1, 2, 3]}]},
            doc! {"n": 1},
        ),
        good(
            doc! {"find": "log", "filter": {"a": 2}, "projection": {"_id": 0, "a.$": 1}, "tailable": true},
            doc! {"cursor": {"firstBatch": [{"a": [2]}]}},
        ),
        bad(
            doc! {"create": "plain", "capped": true, "size": 4096},
            48,
            "already exists",
        ),
        bad(doc! {"create": "other", "capped": true}, 72, "size"),
        good(
            doc! {"insert": "plain", "documents": [{"_id": 1, "n": 1}, {"_id": 2, "n": 2}]},
            doc! {"n": 2},
        ),
        good(doc! {"collMod": "plain", "validator": {"n": {"$gt": 0}}}, doc! {}),
        good(
            doc! {"listCollections": 1, "filter": {"name": "plain"}},
            doc! {"cursor": {"firstBatch": [{"options": {"validationLevel": "strict", "validationAction": "error"}}]}},
        ),
        bad(
            doc! {"collMod": "nothing", "validator": {}},
            26,
            "ns does not exist",
        ),
        bad(
            doc! {"collMod": "plain", "index": {"name": "_id_"}},
            72,
            "no expireAfterSeconds, hidden, unique",
        ),
        good(
            doc! {"cloneCollectionAsCapped": "plain", "toCollection": "copy", "size": 4096},
            doc! {},
        ),
        bad(
            doc! {"cloneCollectionAsCapped": "nothing", "toCollection": "copy2", "size": 4096},
            26,
            "nothing",
        ),
        good(doc! {"create": "soon"}, doc! {}),
        good(doc! {"convertToCapped": "soon", "size": 4096}, doc! {}),
        good(
            doc! {"create": "sorted", "collation": {"locale": "en", "strength": 2}},
            doc! {},
        ),
        good(
            doc! {"insert": "sorted", "documents": [{"_id": "FOO"}, {"_id": "bar"}]},
            doc! {"n": 2},
        ),
        good(doc! {"convertToCapped": "sorted", "size": 4096}, doc! {}),
        good(doc! {"collStats": "sorted"}, doc! {"capped": true, "count": 2}),
        good(
            doc! {"find": "sorted", "filter": {"_id": "foo"}},
            doc! {"cursor": {"firstBatch": [{"_id": "FOO"}]}},
        ),
        bad(
            doc! {"convertToCapped": "plain"},
            72,
            "Capped collection size must be greater than zero",
        ),
        good(
            doc! {"renameCollection": "test.soon", "to": "test.later"},
            doc! {},
        )
        .of("admin"),
        bad(
            doc! {"renameCollection": "test.nothing", "to": "test.x"},
            26,
            "does not exist",
        )
        .of("admin"),
        bad(
            doc! {"renameCollection": "test.plain", "to": "test.later"},
            48,
            "exists",
        )
        .of("admin"),
        bad(
            doc! {"drop": "plain", "collectionUUID": no_uuid()},
            361,
            "UUID does not match",
        ),
    ]
}

fn describing() -> Vec<Case> {
    vec![
        good(
            doc! {"listCollections": 1, "filter": {"name": "plain"}, "nameOnly": true},
            doc! {"cursor": {"id": 0_i64, "ns": "test.$cmd.listCollections", "firstBatch": [{"name": "plain", "type": "collection"}]}},
        ),
        bad(
            doc! {"listCollections": 1, "filter": 1},
            14,
            "'listCollections.filter' is the wrong type",
        ),
        good(
            doc! {"find": "system.views"},
            doc! {"cursor": {"id": 0_i64, "ns": "test.system.views", "firstBatch": [{"_id": "test.seen", "viewOn": "plain", "pipeline": [{"$match": {"n": 1}}]}]}},
        ),
        good(
            doc! {"count": "system.views", "query": {"viewOn": "nothing"}},
            doc! {"n": 0},
        ),
        good(
            doc! {"find": "shards"},
            doc! {"cursor": {"firstBatch": [{"_id": "larder", "host": "localhost", "state": 1}]}},
        )
        .of("config"),
        good(
            doc! {"checkMetadataConsistency": 1},
            doc! {"cursor": {"id": 0_i64, "firstBatch": Value::Array(Vec::new())}},
        ),
        bad(
            doc! {"checkMetadataConsistency": 1, "checkShards": true},
            40_415,
            "checkShards",
        ),
        good(
            doc! {"collStats": "plain"},
            doc! {"ns": "test.plain", "count": 2, "capped": false},
        ),
        bad(doc! {"collStats": "seen"}, 166, "is a view"),
        good(
            doc! {"collStats": "plain", "numericOnly": true, "waitForLock": false, "validationLevel": "off", "scale": 1_i64 << 40},
            doc! {"count": 2, "scaleFactor": i32::MAX},
        )
        .without("indexBuilds"),
        bad(doc! {"collStats": "plain", "verbose": 1}, 14, "'collStats.verbose'"),
        bad(
            doc! {"collStats": "plain", "validationLevel": "some"},
            2,
            "'some'",
        ),
        good(doc! {"dataSize": "test.plain"}, doc! {"numObjects": 2_i64}),
        good(
            doc! {"dataSize": "test.plain", "maxObjects": 0, "maxSize": 0},
            doc! {"numObjects": 2_i64},
        )
        .without("maxReached"),
        good(
            doc! {"dataSize": "test.plain", "maxObjects": (-1)},
            doc! {"numObjects": 1_i64, "maxReached": true},
        ),
        bad(
            doc! {"dataSize": "test.plain", "min": {"_id": 1}},
            2,
            "only one of min or max specified",
        ),
        good(
            doc! {"validate": "plain", "full": true},
            doc! {"valid": true, "nrecords": 2, "nIndexes": 1},
        ),
        bad(doc! {"validate": "nothing"}, 26, "does not exist"),
        bad(doc! {"validate": "seen"}, 166, "Cannot validate a view"),
        good(
            doc! {"validateDBMetadata": 1, "apiParameters": {"version": "1", "strict": true}},
            doc! {"apiVersionErrors": Value::Array(Vec::new())},
        ),
        bad(
            doc! {"validateDBMetadata": 1},
            40_414,
            "'validateDBMetadata.apiParameters' is missing",
        ),
        good(
            doc! {"compact": "plain", "dryRun": true},
            doc! {"estimatedBytesFreed": 0},
        ),
        good(doc! {"compact": "plain"}, doc! {}),
        bad(doc! {"compact": "nothing"}, 26, "collection does not exist"),
        good(
            doc! {"dbStats": 1},
            doc! {"db": "test", "views": 1_i64, "scaleFactor": 1_i64},
        ),
        bad(doc! {"dbStats": 1, "scale": 0}, 2, "'scale' value must be >= 1"),
        good(
            doc! {"listDatabases": 1, "nameOnly": true, "filter": {"name": "test"}},
            doc! {"databases": [{"name": "test"}]},
        )
        .of("admin"),
        // Files grow by steps.
        good(
            doc! {"listDatabases": 1, "filter": {"sizeOnDisk": {"$not": {"$mod": [4096, 0]}}}},
            doc! {"databases": Value::Array(Vec::new()), "totalSize": 0_i64},
        )
        .of("admin"),
        bad(doc! {"listDatabases": 1}, 13, "admin database"),
        bad(
            doc! {"listDatabases": 1, "filter": {"$text": {"$search": "a"}}},
            2,
            "$text is not allowed",
        )
        .of("admin"),
        bad(
            doc! {"listCollections": 1, "filter": {"$where": "true"}},
            2,
            "$where is not allowed",
        ),
        bad(
            doc! {"listCollections": 1, "filter": {"a": {"$near": [0, 0]}}},
            5_626_500,
            "not allowed in this context",
        ),
    ]
}

/// An index that lacks documents does not tell how many there are.
fn ranges() -> Vec<Case> {
    vec![
        good(
            doc! {"insert": "ranged", "documents": [{"_id": 1, "a": 1}, {"_id": 2}, {"_id": 3, "a": 2}]},
            doc! {"n": 3},
        ),
        good(
            doc! {"createIndexes": "ranged", "indexes": [{"key": {"a": 1}, "name": "a", "sparse": true}]},
            doc! {},
        ),
        bad(
            doc! {"dataSize": "test.ranged", "min": {"a": Value::MinKey}, "max": {"a": Value::MaxKey}},
            96,
            "couldn't find valid index",
        ),
        good(
            doc! {"createIndexes": "ranged", "indexes": [{"key": {"a": 1, "b": 1}, "name": "ab"}]},
            doc! {},
        ),
        good(
            doc! {"dataSize": "test.ranged", "min": {"a": Value::MinKey}, "max": {"a": Value::MaxKey}},
            doc! {"numObjects": 3_i64},
        ),
    ]
}

/// The digests were computed by other means.
fn hashed() -> Vec<Case> {
    let here = |case: Case| case.of("hashed");
    let file = |id: i32| doc! {"filemd5": id};
    let chunk = |n: i32, data: Value| doc! {"files_id": 1, "n": n, "data": data};
    let bytes = |bytes: &[u8]| {
        Value::from(Binary {
            subtype: 0,
            bytes: bytes.to_vec(),
        })
    };
    vec![
        here(good(doc! {"create": "b", "capped": true, "size": 4096}, doc! {})),
        here(good(
            doc! {"insert": "a", "documents": [{"_id": 2}, {"_id": 1}]},
            doc! {"n": 2},
        )),
        here(good(doc! {"create": "v", "viewOn": "a"}, doc! {})),
        here(good(
            doc! {"dbHash": 1},
            doc! {"collections": {"a": "64258d12ae15fcc412284d681e8eef12", "b": "d41d8cd98f00b204e9800998ecf8427e"}, "capped": ["b"], "md5": "ec02d0bb7f960d0c1944c66ea659d3a8"},
        ))
        .with("uuids")
        .with("host"),
        here(good(
            doc! {"dbhash": 1, "collections": ["a", "v"]},
            doc! {"capped": Value::Array(Vec::new()), "md5": "af27458b8223c3c6caea00ff71252971"},
        )),
        here(bad(doc! {"dbHash": 1, "collections": [1]}, 2, "have to be strings")),
        here(bad(doc! {"dbHash": "a"}, 73, "Invalid db name")),
        here(good(file(1), doc! {"numChunks": 0, "md5": "d41d8cd98f00b204e9800998ecf8427e"})),
        here(good(
            doc! {"insert": "fs.chunks", "documents": [chunk(0, bytes(b"ab")), chunk(1, bytes(b"c"))]},
            doc! {"n": 2},
        )),
        here(bad(file(1), 291, "")),
        here(good(
            doc! {"createIndexes": "fs.chunks", "indexes": [{"key": {"files_id": 1, "n": 1}, "name": "chunks"}]},
            doc! {},
        )),
        here(good(
            file(1),
            doc! {"numChunks": 2, "md5": "900150983cd24fb0d6963f7d28e17f72"},
        )),
        here(good(
            doc! {"filemd5": 1, "root": "other"},
            doc! {"numChunks": 0},
        )),
        here(bad(doc! {"filemd5": 1, "root": 1}, 73, "'root'")),
        here(bad(doc! {"filemd5": 1, "partialOk": true}, 238, "partialOk")),
        here(good(
            doc! {"insert": "fs.chunks", "documents": [chunk(3, bytes(b"d"))]},
            doc! {"n": 1},
        )),
        here(bad(file(1), 10_040, "out of order")),
        here(good(
            doc! {"insert": "fs.chunks", "documents": [chunk(2, Value::from("d"))]},
            doc! {"n": 1},
        )),
        here(bad(file(1), 50_849, "string")),
    ]
}

fn dropping() -> Vec<Case> {
    vec![
        good(
            doc! {"drop": "plain"},
            doc! {"nIndexesWas": 1, "ns": "test.plain"},
        ),
        good(doc! {"drop": "nothing"}, doc! {}),
        bad(doc! {"drop": 1}, 73, "collection name has invalid type"),
        good(doc! {"dropDatabase": 1}, doc! {"dropped": "test"}),
        bad(doc! {"dropDatabase": 2}, 5_255_100, "Have to pass 1"),
        bad(doc! {"dropDatabase": 1}, 20, "prohibited").of("admin"),
    ]
}

fn named_by_uuid() -> Vec<Case> {
    let of_another_database = |request: Document| bad(request, 26, "UUID").of("other");
    let binary = |subtype: u8, length: usize| {
        let bytes = vec![1; length];
        Binary { subtype, bytes }
    };
    vec![
        good(
            doc! {"insert": "a", "documents": [{"_id": 1, "x": 2}, {"_id": 2, "x": 2}]},
            doc! {"n": 2},
        ),
        good(doc! {"listCollections": 1, "filter": {"name": "a"}}, doc! {}),
        good(
            doc! {"find": "<uuid>", "batchSize": 1},
            doc! {"cursor": {"ns": "test.a", "firstBatch": [{"_id": 1, "x": 2}]}},
        ),
        good(
            doc! {"getMore": "<cursor>", "collection": "a"},
            doc! {"cursor": {"ns": "test.a", "nextBatch": [{"_id": 2, "x": 2}]}},
        ),
        good(doc! {"count": "<uuid>"}, doc! {"n": 2}),
        good(doc! {"distinct": "<uuid>", "key": "x"}, doc! {"values": [2]}),
        good(
            doc! {"listIndexes": "<uuid>"},
            doc! {"cursor": {"firstBatch": [{"name": "_id_"}]}},
        ),
        of_another_database(doc! {"find": "<uuid>"}),
        of_another_database(doc! {"count": "<uuid>"}),
        of_another_database(doc! {"distinct": "<uuid>", "key": "x"}),
        of_another_database(doc! {"listIndexes": "<uuid>"}),
        bad(
            doc! {"find": "<uuid>", "collectionUUID": "<uuid>"},
            72,
            "collectionUUID",
        ),
        bad(doc! {"find": binary(4, 4)}, 207, "16-byte"),
        bad(doc! {"find": binary(0, 16)}, 73, "invalid type binData"),
        bad(
            doc! {"insert": "<uuid>", "documents": [{}]},
            73,
            "invalid type binData",
        ),
        bad(doc! {"explain": {"find": "<uuid>"}}, 73, "invalid type binData"),
    ]
}
