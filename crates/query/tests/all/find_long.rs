//! A query holds only a few documents that are much longer than their collection's mean at a time, whichever plan it uses; an
//! idle cursor holds none if other cursors need the memory.

use language::Interruption;
use language::filter::{Filter, FilterScope};
use memory::{Budget, Holder, Share};
use query::execute::{DocumentStream, FindCursor, FindSpec, StreamState, count, find, find_records};
use query::plan::{Hint, Ordering};
use query::spill::SpillFolder;
use std::sync::Arc;
use store::{Collection, CommitOptions, IndexSpec, Order, Present, Target, Transformed, WriteOp};
use value::{Document, DocumentBuf, doc};

const LONG: i32 = 24;
const LONG_BYTES: usize = 1 << 20;

/// What an idle cursor may have: what it looked up at once, and a document.
const IDLE_BYTES_MAX: usize = (2 << 20) + 2 * LONG_BYTES;

/// Many short documents, and behind them long ones.
async fn collection() -> (store::Store, Arc<Collection>) {
    let (store, collection) = crate::support::new_collection().await;
    let indexes = vec![
        IndexSpec::new("a_1", doc! {"a": 1}),
        IndexSpec::new("a_1_b_1", doc! {"a": 1, "b": 1}),
    ];
    collection.create_indexes(indexes).await.expect("an index");
    let short: Vec<Document> = (1_000..9_000)
        .map(|id| doc! {"_id": id, "a": 0, "b": id})
        .collect();
    crate::support::insert_all(&collection, &short).await;
    for id in 0..LONG {
        crate::support::insert_all(&collection, &[long(id, 1)]).await;
    }
    (store, collection)
}

fn long(id: i32, a: i32) -> Document {
    doc! {"_id": id, "a": a, "b": id * 7 % LONG, "text": "x".repeat(LONG_BYTES)}
}

fn id_of(document: &Document) -> i32 {
    match document.get("_id") {
        Some(value::Value::Int32(id)) => *id,
        other => panic!("{other:?} is no id"),
    }
}

fn spec(filter: &Document, memory: &Budget) -> FindSpec {
    let filter = Filter::parse(filter, &FilterScope::default()).expect("a filter");
    let interruption = Interruption {
        memory: memory.clone(),
        ..Interruption::default()
    };
    FindSpec {
        interruption,
        ..FindSpec::new(Arc::new(filter))
    }
}

fn hinted(name: &str) -> Option<Hint> {
    Some(Hint::Name(name.to_owned()))
}

/// The ways in which the long documents are found.
fn ways(memory: &Budget, folder: &Arc<SpillFolder>) -> Vec<(&'static str, FindSpec)> {
    let by_b = || query::plan::SortPattern::parse(&doc! {"b": 1}).expect("a sort");
    let found = || spec(&doc! {"a": 1}, memory);
    vec![
        (
            "an index",
            FindSpec {
                hint: hinted("a_1"),
                ..found()
            },
        ),
        (
            "an index and a filter",
            FindSpec {
                hint: hinted("a_1"),
                ..spec(&doc! {"a": 1, "b": {"$gte": 0}}, memory)
            },
        ),
        (
            "ids",
            spec(&doc! {"_id": {"$in": (0..LONG).collect::<Vec<i32>>()}}, memory),
        ),
        (
            "all documents",
            FindSpec {
                hint: Some(Hint::Natural(Order::Backward)),
                ..found()
            },
        ),
        (
            "a sort",
            FindSpec {
                hint: hinted("a_1"),
                ordering: Ordering::By(by_b()),
                spill: Some(folder.clone()),
                ..found()
            },
        ),
        (
            "an index in order",
            FindSpec {
                hint: hinted("a_1_b_1"),
                ordering: Ordering::By(by_b()),
                ..found()
            },
        ),
    ]
}

/// One batch of one document, and what the cursor has afterwards.
async fn step(cursor: &mut FindCursor, idle: &mut Share) -> (Vec<Document>, StreamState) {
    let mut batch: Vec<DocumentBuf> = Vec::new();
    let state = cursor.next_batch(&mut batch, 1_000, 1).await.expect("a batch");
    idle.charge(0);
    cursor.rest(idle).expect("it may rest");
    (batch.iter().map(DocumentBuf::to_document).collect(), state)
}

fn scratch() -> (tempfile::TempDir, Arc<SpillFolder>) {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let folder = SpillFolder::open(scratch.path().join("spill")).expect("a folder for files");
    (scratch, folder)
}

