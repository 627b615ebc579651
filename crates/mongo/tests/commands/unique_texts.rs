//! Unique text indexes: no two documents may have a term of the same weight.

use crate::case::{Case, bad, bad_statement, good, run};
use value::{Document, Value, array, doc};

#[test]
fn a_unique_text_index_refuses_a_term_of_the_same_weight() {
    run(&cases());
}

fn insert(document: Document) -> Document {
    doc! {"insert": "a", "documents": [document]}
}

/// The `_id`s that a search finds.
fn found(filter: Document, ids: Vec<Value>) -> Case {
    let ids: Vec<Document> = ids.into_iter().map(|id| doc! {"_id": id}).collect();
    good(
        doc! {"find": "a", "filter": filter, "projection": {"_id": 1}, "sort": {"_id": 1}},
        doc! {"cursor": {"firstBatch": ids}},
    )
}

fn cases() -> Vec<Case> {
    let search = |text: &str| doc! {"$text": {"$search": text}};
    vec![
        good(
            doc! {"createIndexes": "a", "indexes": [
                {"key": {"t": "text", "n": 1}, "name": "t", "unique": true}
            ]},
            doc! {"numIndexesAfter": 2},
        ),
        good(insert(doc! {"_id": 1, "t": "fruit", "n": 1}), doc! {"n": 1}),
        bad_statement(insert(doc! {"_id": 2, "t": "fruit", "n": 1}), 11_000),
        // One of two words weighs less than one alone, and what follows the texts belongs to the key.
        good(insert(doc! {"_id": 2, "t": "fruit pie", "n": 1}), doc! {"n": 1}),
        good(insert(doc! {"_id": 3, "t": "fruit", "n": 2}), doc! {"n": 1}),
        bad_statement(insert(doc! {"_id": 4, "t": "pie tin", "n": 1}), 11_000),
        good(
            insert(doc! {"_id": 5, "t": "fruits are fruit", "n": 1}),
            doc! {"n": 1},
        ),
        good(insert(doc! {"_id": 6, "n": 1}), doc! {"n": 1}),
        good(insert(doc! {"_id": 7, "n": 1}), doc! {"n": 1}),
        found(search("fruit"), array![1, 2, 3, 5]),
        found(search("fruit").with("n", 2), array![3]),
        found(search("pie"), array![2]),
        found(search("fru"), array![]),
        bad(
            doc! {"findAndModify": "a", "query": {"_id": 6}, "update": {"$set": {"t": "fruit"}}},
            11_000,
            "_fts: \"fruit\", _ftsx: 1.1, n: 1",
        ),
        good(
            doc! {"delete": "a", "deletes": [{"q": {"_id": 1}, "limit": 1}]},
            doc! {"n": 1},
        ),
        good(
            doc! {"findAndModify": "a", "query": {"_id": 6}, "update": {"$set": {"t": "fruit"}}},
            doc! {"lastErrorObject": {"updatedExisting": true}},
        ),
        found(search("fruit"), array![2, 3, 5, 6]),
        good(
            doc! {"validate": "a", "full": true},
            doc! {"valid": true, "nIndexes": 2},
        ),
        bad(
            doc! {"collMod": "b", "index": {"name": "t", "prepareUnique": true}},
            26,
            "",
        ),
        good(
            doc! {"createIndexes": "b", "indexes": [{"key": {"t": "text"}, "name": "t"}]},
            doc! {},
        ),
        bad(
            doc! {"collMod": "b", "index": {"name": "t", "prepareUnique": true}},
            72,
            "from the beginning or never",
        ),
        bad(
            doc! {"createIndexes": "c", "indexes": [
                {"key": {"t": "text"}, "name": "t", "unique": true, "collation": {"locale": "en"}}
            ]},
            67,
            "simple collation",
        ),
    ]
}
