//! A disk that others fill, and that has room again.
use crate::common::*;
use kv::{Batch, CommitError, Durability, Error, Kv};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const DISK_BYTES: usize = 128 << 20;
/// The engine looks for room each five seconds.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// A disk of its own; unmounted when it is dropped.
struct Disk(tempfile::TempDir);

impl Disk {
    /// `None` where one may not mount.
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
        assert!(matches!(error, Error::DiskFull { .. }), "{error}");
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
