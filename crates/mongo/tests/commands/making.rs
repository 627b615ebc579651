//! Which options `create`, `collMod`, `createIndexes` and the listings accept, according to MongoDB's own declarations.

use crate::case::{bad, good, run};
use value::{Document, doc};

fn create(options: Document) -> Document {
    let mut request = doc! {"create": "c"};
    options
        .into_iter()
        .for_each(|(name, value)| request.push(name, value));
    request
}

#[test]
fn options_of_collections_are_those_that_are_declared() {
    run(&[
        // The range of a size is checked before the options that require it.
        bad(create(doc! {"size": 0}), 2, "'size' value must be"),
        bad(create(doc! {"size": 1}), 72, "needs to be true when"),
        bad(create(doc! {"max": (1_i64 << 31)}), 2, "< 2^31"),
        bad(create(doc! {"max": 1}), 72, "needs to be true when"),
        bad(
            create(doc! {"recordPreImages": true}),
            40_415,
            "'create.recordPreImages'",
        ),
        bad(
            create(doc! {"recordIdsReplicated": "x"}),
            14,
            "'create.recordIdsReplicated'",
        ),
        bad(
            create(doc! {"indexOptionDefaults": {"x": 1}}),
            40_415,
            "'create.indexOptionDefaults.x'",
        ),
        bad(
            create(doc! {"indexOptionDefaults": {"storageEngine": 1}}),
            14,
            "'create.indexOptionDefaults.storageEngine'",
        ),
        bad(
            create(doc! {"indexOptionDefaults": {"storageEngine": {"x": 1}}}),
            2,
            "storageEngine.x",
        ),
        good(
            create(doc! {"indexOptionDefaults": {"storageEngine": {"wiredTiger": {}}}}),
            doc! {},
        ),
        good(
            doc! {"create": "noted", "autoIndexId": true},
            doc! {"note": "The autoIndexId option is deprecated and will be removed in a future release"},
        ),
        good(doc! {"create": "unnoted"}, doc! {}).without("note"),
        bad(
            doc! {"collMod": "c", "recordPreImages": true},
            40_415,
            "'collMod.recordPreImages'",
        ),
        bad(
            doc! {"collMod": "c", "timeseriesBucketsMayHaveMixedSchemaData": "x"},
            14,
            "timeseriesBucketsMayHaveMixedSchemaData",
        ),
    ]);
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let clustered = |mut options: Document| {
        options.push("clusteredIndex", doc! {"key": {"_id": 1}, "unique": true});
        create(options)
    };
    let series = |mut options: Document| {
        options.push("timeseries", doc! {"timeField": "t"});
        create(options)
    };
    run(&[
        bad(clustered(doc! {"size": 4096}), 6_049_200, "'size'"),
        bad(
            clustered(doc! {"capped": true, "size": 4096}),
            6_049_200,
            "'size'",
        ),
        bad(clustered(doc! {"max": 5}), 6_049_204, "'max'"),
        bad(clustered(doc! {"capped": true}), 6_127_800, "'capped'"),
        bad(
            create(doc! {"capped": true, "size": 4096, "clusteredIndex": false}),
            6_049_200,
            "'size'",
        ),
        good(clustered(doc! {"capped": false}), doc! {}),
        bad(
            series(doc! {"changeStreamPreAndPostImages": {"enabled": false}}),
            72,
            "changeStreamPreAndPostImages",
        ),
        bad(series(doc! {"autoIndexId": false}), 72, "autoIndexId"),
        bad(series(doc! {"capped": true, "size": 4096}), 72, "capped"),
        good(
            doc! {"create": "series", "timeseries": {"timeField": "t"}, "capped": false},
            doc! {},
        ),
    ]);
}

