//! Random histories of commits, snapshots and reads: records read by number, which the cache may answer, equal those of a
//! scan of the same snapshot, which only asks the engine.

use crate::support::*;
use kv::{Kv, OpenOptions, Simulation};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use store::{
    Collection, Index, IndexSpec, KeyRange, Order, PageLimit, RecordId, Snapshot, Store, StoreOptions,
    WriteOp,
};
use testing::{Random, seeds};
use value::key::{self, Direction};
use value::{DocumentBuf, Value, ValueRef, doc};

const SEEDS: u64 = 40;
const STEPS: usize = 300;
const IDS: u64 = 60;
const VALUES: u64 = 200;

/// Enough for all records, for some of them, and for none.
const CACHE_BYTES: [usize; 3] = [1 << 20, 64 * 400, 0];

async fn scanned(snapshot: &Snapshot) -> BTreeMap<u64, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut after = None;
    loop {
        let page = snapshot
            .records(after, Order::Forward, PageLimit::default())
            .await
            .unwrap();
        for record in page.iter() {
            after = Some(record.id);
            found.insert(record.id.0, record.document.bytes().to_vec());
        }
        if page.exhausted() {
            return found;
        }
    }
}

/// The same by pages of documents, which may be those that earlier scans have kept.
async fn scanned_by_pages(snapshot: &Snapshot, numbers: &mut Random) -> BTreeMap<u64, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut after = None;
    loop {
        let limit = PageLimit {
            entries: [5, 64, 1024][numbers.below(3) as usize],
            bytes: [300, 1 << 20][numbers.below(2) as usize],
        };
        let page = snapshot
            .document_page(after, Order::Forward, limit)
            .await
            .unwrap();
        let first = page.first_after(after);
        for at in first..page.len() {
            after = Some(page.id(at));
            found.insert(page.id(at).0, page.document(at).bytes().to_vec());
        }
        if page.exhausted() {
            return found;
        }
        assert!(
            first < page.len(),
            "a page without what is behind {after:?} that is not the last"
        );
    }
}

/// Reads some records by their numbers, present or not, and compares each with what the scan finds.
async fn compare(snapshot: &Snapshot, index: &Index, numbers: &mut Random, highest: u64) {
    let expected = scanned(snapshot).await;
    assert_eq!(scanned_by_pages(snapshot, numbers).await, expected);
    if snapshot.has_index(index) {
        compare_entries(snapshot, index, numbers, &expected).await;
    }
    let ids: Vec<RecordId> = (0..1 + numbers.below(40))
        .map(|_| RecordId(1 + numbers.below(highest + 2)))
        .collect();
    let found = match ids.as_slice() {
        [one] => vec![snapshot.by_record(*one).await.unwrap()],
        several => snapshot.by_records(several).await.unwrap(),
    };
    for (id, record) in ids.iter().zip(found) {
        let bytes = record.as_ref().map(|record| record.document.bytes().as_ref());
        assert_eq!(bytes, expected.get(&id.0).map(Vec::as_slice), "record {}", id.0);
    }
    let within = snapshot.by_records_within(&ids, usize::MAX).await.unwrap();
    assert_eq!(within.len(), ids.len());
    let documents = match ids.as_slice() {
        [one] => vec![snapshot.document(*one).await.unwrap()],
        several => snapshot.documents_within(several, usize::MAX).await.unwrap(),
    };
    for ((id, record), document) in ids.iter().zip(within).zip(documents) {
        let expected = expected.get(&id.0).map(Vec::as_slice);
        let bytes = record.as_ref().map(|record| record.document.bytes().as_ref());
        assert_eq!(bytes, expected, "record {}", id.0);
        let bytes = document.as_ref().map(|document| document.bytes().as_ref());
        assert_eq!(bytes, expected, "record {}", id.0);
    }
    compare_by_id(snapshot, numbers, &expected).await;
}

fn key_of(value: ValueRef<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    key::encode(value, Direction::Ascending, &mut out);
    out
}

