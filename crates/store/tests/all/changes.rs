//! The change log and revisions.

use crate::support::*;
use store::{Change, ChangeKind, Collection, Order, PageLimit, RecordId, Revision, Sequence};
use value::{Value, doc};

/// Each change as its number, its `_id`, and whether it is a deletion; read in pages of two.
async fn changes(collection: &Collection, after: u64) -> Vec<(u64, Value, bool)> {
    let mut found = Vec::new();
    let mut after: Sequence = after.to_string().parse().unwrap();
    // In one shard, the change's number gives the position after it.
    let number = |sequence: &Sequence| sequence.changes_since(&Sequence::START);
    loop {
        let page = collection.changes(&after, 2).await.unwrap();
        let Some(last) = page.last() else { return found };
        after = last.sequence.clone();
        found.extend(page.into_iter().map(|change: Change| match change.kind {
            ChangeKind::Put(record) => (
                number(&change.sequence),
                record.document.to_document().get("_id").unwrap().clone(),
                false,
            ),
            ChangeKind::Deleted { id, .. } => (number(&change.sequence), id, true),
        }));
    }
}

#[tokio::test]
async fn each_document_is_named_once_in_the_order_of_its_last_change() {
    let (_store, collection) = new_collection().await;
    run(&collection, numbered(4)).await;
    run(
        &collection,
        vec![
            put_op(1, doc! {"_id": 1, "b": 1}),
            delete_op(2),
            put_op(1, doc! {"_id": 1, "b": 2}),
        ],
    )
    .await;
    one(&collection, insert_op(doc! {"_id": 9})).await.unwrap();
    let log = changes(&collection, 0).await;
    let expected = [
        (1, 0, false),
        (4, 3, false),
        (6, 2, true),
        (7, 1, false),
        (8, 9, false),
    ];
    assert_eq!(
        log,
        expected.map(|(sequence, id, deleted)| (sequence, Value::Int32(id), deleted))
    );
    assert_eq!(changes(&collection, 6).await, log[3..]);
    assert_eq!(collection.head().to_string(), "8");
}

#[tokio::test]
async fn a_document_that_comes_again_is_no_longer_named_as_deleted() {
    let (_store, collection) = new_collection().await;
    run(
        &collection,
        vec![
            insert_op(doc! {"_id": 1}),
            delete_op(1),
            insert_op(doc! {"_id": 1}),
        ],
    )
    .await;
    assert_eq!(changes(&collection, 0).await, [(3, Value::Int32(1), false)]);
    assert_eq!(collection.stats().deleted, 0);
}

async fn revision(collection: &Collection, id: i32) -> Revision {
    let snapshot = collection.snapshot().await.unwrap();
    snapshot
        .by_id(Value::Int32(id).as_ref())
        .await
        .unwrap()
        .unwrap()
        .revision()
}

#[tokio::test]
async fn the_same_edits_give_the_same_revision_on_every_node() {
    let mut revisions = Vec::new();
    for _ in 0..2 {
        let (_store, collection) = new_collection().await;
        // Other changes of the collection do not matter.
        run(
            &collection,
            (0..revisions.len() as i32)
                .map(|n| insert_op(doc! {"_id": n + 50}))
                .collect(),
        )
        .await;
        one(&collection, insert_op(doc! {"_id": 1, "a": 1}))
            .await
            .unwrap();
        one(&collection, put_op(1, doc! {"_id": 1, "a": 2}))
            .await
            .unwrap();
        revisions.push(revision(&collection, 1).await);
    }
    assert_eq!(revisions[0], revisions[1]);
    assert_eq!(revisions[0].generation, 2);
}

#[tokio::test]
async fn a_document_that_comes_again_continues_its_ancestry() {
    let (_store, collection) = new_collection().await;
    one(&collection, insert_op(doc! {"_id": 1})).await.unwrap();
    let first = revision(&collection, 1).await;
    one(&collection, delete_op(1)).await.unwrap();
    let log = collection.changes(&Sequence::START, 10).await.unwrap();
    let ChangeKind::Deleted {
        revision: deletion, ..
    } = log[0].kind.clone()
    else {
        panic!("{log:?}")
    };
    assert_eq!(deletion.generation, 2);
    one(&collection, insert_op(doc! {"_id": 1})).await.unwrap();
    let snapshot = collection.snapshot().await.unwrap();
    let record = snapshot.by_id(Value::Int32(1).as_ref()).await.unwrap().unwrap();
    assert_eq!(record.revision().generation, 3);
    assert_eq!(
        record.ancestors().collect::<Vec<_>>(),
        [deletion.hash, first.hash]
    );
}

#[tokio::test]
async fn the_ancestry_of_a_record_is_limited() {
    let (_store, collection) = new_collection().await;
    one(&collection, insert_op(doc! {"_id": 1, "n": 0}))
        .await
        .unwrap();
    for n in 1..100 {
        one(&collection, put_op(1, doc! {"_id": 1, "n": n}))
            .await
            .unwrap();
    }
    let snapshot = collection.snapshot().await.unwrap();
    let record = snapshot.by_id(Value::Int32(1).as_ref()).await.unwrap().unwrap();
    assert_eq!(record.revision().generation, 100);
    assert_eq!(record.ancestors().count(), store::REVISION_ANCESTORS_MAX);
}

#[tokio::test]
async fn a_position_reads_back_from_its_bytes_and_its_text() {
    let (_store, collection) = new_collection().await;
    run(&collection, numbered(300)).await;
    let position = collection.head();
    assert!(Sequence::START < position && position < Sequence::END);
    assert_eq!(position.changes_since(&Sequence::START), 300);
    assert_eq!(Sequence::START.changes_since(&position), 0);
    let mut bytes = Vec::new();
    position.encode(&mut bytes);
    assert_eq!(Sequence::decode(&mut &bytes[..]), Some(position.clone()));
    assert_eq!(Sequence::decode(&mut &bytes[..1]), None, "cut off");
    assert_eq!(position.to_string().parse(), Ok(position));
    assert!("x".parse::<Sequence>().is_err());
}

#[tokio::test]
async fn a_page_ends_with_the_bytes_of_its_documents() {
    let (_store, collection) = new_collection().await;
    let large = |id: i32| insert_op(doc! {"_id": id, "text": "x".repeat(1_000)});
    run(&collection, (0..10).map(large).collect()).await;
    // Those that changed are read one by one, others page by page.
    let changed = (0..5).map(|id| put_op(id, doc! {"_id": id, "text": "y".repeat(1_000)}));
    run(&collection, changed.collect()).await;
    let snapshot = collection.snapshot().await.unwrap();
    let limit = PageLimit {
        entries: 100,
        bytes: 2_500,
    };
    let (mut position, mut pages, mut found) = (Sequence::START, 0, 0);
    loop {
        let page = snapshot
            .change_page(&position, Order::Forward, limit)
            .await
            .unwrap();
        assert!(page.changes.len() <= 3);
        found += page.changes.len();
        pages += 1;
        if page.is_last {
            break;
        }
        position = page.changes.last().unwrap().sequence.clone();
    }
    assert_eq!((found, pages), (10, 4));
    let ids: Vec<RecordId> = snapshot
        .records(None, Order::Forward, PageLimit::default())
        .await
        .unwrap()
        .iter()
        .map(|record| record.id)
        .collect();
    let records = snapshot.by_records_within(&ids, 2_500).await.unwrap();
    assert_eq!((ids.len(), records.len()), (10, 3));
    assert_eq!(snapshot.by_records_within(&ids, 1).await.unwrap().len(), 1);
}