#[tokio::test]
async fn few_are_in_memory_at_a_time() {
    let (_store, collection) = collection().await;
    let (_scratch, folder) = scratch();
    for others_have_all in [false, true] {
        let memory = Budget::new(64 << 20);
        let mut others = memory.share(Holder::Cursors);
        others.charge(if others_have_all { 64 << 20 } else { 0 });
        for (way, spec) in ways(&memory, &folder) {
            let mut cursor = find(&collection, spec).await.expect("a cursor");
            let mut idle = memory.share(Holder::Cursors);
            let mut given = Vec::new();
            loop {
                let (batch, state) = step(&mut cursor, &mut idle).await;
                let most = if others_have_all { 64 << 10 } else { IDLE_BYTES_MAX };
                assert!(idle.bytes() <= most, "{way}: {} bytes", idle.bytes());
                given.extend(batch);
                if state == StreamState::Exhausted {
                    break;
                }
            }
            assert_eq!(given.len(), LONG as usize, "{way}");
            given.sort_by_key(id_of);
            let expected: Vec<Document> = (0..LONG).map(|id| long(id, 1)).collect();
            assert!(given == expected, "{way}: other documents");
        }
    }
}

#[tokio::test]
async fn the_records_that_an_idle_cursor_must_not_give_again_are_counted() {
    let (_store, collection) = crate::support::new_collection().await;
    let index = IndexSpec::new("a_1", doc! {"a": 1});
    collection.create_indexes(vec![index]).await.expect("an index");
    let document = |id: i32| doc! {"_id": id, "a": [id, (id + 1)]};
    let documents: Vec<Document> = (0..5_000).map(document).collect();
    crate::support::insert_all(&collection, &documents).await;
    let memory = Budget::new(64 << 20);
    let by_index = FindSpec {
        hint: hinted("a_1"),
        ..spec(&doc! {"a": {"$gte": 0}}, &memory)
    };
    let mut cursor = find(&collection, by_index).await.expect("a cursor");
    let mut batch: Vec<DocumentBuf> = Vec::new();
    cursor
        .next_batch(&mut batch, 4_000, usize::MAX)
        .await
        .expect("a batch");
    let mut idle = memory.share(Holder::Cursors);
    cursor.rest(&mut idle).expect("it may rest");
    assert!(idle.bytes() > 4_000 * 8, "{} bytes", idle.bytes());
}

#[tokio::test]
async fn documents_that_changed_between_batches_are_matched_again() {
    let (_store, collection) = collection().await;
    let memory = Budget::new(64 << 20);
    let mut others = memory.share(Holder::Cursors);
    others.charge(64 << 20);
    let by_index = FindSpec {
        hint: hinted("a_1"),
        ..spec(&doc! {"a": 1}, &memory)
    };
    let mut cursor = find(&collection, by_index).await.expect("a cursor");
    let mut idle = memory.share(Holder::Cursors);
    let (first, _) = step(&mut cursor, &mut idle).await;
    assert_eq!(first, [long(0, 1)]);
    let moved: Vec<WriteOp> = (0..LONG)
        .filter(|id| id % 2 == 1)
        .map(|id| {
            let becomes = DocumentBuf::from(&long(id, 2));
            let transform = move |_: Option<Present<'_>>| Ok(Transformed::Put(becomes.clone()));
            WriteOp::modify(Target::Id(id.into()), transform)
        })
        .collect();
    collection
        .commit(moved, CommitOptions::default())
        .await
        .expect("a commit");
    let mut ids = Vec::new();
    loop {
        let (batch, state) = step(&mut cursor, &mut idle).await;
        ids.extend(batch.iter().map(id_of));
        if state == StreamState::Exhausted {
            break;
        }
    }
    let expected: Vec<i32> = (1..LONG).filter(|id| id % 2 == 0).collect();
    assert_eq!(ids, expected);
}

#[tokio::test]
async fn pages_of_what_is_to_be_changed_end_by_bytes() {
    let (_store, collection) = collection().await;
    let memory = Budget::new(64 << 20);
    let all = spec(&doc! {"a": 1}, &memory);
    assert_eq!(
        count(&collection, all.clone()).await.expect("a count"),
        LONG as u64
    );
    let mut records = find_records(&collection, all).await.expect("a plan");
    let mut found = 0;
    loop {
        let page = records.next_page(1_000).await.expect("a page");
        if page.is_empty() {
            break;
        }
        assert!(page.len() <= 4, "{} long documents at once", page.len());
        found += page.len();
    }
    assert_eq!(found, LONG as usize);
}
