//! Damage is found and named by everything that meets it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use engine::{Context, Engine, EngineOptions, Namespace, WriteOptions};
use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use value::{DocumentBuf, doc};

async fn open(folder: &Path) -> Engine {
    let options = EngineOptions {
        folder: folder.to_owned(),
        memory_bytes: 64 << 20,
    };
    Engine::open(&options).await.unwrap()
}

fn noise(seed: i64, bytes: usize) -> String {
    let mut state = seed.cast_unsigned() + 1;
    let mut digit = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        char::from(b'!' + ((state >> 33) % 90) as u8)
    };
    (0..bytes).map(|_| digit()).collect()
}

async fn fill(engine: &Engine, namespace: &Namespace, documents: i64, bytes: usize) {
    let documents = (0..documents)
        .map(|id| DocumentBuf::from(&doc! {"_id": id, "a": [id, id + 1], "text": noise(id, bytes)}));
    let context = Context::default();
    let options = WriteOptions::default();
    engine
        .insert(&context, namespace, documents.collect(), &options)
        .await
        .unwrap();
}

fn largest(folder: &Path, suffix: &str) -> PathBuf {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.to_string_lossy().ends_with(suffix));
    files
        .max_by_key(|path| fs::metadata(path).unwrap().len())
        .unwrap()
}

fn flip(path: &Path, part: f64) {
    let file = OpenOptions::new().read(true).write(true).open(path).unwrap();
    let at = (file.metadata().unwrap().len() as f64 * part) as u64;
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).unwrap();
    file.write_all_at(&[byte[0] ^ 8], at).unwrap();
}

/// Damages a closed folder of two collections, and runs everything that looks for damage; it must name `file`.
async fn assert_found(damage: impl Fn(&Path) -> PathBuf, bytes: usize) {
    let folder = tempfile::tempdir().unwrap();
    let (damaged, whole) = (Namespace::new("t", "damaged"), Namespace::new("u", "whole"));
    let engine = open(folder.path()).await;
    fill(&engine, &whole, 10, 10).await;
    engine.close().await.unwrap();
    drop(engine);
    let engine = open(folder.path()).await;
    let index = doc! {"key": {"a": 1}, "name": "a_1"};
    engine.create_indexes(&damaged, &[index]).await.unwrap();
    fill(&engine, &damaged, 200, bytes).await;
    engine.close().await.unwrap();
    drop(engine);
    let file = damage(folder.path());
    let file = file.file_name().unwrap().to_string_lossy().into_owned();

    let engine = open(folder.path()).await;
    engine.scrub_once().await;
    let scrub = engine.scrub_report();
    assert_eq!(scrub.rounds, 1);
    let named = |text: &String| text.contains("t.damaged") && text.contains(&file);
    assert!(
        !scrub.findings.is_empty() && scrub.findings.iter().all(named),
        "{scrub:?}"
    );
    let report = engine.validate(&damaged, true).await.unwrap();
    assert!(
        !report.is_valid() && report.findings[0].contains(&file),
        "{report:?}"
    );
    assert!(
        report.records > 0 && report.records < 200,
        "what is whole is read: {report:?}"
    );
    assert!(engine.validate(&whole, true).await.unwrap().is_valid());
    let readable = report.records;
    let report = engine.verify_collection(&damaged).await.unwrap();
    assert!(!report.is_valid());
    engine.close().await.unwrap();
    drop(engine);
    assert_saved(folder.path(), &damaged, &whole, readable).await;
}

/// A repair saves what can be read into a new folder, which has no damage.
async fn assert_saved(folder: &Path, damaged: &Namespace, whole: &Namespace, readable: u64) {
    let new = tempfile::tempdir().unwrap();
    let mut told = Vec::new();
    let salvaged = engine::salvage(folder, new.path(), |one| told.push(one.namespace.clone()));
    let salvaged = salvaged.await.unwrap();
    assert_eq!(told, [damaged.clone(), whole.clone()]);
    assert!(salvaged.catalog.is_empty());
    let [first, second] = &salvaged.collections[..] else {
        panic!("{salvaged:?}");
    };
    assert_eq!((first.documents, first.saved), (Some(200), readable));
    assert!(!first.lost.is_empty());
    assert_eq!(
        (second.documents, second.saved, second.lost.len()),
        (Some(10), 10, 0)
    );

    let engine = open(new.path()).await;
    for (namespace, records) in [(damaged, readable), (whole, 10)] {
        let report = engine.validate(namespace, true).await.unwrap();
        assert!(report.is_valid(), "{report:?}");
        assert_eq!(report.records, records);
    }
    let indexes = engine.validate(damaged, true).await.unwrap().index_entries;
    assert_eq!(
        indexes,
        [("_id_".to_owned(), readable), ("a_1".to_owned(), 2 * readable)]
    );
    // The new folder accepts writes.
    let documents = vec![DocumentBuf::from(&doc! {"_id": 1000, "a": [1, 2]})];
    let (context, options) = (Context::default(), WriteOptions::default());
    engine
        .insert(&context, damaged, documents, &options)
        .await
        .unwrap();
    assert!(engine.validate(damaged, true).await.unwrap().is_valid());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bit_in_a_table() {
    let damage = |folder: &Path| {
        let file = largest(folder, ".sst");
        flip(&file, 0.5);
        file
    };
    assert_found(damage, 5_000).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bit_in_a_large_value() {
    let damage = |folder: &Path| {
        let file = largest(&folder.join("values"), ".values");
        // Not between two values.
        flip(&file, 0.501);
        file
    };
    assert_found(damage, 100_000).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn half_a_file_of_large_values() {
    let damage = |folder: &Path| {
        let path = largest(&folder.join("values"), ".values");
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(file.metadata().unwrap().len() / 2).unwrap();
        path
    };
    assert_found(damage, 100_000).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_damage_is_reported_of_an_undamaged_folder() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path()).await;
    fill(&engine, &Namespace::new("t", "a"), 300, 1000).await;
    fill(&engine, &Namespace::new("t", "b"), 3, 100_000).await;
    engine.scrub_once().await;
    let scrub = engine.scrub_report();
    assert_eq!((scrub.rounds, scrub.findings_count), (1, 0));
    assert!(scrub.bytes > 600_000, "{scrub:?}");
    assert!(scrub.namespace.is_none() && !scrub.is_on);
}