#[test]
fn reads_without_an_index_are_refused_if_they_have_a_condition() {
    let refuse = |refuses: bool| good(doc! {"setParameter": 1, "notablescan": refuses}, doc! {}).of("admin");
    let refused = |request: Document| bad(request, 291, "running with 'notablescan'");
    run(&[
        good(doc! {"insert": "log", "documents": [{"_id": 1, "a": 1}]}, doc! {}),
        refuse(true),
        refused(doc! {"find": "log", "filter": {"a": 1}}),
        refused(doc! {"count": "log", "query": {"a": 1}}),
        refused(doc! {"distinct": "log", "key": "b", "query": {"a": 1}}),
        refused(doc! {"explain": {"find": "log", "filter": {"a": 1}}}),
        good(
            doc! {"find": "log"},
            doc! {"cursor": {"firstBatch": [{"_id": 1}]}},
        ),
        good(doc! {"count": "log", "query": {"_id": 1}}, doc! {"n": 1}),
        good(doc! {"count": "log"}, doc! {"n": 1}),
        good(
            doc! {"explain": {"delete": "log", "deletes": [{"q": {"a": 1}, "limit": 1}]}},
            doc! {},
        ),
        refuse(false),
        good(doc! {"count": "log", "query": {"a": 1}}, doc! {"n": 1}),
    ]);
}

#[test]
fn the_end_of_a_collection_is_not_followed_where_none_may_be_read_whole() {
    let tail = || doc! {"find": "log", "tailable": true, "filter": {"_id": {"$gte": 1}}};
    let refuse = |refuses: bool| good(doc! {"setParameter": 1, "notablescan": refuses}, doc! {}).of("admin");
    run(&[
        good(doc! {"create": "log", "capped": true, "size": 4096}, doc! {}),
        good(doc! {"insert": "log", "documents": [{"_id": 1}]}, doc! {}),
        refuse(true),
        bad(tail(), 291, "'notablescan'"),
        refuse(false),
        good(tail(), doc! {"cursor": {"firstBatch": [{"_id": 1}]}}),
        // The hint of an index means nothing beside it, as in MongoDB.
        good(
            tail().with("hint", "nothing"),
            doc! {"cursor": {"firstBatch": [{"_id": 1}]}},
        ),
    ]);
}

#[test]
fn options_between_servers_are_checked_by_type() {
    let aggregate = |name: &str, value: value::Value| {
        let pipeline = value::Value::Array(Vec::new());
        doc! {"aggregate": "c", "pipeline": pipeline, "cursor": {}}.with(name, value)
    };
    run(&[
        bad(aggregate("needsMerge", false.into()), 9, "without 'fromMongos'"),
        bad(aggregate("fromMongos", 1.into()), 14, "'aggregate.fromMongos'"),
        bad(aggregate("exchange", 1.into()), 14, "'aggregate.exchange'"),
        good(aggregate("fromMongos", false.into()), doc! {}),
        bad(doc! {"find": "c", "term": "x"}, 14, "'find.term'"),
        bad(
            doc! {"find": "c", "includeQueryStatsMetrics": 1},
            14,
            "'find.includeQueryStatsMetrics'",
        ),
        bad(
            doc! {"getMore": 1_i64, "collection": "c", "includeQueryStatsMetrics": 1},
            14,
            "'getMore.includeQueryStatsMetrics'",
        ),
    ]);
}

#[test]
fn options_of_listings_and_builds_are_those_that_are_declared() {
    let build = |name: &str, value: value::Value| {
        doc! {"createIndexes": "c", "indexes": [{"key": {"a": 1}, "name": "a"}]}.with(name, value)
    };
    run(&[
        good(build("v", 2.into()), doc! {"numIndexesAfter": 2}),
        bad(build("v", "x".into()), 14, "'createIndexes.v'"),
        bad(
            build("returnOnStart", 1.into()),
            14,
            "'createIndexes.returnOnStart'",
        ),
        bad(
            doc! {"listCollections": 1, "nameOnly": 1},
            14,
            "'listCollections.nameOnly'",
        ),
        bad(
            doc! {"listCollections": 1, "includePendingDrops": "x"},
            14,
            "includePendingDrops",
        ),
        bad(
            doc! {"listDatabases": 1, "authorizedDatabases": 1},
            14,
            "'listDatabases.authorizedDatabases'",
        )
        .of("admin"),
        good(doc! {"listDatabases": 1, "nameOnly": 1}, doc! {}).of("admin"),
    ]);
}