/// Reads some ranges of the index on `a`, either way, in pages of some sizes, and compares each with what the scan finds.
async fn compare_entries(
    snapshot: &Snapshot,
    index: &Index,
    numbers: &mut Random,
    expected: &BTreeMap<u64, Vec<u8>>,
) {
    let mut all = Vec::new();
    for (record, bytes) in expected {
        let document = DocumentBuf::from_validated(bytes.clone().into());
        if let Some(value) = document.as_raw().get("a") {
            all.push((key_of(value), *record));
        }
    }
    all.sort_unstable();
    for _ in 0..6 {
        let low = numbers.below(VALUES) as i32;
        let width = [0, 3, 40, VALUES][numbers.below(4) as usize];
        let (low, high) = (
            key_of(ValueRef::Int32(low)),
            key_of(ValueRef::Int32(low + width as i32)),
        );
        let order = [Order::Forward, Order::Backward][numbers.below(2) as usize];
        let mut wanted: Vec<_> = all
            .iter()
            .filter(|(key, _)| (&low..=&high).contains(&key))
            .cloned()
            .collect();
        if order == Order::Backward {
            wanted.reverse();
        }
        let range = KeyRange {
            low: Bound::Included(low),
            high: Bound::Included(high),
        };
        let entries = [1, 3, 1024][numbers.below(3) as usize];
        assert_eq!(entries_of(snapshot, index, range, order, entries).await, wanted);
    }
}

/// The keys and records of a range, in pages of this many.
async fn entries_of(
    snapshot: &Snapshot,
    index: &Index,
    mut range: KeyRange,
    order: Order,
    entries: usize,
) -> Vec<(Vec<u8>, u64)> {
    let mut found = Vec::new();
    loop {
        let limit = PageLimit {
            entries,
            ..PageLimit::default()
        };
        let page = snapshot.entries(index, &range, order, limit).await.unwrap();
        assert!(page.len() <= entries, "{} instead of {entries}", page.len());
        found.extend(page.iter().map(|entry| (entry.key.to_vec(), entry.record.0)));
        let Some(last) = page.last_position().filter(|_| !page.exhausted()) else {
            assert!(page.exhausted(), "an empty page that is not the last");
            return found;
        };
        range.begin_after(last, order);
    }
}

/// A record that memory can answer without a snapshot is what a new snapshot finds; returns whether memory could answer.
async fn compare_at_hand(collection: &Collection, numbers: &mut Random) -> bool {
    let mut any = false;
    let present = collection.snapshot().await.unwrap();
    for _ in 0..10 {
        let id = numbers.below(IDS) as i32;
        let asked = match numbers.below(2) {
            0 => Value::Int32(id),
            _ => Value::Double(id.into()),
        };
        let mut copied = b"before".to_vec();
        match collection.copy_at_hand(asked.as_ref(), &mut copied) {
            None => assert_eq!(copied, b"before"),
            Some(record) => {
                any = true;
                let found = present.document_by_id(asked.as_ref()).await.unwrap();
                let (expected, document) = found.expect("what is at hand is there");
                assert_eq!(record, expected);
                assert_eq!(copied[b"before".len()..], document.bytes()[..]);
            }
        }
    }
    any
}

/// Finds some documents by their `_id`, present or not, some of them by a number of another type, and compares each with
/// what the scan finds.
async fn compare_by_id(snapshot: &Snapshot, numbers: &mut Random, expected: &BTreeMap<u64, Vec<u8>>) {
    let id_of = |bytes: &Vec<u8>| {
        let document = DocumentBuf::from_validated(bytes.clone().into());
        document.as_raw().get("_id").map(ValueRef::to_value)
    };
    let by_id: Vec<_> = expected
        .iter()
        .map(|(record, bytes)| (id_of(bytes), *record, bytes))
        .collect();
    for _ in 0..10 {
        let id = numbers.below(IDS) as i32;
        let asked = match numbers.below(2) {
            0 => Value::Int32(id),
            _ => Value::Double(id.into()),
        };
        let found = snapshot.document_by_id(asked.as_ref()).await.unwrap();
        let found = found.map(|(record, document)| (record.0, document.bytes().to_vec()));
        let expected = by_id.iter().find(|(known, ..)| *known == Some(Value::Int32(id)));
        let expected = expected.map(|(_, record, bytes)| (*record, bytes.to_vec()));
        assert_eq!(found, expected, "_id {id}");
        let record = snapshot.by_id(asked.as_ref()).await.unwrap();
        let record = record.map(|record| (record.id.0, record.document.bytes().to_vec()));
        assert_eq!(record, expected, "_id {id}");
    }
}

fn random_write(numbers: &mut Random) -> WriteOp {
    let id = numbers.below(IDS) as i32;
    match numbers.below(4) {
        0 => delete_op(id),
        _ => put_op(
            id,
            doc! {"_id": id, "a": numbers.below(VALUES) as i32, "text": "x".repeat(numbers.below(90) as usize)},
        ),
    }
}

async fn index_on_a(collection: &Arc<Collection>) -> Arc<Index> {
    let specs = vec![IndexSpec::new("a", doc! {"a": 1})];
    collection.create_indexes(specs).await.unwrap();
    collection.indexes()[1].clone()
}

