//! Checkpoints: the files of one moment, while writes continue.
use crate::common::*;
use kv::{Archiving, Checkpoint, CheckpointFile, Kv, ShardId};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(30);

/// Copies what a checkpoint lists, and no more.
fn copy(checkpoint: &Checkpoint, target: &Path) {
    for file in checkpoint.files() {
        let path = target.join(&file.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let bytes = fs::read(checkpoint.folder().join(&file.path)).unwrap();
        fs::write(path, &bytes[..file.bytes as usize]).unwrap();
    }
}

fn stable(files: &[CheckpointFile]) -> Vec<&CheckpointFile> {
    files.iter().filter(|file| file.identity.is_some()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_checkpoint_is_a_store_of_one_moment_while_writes_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let kv = Kv::open(&options(folder.path())).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let writer = tokio::spawn({
        let (kv, stop) = (kv.clone(), stop.clone());
        async move {
            let mut at = 0;
            while !stop.load(Ordering::Relaxed) {
                // Every shard has as many commits as the one before it, or one more; some values are large, and are overwritten.
                for shard in 0..3 {
                    let (name, value) = (
                        format!("{at:06}"),
                        "v".repeat(if at % 7 == 0 { 100_000 } else { 10 }),
                    );
                    let batch = puts([(&*name, &*value), ("same", &*value)]);
                    commit(&kv, ShardId(shard), batch).await.unwrap();
                }
                at += 1;
            }
            at
        }
    });
    for _ in 0..5 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let checkpoint = kv.checkpoint(LIMIT, Archiving::AsItIs).await.unwrap().unwrap();
        // Meanwhile the values that it names are overwritten.
        tokio::time::sleep(Duration::from_millis(700)).await;
        let target = tempfile::tempdir().unwrap();
        copy(&checkpoint, target.path());
        let path = checkpoint.folder().to_owned();
        drop(checkpoint);
        assert!(!path.exists());
        let copied = Kv::open(&options(target.path())).unwrap();
        let mut counts = Vec::new();
        for shard in 0..3 {
            let names = names(&copied, ShardId(shard)).await;
            for name in names.iter().rev().take(20) {
                get(&copied, ShardId(shard), name).await.unwrap();
            }
            get(&copied, ShardId(shard), "same").await.unwrap();
            counts.push(names.len());
        }
        assert!(
            counts[0] - counts[2] <= 1 && counts[0] >= counts[1] && counts[1] >= counts[2],
            "{counts:?}"
        );
    }
    stop.store(true, Ordering::Relaxed);
    assert!(writer.await.unwrap() > 0);
    kv.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn unchanged_files_have_the_same_names_in_the_next_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let kv = Kv::open(&options(folder.path())).unwrap();
    for at in 0..20 {
        let (name, value) = (format!("{at:04}"), "v".repeat(70_000));
        commit(&kv, SHARD, puts([(&*name, &*value)])).await.unwrap();
    }
    let first = kv.checkpoint(LIMIT, Archiving::AsItIs).await.unwrap().unwrap();
    commit(&kv, SHARD, puts([("later", "1")])).await.unwrap();
    let second = kv.checkpoint(LIMIT, Archiving::AsItIs).await.unwrap().unwrap();
    let (before, after) = (stable(first.files()), stable(second.files()));
    assert!(before.len() >= 2, "{before:?}");
    assert!(
        before.iter().all(|file| after.contains(file)),
        "{before:?} {after:?}"
    );
    let mut values = before.iter().filter(|file| file.path.ends_with(".values"));
    assert!(values.all(|file| file.bytes > 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn checkpoints_that_end_take_nothing_from_those_that_begin() {
    let folder = tempfile::tempdir().unwrap();
    let kv = Kv::open(&options(folder.path())).unwrap();
    commit(&kv, SHARD, puts([("a", "1")])).await.unwrap();
    let makers = (0..3).map(|_| {
        let kv = kv.clone();
        tokio::spawn(async move {
            for _ in 0..30 {
                let made = kv.checkpoint(LIMIT, Archiving::AsItIs).await.unwrap();
                drop(made.unwrap());
            }
        })
    });
    for maker in makers.collect::<Vec<_>>() {
        maker.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn checkpoints_that_a_crash_left_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let left = folder.path().join("_checkpoints/7");
    let kv = Kv::open(&options(folder.path())).unwrap();
    kv.close().await.unwrap();
    fs::create_dir_all(&left).unwrap();
    fs::write(left.join("000004.sst"), "table").unwrap();
    let kv = Kv::open(&options(folder.path())).unwrap();
    assert!(!left.exists());
    // While writes are held for another purpose, no checkpoint can be taken.
    assert!(kv.hold_files(LIMIT).await.unwrap());
    assert!(
        kv.checkpoint(Duration::from_millis(10), Archiving::AsItIs)
            .await
            .unwrap()
            .is_none()
    );
    kv.release_files().await.unwrap();
    assert!(kv.checkpoint(LIMIT, Archiving::AsItIs).await.unwrap().is_some());
}
