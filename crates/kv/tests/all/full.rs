//! A disk that others fill, and that later has room again.
use crate::common::*;
use kv::{Batch, CommitError, Durability, Error, Kv};
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use testing::Random;

const DISK_BYTES: usize = 128 << 20;
/// The engine checks for room every five seconds.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// A disk of its own; unmounted when it is dropped.
struct Disk(tempfile::TempDir);

impl Disk {
    /// `None` if the test may not mount.
    fn mounted() -> Option<Disk> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={DISK_BYTES}"), "tmpfs"])
            .arg(folder.path())
            .output();
        match mounted {
            Ok(done) if done.status.success() => Some(Disk(folder)),
            _ => {
                eprintln!("skipped: a disk cannot be mounted here");
                None
            }
        }
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.path()).status();
    }
}

/// The bytes of the tables in a folder.
fn table_bytes(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap());
    let tables = files.filter(|file| file.path().extension().is_some_and(|kind| kind == "sst"));
    // A table may have been removed meanwhile.
    tables.filter_map(|file| Some(file.metadata().ok()?.len())).sum()
}

async fn commit_soon(kv: &Kv, number: u64) -> Result<(), CommitError> {
    let mut batch = Batch::new();
    batch.put(&key(&format!("{number:08}")), &[b'v'; 50_000]);
    kv.commit(SHARD, number, head(number + 1), batch, Durability::Soon)
        .await
}

#[tokio::test]
async fn writes_go_on_although_a_flush_comes_before_the_engine_has_found_the_room() {
    let Some(disk) = Disk::mounted() else { return };
    let (folder, others) = (disk.path().join("data"), disk.path().join("others"));
    let kv = Kv::open(&options(&folder)).unwrap();
    let mut count = 0;
    commit_soon(&kv, count).await.unwrap();
    count += 1;
    fs::write(&others, vec![1; DISK_BYTES]).unwrap_err();
    // The log may have kept some room for itself.
    let refused = loop {
        match commit_soon(&kv, count).await {
            Ok(()) => count += 1,
            Err(refused) => break refused,
        }
    };
    assert!(
        matches!(refused, CommitError::Engine(Error::DiskFull { .. })),
        "{refused}"
    );
    fs::remove_file(&others).unwrap();
    // What was written before is not flushed yet.
    if let Err(error) = kv.flush().await {
        assert!(matches!(error, Error::DiskFullAtFlush { .. }), "{error}");
    }
    let begun = Instant::now();
    while let Err(refused) = commit_soon(&kv, count).await {
        assert!(
            matches!(refused, CommitError::Engine(Error::DiskFull { .. })) && begun.elapsed() < WAIT_MAX,
            "{refused}"
        );
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    count += 1;
    kv.close().await.unwrap();
    let kv = Kv::open(&options(&folder)).unwrap();
    let snapshot = kv.snapshot(SHARD).await.unwrap();
    for number in 0..count {
        let value = snapshot.get(&key(&format!("{number:08}"))).await.unwrap();
        assert_eq!(value.unwrap().len(), 50_000, "{number} of {count}");
    }
    drop(snapshot);
    kv.close().await.unwrap();
}

#[tokio::test]
async fn a_start_on_a_full_disk_leaves_room_for_deletes_and_frees_what_is_dropped() {
    // Enough for a log that takes its room ahead and the table of a write buffer, and too little for a merge of all.
    const LEFT_BYTES: u64 = 12 << 20;
    let Some(disk) = Disk::mounted() else { return };
    let (folder, others) = (disk.path().join("data"), disk.path().join("others"));
    // As many tables as start a merge. A stop writes the last one and leaves no time to merge.
    let mut noise = Random::new(7);
    let mut count = 0;
    for _ in 0..8 {
        let kv = Kv::open(&options(&folder)).unwrap();
        let mut batch = Batch::new();
        for number in 0..300 {
            let words = (0..10_000 / 8).flat_map(|_| noise.any().to_le_bytes());
            batch.put(&key(&format!("{count}-{number:03}")), &Vec::from_iter(words));
        }
        kv.commit(SHARD, count, head(count + 1), batch, Durability::Flushed)
            .await
            .unwrap();
        count += 1;
        kv.close().await.unwrap();
    }
    fs::write(&others, vec![1; DISK_BYTES]).unwrap_err();
    let others_bytes = fs::metadata(&others).unwrap().len() - LEFT_BYTES;
    File::options()
        .write(true)
        .open(&others)
        .unwrap()
        .set_len(others_bytes)
        .unwrap();
    let kv = Kv::open(&options(&folder)).unwrap();
    for number in 0..100 {
        let mut batch = Batch::new();
        batch.delete(&key(&format!("0-{number:03}")));
        kv.commit(SHARD, count, head(count + 1), batch, Durability::Flushed)
            .await
            .unwrap();
        count += 1;
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // If a merge had failed for lack of room, the engine would not start this one.
    kv.drop_shard(SHARD).await.unwrap();
    let begun = Instant::now();
    while table_bytes(&folder) > 5 << 20 {
        assert!(begun.elapsed() < WAIT_MAX, "what was dropped is not freed");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    kv.close().await.unwrap();
}