/// Whether memory could answer anything.
async fn history(seed: u64, cache_bytes: usize) -> bool {
    let mut any_at_hand = false;
    let mut numbers = Random::new(seed);
    let simulation = Simulation::new(seed);
    let options = StoreOptions {
        record_cache_bytes: cache_bytes,
        scan_cache_bytes: cache_bytes,
        entry_cache_bytes: cache_bytes,
        ..options()
    };
    let store = Store::open(Kv::simulated(&simulation), options).await.unwrap();
    let collection = store.create_if_missing(&ns()).await.unwrap();
    let index = index_on_a(&collection).await;
    let mut kept: Vec<Snapshot> = Vec::new();
    let mut highest = 1;
    for _ in 0..STEPS {
        any_at_hand |= compare_at_hand(&collection, &mut numbers).await;
        match numbers.below(8) {
            0..3 => {
                let operations = (0..1 + numbers.below(5))
                    .map(|_| random_write(&mut numbers))
                    .collect();
                run(&collection, operations).await;
                highest += 5;
            }
            3 => kept.push(collection.snapshot().await.unwrap()),
            4 if !kept.is_empty() => {
                let at = numbers.below(kept.len() as u64) as usize;
                kept.swap_remove(at);
            }
            5 => {
                let snapshot = collection.snapshot().await.unwrap();
                compare(&snapshot, &index, &mut numbers, highest).await;
            }
            _ => {
                // Old snapshots read late and fill the cache, between reads of new ones.
                if let Some(at) = (kept.len() as u64).checked_sub(1) {
                    let at = numbers.below(at + 1) as usize;
                    compare(&kept[at], &index, &mut numbers, highest).await;
                }
            }
        }
        kept.truncate(6);
    }
    any_at_hand
}

#[tokio::test]
async fn every_snapshot_reads_its_own_versions() {
    for seed in seeds(SEEDS) {
        for cache_bytes in CACHE_BYTES {
            let any_at_hand = history(seed, cache_bytes).await;
            assert_eq!(any_at_hand, cache_bytes > 0, "seed {seed}");
        }
    }
}

/// Reads until the writers are done; each document says twice which version it is of.
async fn read_while_written(collection: Arc<Collection>, seed: u64, done: Arc<AtomicBool>) {
    let index = collection.indexes()[1].clone();
    let mut numbers = Random::new(seed);
    let mut newest = vec![0i32; IDS as usize];
    while !done.load(Ordering::SeqCst) {
        let snapshot = collection.snapshot().await.unwrap();
        for _ in 0..20 {
            let id = numbers.below(IDS) as i32;
            let record = snapshot.by_id(Value::Int32(id).as_ref()).await.unwrap().unwrap();
            let Some(Value::Int32(version)) = record.document.to_document().get("version").cloned() else {
                panic!("a document without version");
            };
            // Snapshots that are taken one after the other never go back.
            assert!(version >= newest[id as usize], "{id}: {version}");
            newest[id as usize] = version;
            let mut copied = Vec::new();
            if collection
                .copy_at_hand(Value::Int32(id).as_ref(), &mut copied)
                .is_some()
            {
                let copied = DocumentBuf::from_validated(copied.into());
                let Some(ValueRef::Int32(version)) = copied.as_raw().get("version") else {
                    panic!("a document without version");
                };
                assert!(version >= newest[id as usize], "{id}: {version} at hand");
            }
        }
        compare(&snapshot, &index, &mut numbers, IDS).await;
        // Reads are always ready: the writer needs a thread too.
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_beside_writers_never_see_what_is_old() {
    let folder = tempfile::tempdir().unwrap();
    let kv = Kv::open(&OpenOptions {
        folder: folder.path().to_owned(),
        memory_bytes: 16 << 20,
    });
    let store = Store::open(kv.unwrap(), options()).await.unwrap();
    let collection = store.create_if_missing(&ns()).await.unwrap();
    index_on_a(&collection).await;
    let first = (0..IDS as i32).map(|id| insert_op(doc! {"_id": id, "version": 0, "a": id}));
    run(&collection, first.collect()).await;
    let done = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..2)
        .map(|seed| tokio::spawn(read_while_written(collection.clone(), seed, done.clone())))
        .collect();
    let mut numbers = Random::new(77);
    for version in 1..1000 {
        let id = numbers.below(IDS) as i32;
        run(
            &collection,
            vec![put_op(
                id,
                doc! {"_id": id, "version": version, "a": numbers.below(VALUES) as i32},
            )],
        )
        .await;
        let seen = by_id(&collection, id).await.unwrap();
        assert_eq!(seen.get("version"), Some(&Value::Int32(version)));
    }
    done.store(true, Ordering::SeqCst);
    for reader in readers {
        reader.await.unwrap();
    }
}
