//! The results of a cursor over an index do not depend on how its batches are cut: by documents, by bytes, after a skip, or
//! up to a limit.

use language::expression::Variables;
use language::filter::{Filter, FilterScope};
use language::projection::Projection;
use query::execute::{FindSpec, StreamState, count, find};
use query::plan::Hint;
use std::sync::Arc;
use store::{Collection, IndexSpec};
use value::{Document, DocumentBuf, doc};

const DOCUMENTS: i32 = 300;

async fn collection() -> (store::Store, Arc<Collection>) {
    let (store, collection) = crate::support::new_collection().await;
    let index = IndexSpec::new("a_1", doc! {"a": 1});
    collection.create_indexes(vec![index]).await.expect("an index");
    let document = |id: i32| {
        let text = "x".repeat((id % 37) as usize);
        doc! {"_id": id, "a": id % 7, "b": id % 3, "text": text}
    };
    let documents: Vec<Document> = (0..DOCUMENTS).map(document).collect();
    crate::support::insert_all(&collection, &documents).await;
    (store, collection)
}

fn spec(filter: Document, projects: bool, skip: u64, limit: Option<u64>) -> FindSpec {
    let filter = Filter::parse(&filter, &FilterScope::default()).expect("a filter");
    let shown = doc! {"_id": 1, "b": 1};
    let projection = || Projection::parse_find(&shown, None, &Variables::default()).expect("a projection");
    FindSpec {
        projection: projects.then(|| Arc::new(projection())),
        hint: Some(Hint::Name("a_1".to_owned())),
        skip,
        limit,
        ..FindSpec::new(Arc::new(filter))
    }
}

/// All that a cursor gives, in batches limited by documents and bytes.
async fn given(
    collection: &Arc<Collection>,
    spec: FindSpec,
    documents: usize,
    bytes: usize,
) -> Vec<Document> {
    let mut cursor = find(collection, spec).await.expect("a cursor");
    let mut all = Vec::new();
    loop {
        let mut batch: Vec<DocumentBuf> = Vec::new();
        let state = cursor.next_batch(&mut batch, documents, bytes).await;
        assert!(batch.len() <= documents, "{} documents", batch.len());
        let taken: usize = batch.iter().map(|document| document.bytes().len()).sum();
        assert!(
            taken <= bytes || batch.len() == 1,
            "{taken} bytes instead of {bytes}"
        );
        all.extend(batch.iter().map(DocumentBuf::to_document));
        if state.expect("a batch") == StreamState::Exhausted {
            return all;
        }
        assert!(!batch.is_empty(), "an empty batch that is not the last");
    }
}

#[tokio::test]
async fn all_are_given_however_batches_are_cut() {
    let (_store, collection) = collection().await;
    let filters = [
        doc! {"a": 3},
        doc! {"a": 3, "b": 1},
        doc! {"a": {"$in": [1, 5]}, "b": {"$lt": 2}},
    ];
    for filter in filters {
        for projects in [false, true] {
            for (skip, limit) in [(0, None), (5, None), (0, Some(11)), (3, Some(8)), (1000, None)] {
                let spec = || spec(filter.clone(), projects, skip, limit);
                let whole = given(&collection, spec(), usize::MAX, usize::MAX).await;
                for (documents, bytes) in [(1, usize::MAX), (7, usize::MAX), (1000, 120), (4, 300), (1000, 1)]
                {
                    let found = given(&collection, spec(), documents, bytes).await;
                    assert_eq!(
                        found, whole,
                        "{filter:?}, {skip}, {limit:?}, by {documents} and {bytes}"
                    );
                }
                let counted = count(&collection, spec()).await.expect("a count");
                assert_eq!(counted, whole.len() as u64, "{filter:?}, {skip}, {limit:?}");
            }
        }
    }
}

/// On the embedded engine, where pages of a long scan are read ahead.
#[tokio::test(flavor = "multi_thread")]
async fn a_long_scan_gives_each_document_once_however_batches_are_cut() {
    const SCANNED: i32 = 50_000;
    let folder = tempfile::tempdir().expect("a folder");
    let options = kv::OpenOptions {
        folder: folder.path().to_path_buf(),
        memory_bytes: 16 << 20,
    };
    let (store, collection) = crate::support::collection_in(kv::Kv::open(&options).expect("a store")).await;
    let documents: Vec<Document> = (0..SCANNED).map(|id| doc! {"_id": id, "b": id % 3}).collect();
    crate::support::insert_all(&collection, &documents).await;
    let filter = Filter::parse(&doc! {"b": 1}, &FilterScope::default()).expect("a filter");
    let expected: Vec<Document> = (0..SCANNED)
        .filter(|id| id % 3 == 1)
        .map(|id| doc! {"_id": id, "b": 1})
        .collect();
    for documents_max in [usize::MAX, 5_000, 1_000] {
        let spec = FindSpec::new(Arc::new(filter.clone()));
        let found = given(&collection, spec, documents_max, usize::MAX).await;
        assert!(found == expected, "{} documents by {documents_max}", found.len());
    }
    store.close().await.expect("close");
}

#[tokio::test]
async fn batches_return_the_documents_that_match() {
    let (_store, collection) = collection().await;
    let whole = given(
        &collection,
        spec(doc! {"a": 3, "b": 1}, true, 0, None),
        7,
        usize::MAX,
    )
    .await;
    let expected: Vec<Document> = (0..DOCUMENTS)
        .filter(|id| id % 7 == 3 && id % 3 == 1)
        .map(|id| doc! {"_id": id, "b": 1})
        .collect();
    assert_eq!(whole, expected);
}
