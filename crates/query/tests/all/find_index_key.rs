//! `{$meta: "indexKey"}` of projections: the key of the index entry by which a document was found.

use language::expression::Variables;
use language::filter::{Filter, FilterScope};
use language::projection::Projection;
use query::execute::{FindSpec, StreamState, find};
use query::plan::Hint;
use std::sync::Arc;
use store::{IndexSpec, Order};
use value::{Document, DocumentBuf, doc};

/// What a projection shows of the one document with `a: 2`, found by this index or by reading all.
async fn shown(projection: Document, hint: Option<&str>) -> Document {
    let (_store, collection) = crate::support::new_collection().await;
    let index = IndexSpec::new("a_1_b_-1", doc! {"a": 1, "b": -1});
    collection.create_indexes(vec![index]).await.expect("an index");
    let documents = [
        doc! {"_id": 1, "a": 1, "b": 1, "c": 1},
        doc! {"_id": 2, "a": 2, "b": 2, "c": 2},
    ];
    crate::support::insert_all(&collection, &documents).await;
    let filter = Filter::parse(&doc! {"a": 2}, &FilterScope::default()).expect("a filter");
    let projection = Projection::parse_find(&projection, None, &Variables::default()).expect("a projection");
    let spec = FindSpec {
        projection: Some(Arc::new(projection)),
        hint: Some(hint.map_or(Hint::Natural(Order::Forward), |name| Hint::Name(name.to_owned()))),
        ..FindSpec::new(Arc::new(filter))
    };
    let mut cursor = find(&collection, spec).await.expect("a cursor");
    let mut batch: Vec<DocumentBuf> = Vec::new();
    while cursor
        .next_batch(&mut batch, 10, usize::MAX)
        .await
        .expect("a batch")
        == StreamState::More
    {}
    match batch.as_slice() {
        [only] => only.to_document(),
        several => panic!("{} documents", several.len()),
    }
}

#[tokio::test]
async fn the_key_is_shown_where_an_index_was_read() {
    let key = || doc! {"a": 2, "b": 2};
    let meta = || doc! {"$meta": "indexKey"};
    let cases = [
        (
            doc! {"c": 1, "key": meta()},
            doc! {"_id": 2, "c": 2, "key": key()},
        ),
        // On its own, or with an exclusion, it leaves the other fields in.
        (
            doc! {"key": meta()},
            doc! {"_id": 2, "a": 2, "b": 2, "c": 2, "key": key()},
        ),
        (
            doc! {"a": 0, "key": meta()},
            doc! {"_id": 2, "b": 2, "c": 2, "key": key()},
        ),
        (
            doc! {"c": {"$mergeObjects": [meta(), {"d": 1}]}},
            doc! {"_id": 2, "c": {"a": 2, "b": 2, "d": 1}},
        ),
    ];
    for (projection, expected) in cases {
        assert_eq!(
            shown(projection.clone(), Some("a_1_b_-1")).await,
            expected,
            "{projection:?}"
        );
    }
}

#[tokio::test]
async fn there_is_no_key_where_all_documents_were_read() {
    let projection = doc! {"c": 1, "key": {"$meta": "indexKey"}};
    assert_eq!(shown(projection, None).await, doc! {"_id": 2, "c": 2});
}
