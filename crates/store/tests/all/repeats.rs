//! Several documents of a time series with the same `_id`.

use crate::support::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{
    Change, ChangeKind, Collection, CollectionOptions, IndexSpec, Outcome, RecordId, Sequence, Store, Target,
    Transformed, WriteOp,
};
use testing::{Random, seeds};
use value::{Document, DocumentBuf, doc};

async fn new_series() -> (Store, Arc<Collection>) {
    let store = new_store().await;
    let options = CollectionOptions {
        kept: doc! {"timeseries": {"timeField": "at", "metaField": "m"}},
        ..CollectionOptions::default()
    };
    let collection = store.create(&ns(), options).await.unwrap();
    let index = IndexSpec::new("m_1", doc! {"m": 1});
    collection.create_indexes(vec![index]).await.unwrap();
    (store, collection)
}

fn record_of(outcome: &Outcome) -> RecordId {
    match outcome {
        Outcome::Inserted { record } => *record,
        other => panic!("{other:?}"),
    }
}

fn put(record: RecordId, document: Document) -> WriteOp {
    let document = DocumentBuf::from(&document);
    WriteOp::modify(Target::Record(record), move |_: Option<store::Present<'_>>| {
        Ok(Transformed::Put(document.clone()))
    })
}

fn delete(record: RecordId) -> WriteOp {
    WriteOp::modify(Target::Record(record), |_: Option<store::Present<'_>>| {
        Ok(Transformed::Delete)
    })
}

async fn followed(collection: &Collection) -> Vec<Change> {
    collection.changes(&Sequence::START, 1000).await.unwrap()
}

async fn has_repeats(collection: &Collection) -> bool {
    collection.snapshot().await.unwrap().has_repeats(collection)
}

async fn check(collection: &Collection) {
    let report = collection.validate(true).await.unwrap();
    assert!(report.is_valid(), "{:?}", report.findings);
}

#[tokio::test]
async fn two_documents_with_one_id_are_kept_and_the_first_is_found_by_it() {
    let (_store, collection) = new_series().await;
    let documents = [
        doc! {"_id": 1, "m": "a"},
        doc! {"_id": 1.0, "m": "b"},
        doc! {"_id": 2, "m": "c"},
    ];
    run(&collection, documents.clone().map(insert_op).into()).await;
    assert_eq!(all(&collection).await, documents);
    assert_eq!(by_id(&collection, 1).await, Some(documents[0].clone()));
    let snapshot = collection.snapshot().await.unwrap();
    assert_eq!((snapshot.count(), snapshot.ids_count()), (3, 2));
    assert!(snapshot.has_repeats(&collection));
    let followed = followed(&collection).await;
    let shown: Vec<_> = followed
        .iter()
        .map(|change| match &change.kind {
            ChangeKind::Put(record) => record.document.to_document(),
            deleted => panic!("{deleted:?}"),
        })
        .collect();
    assert_eq!(shown, [documents[0].clone(), documents[2].clone()]);
    check(&collection).await;
}

#[tokio::test]
async fn the_second_stays_without_the_first_and_does_not_take_its_place() {
    let (_store, collection) = new_series().await;
    let twice = || insert_op(doc! {"_id": 1, "m": 1});
    let outcomes = run(&collection, vec![twice(), twice()]).await;
    one(&collection, delete(record_of(&outcomes[0]))).await.unwrap();
    assert_eq!(all(&collection).await.len(), 1);
    assert_eq!(by_id(&collection, 1).await, None);
    assert!(has_repeats(&collection).await);
    assert!(matches!(
        followed(&collection).await[..],
        [Change {
            kind: ChangeKind::Deleted { .. },
            ..
        }]
    ));
    check(&collection).await;
    one(&collection, twice()).await.unwrap();
    assert!(by_id(&collection, 1).await.is_some());
    check(&collection).await;
    one(&collection, delete(record_of(&outcomes[1]))).await.unwrap();
    assert!(!has_repeats(&collection).await);
    check(&collection).await;
}

#[tokio::test]
async fn elsewhere_an_id_is_of_one_document() {
    let (_store, collection) = new_collection().await;
    one(&collection, insert_op(doc! {"_id": 1})).await.unwrap();
    assert!(one(&collection, insert_op(doc! {"_id": 1})).await.is_err());
}

/// Random histories against a map of records.
#[tokio::test]
async fn random_histories_keep_exactly_what_was_written() {
    for seed in seeds(40) {
        let mut random = Random::new(seed);
        let (_store, collection) = new_series().await;
        let mut model: BTreeMap<RecordId, Document> = BTreeMap::new();
        for step in 0..60 {
            let known: Vec<_> = model.keys().copied().collect();
            let some = (!known.is_empty()).then(|| known[random.below(known.len() as u64) as usize]);
            match (random.below(5), some) {
                (0, Some(record)) => {
                    one(&collection, delete(record)).await.unwrap();
                    model.remove(&record);
                }
                (1 | 2, Some(record)) => {
                    let mut document = model[&record].clone();
                    document.set("m", step);
                    one(&collection, put(record, document.clone())).await.unwrap();
                    model.insert(record, document);
                }
                _ => {
                    let ids = [random.below(3), random.below(3)];
                    let documents = ids.map(|id| doc! {"_id": id as i32, "m": step});
                    let outcomes = run(&collection, documents.clone().map(insert_op).into()).await;
                    model.extend(outcomes.iter().map(record_of).zip(documents));
                }
            }
        }
        let expected: Vec<_> = model.into_values().collect();
        assert_eq!(all(&collection).await, expected, "LARDER_SEED={seed}");
        let report = collection.validate(true).await.unwrap();
        assert!(report.is_valid(), "LARDER_SEED={seed}: {:?}", report.findings);
        let live = |change: &&Change| matches!(change.kind, ChangeKind::Put(_));
        let shown = followed(&collection).await.iter().filter(live).count() as u64;
        let snapshot = collection.snapshot().await.unwrap();
        assert_eq!(shown, snapshot.ids_count(), "LARDER_SEED={seed}");
    }
}
