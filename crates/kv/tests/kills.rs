//! Kills a writing process at random moments; everything that it was told is safe must be there afterwards.
//!
//! `KV_KILLS` sets the number of kills (10 by default).
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "in a test a failure ends it"
)]

mod common;

use common::options;
use kv::{Batch, Durability, Head, KeyRange, Kv, Order, PageLimit, ShardId};
use std::io::{BufRead, BufReader};
use std::ops::Bound;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, SystemTime};

const FOLDER: &str = "KV_KILLS_FOLDER";
const SHARDS: u64 = 4;
const KEYS_PER_COMMIT: u64 = 20;
const LARGE_BYTES: usize = 100_000;
/// How long a writer may take on a busy machine until it has written something.
const START_TIME_MAX: Duration = Duration::from_secs(60);

/// The child: commits to each shard in turn as fast as it can, and prints what was acknowledged.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "started by the test below"]
async fn writer() {
    let folder = std::env::var(FOLDER).unwrap();
    let kv = Kv::open(&options(folder.as_ref())).unwrap();
    let writers: Vec<_> = (0..SHARDS)
        .map(|shard| tokio::spawn(write(kv.clone(), ShardId(shard))))
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
}

async fn write(kv: Kv, shard: ShardId) {
    let mut sequence = kv.head(shard).await.unwrap().sequence;
    loop {
        let mut batch = Batch::new();
        for key in 0..KEYS_PER_COMMIT {
            // Some keys come again with a later value, most are new.
            let number = if key == 0 {
                0
            } else {
                sequence * KEYS_PER_COMMIT + key
            };
            let mut value = sequence.to_be_bytes().to_vec();
            if key == 1 {
                // One in each commit is large enough for a file of its own.
                value.resize(LARGE_BYTES, sequence as u8);
            }
            batch.put(&[&[0x10], &number.to_be_bytes()[..]].concat(), &value);
        }
        let head = Head {
            sequence: sequence + 1,
            ..Head::default()
        };
        kv.commit(shard, sequence, head, batch, Durability::Flushed)
            .await
            .unwrap();
        sequence += 1;
        println!("acknowledged {} {sequence}", shard.0);
    }
}

#[tokio::test]
async fn nothing_acknowledged_is_lost_by_a_kill() {
    let kills = std::env::var("KV_KILLS").map_or(10, |kills| kills.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged = [0; SHARDS as usize];
    for kill in 0..kills {
        // Some are killed while they still open what the kill before has left.
        run_and_kill(folder.path(), &mut acknowledged, kill % 3 != 2);
        let kv = Kv::open(&options(folder.path())).unwrap();
        for (shard, acknowledged) in acknowledged.iter_mut().enumerate() {
            *acknowledged = check(&kv, ShardId(shard as u64), *acknowledged).await;
        }
        // Not closed, so that the next start reads what a kill left.
    }
    assert!(
        acknowledged.iter().all(|sequence| *sequence > 0),
        "{acknowledged:?}"
    );
}

/// Kills a writer a moment after its start, or after its first commit.
fn run_and_kill(folder: &std::path::Path, acknowledged: &mut [u64], has_written: bool) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writer", "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let random = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap()
        .subsec_nanos();
    let life = Duration::from_millis(100 + u64::from(random % 400));
    let (wrote, written) = mpsc::channel();
    let killer = std::thread::spawn(move || {
        if has_written {
            // One that has written nothing by then is killed all the same.
            let _ = written.recv_timeout(START_TIME_MAX);
        }
        std::thread::sleep(life);
        child.kill().unwrap();
        child.wait().unwrap();
    });
    for line in lines {
        let line = line.unwrap();
        if let Some((_, numbers)) = line.split_once("acknowledged ")
            && let Some((shard, sequence)) = numbers.split_once(' ')
            && let (Ok(shard), Ok(sequence)) = (shard.parse::<usize>(), sequence.parse())
        {
            acknowledged[shard] = sequence;
            // Nobody listens after the first one.
            let _ = wrote.send(());
        }
    }
    drop(wrote);
    killer.join().unwrap();
}

/// Every commit up to the head is there whole, and the head is not before what was acknowledged.
async fn check(kv: &Kv, shard: ShardId, acknowledged: u64) -> u64 {
    let snapshot = kv.snapshot(shard).await.unwrap();
    let sequence = snapshot.head().await.unwrap().sequence;
    assert!(
        sequence >= acknowledged,
        "shard {shard:?}: {sequence} < {acknowledged}"
    );
    let mut range = KeyRange {
        low: Bound::Unbounded,
        high: Bound::Unbounded,
    };
    let mut entries = 0;
    loop {
        let page = snapshot
            .page(&range, Order::Forward, PageLimit::default())
            .await
            .unwrap();
        for (key, value) in page.iter() {
            let number = u64::from_be_bytes(key[1..].try_into().unwrap());
            let written = u64::from_be_bytes(value[..8].try_into().unwrap());
            let is_large = number % KEYS_PER_COMMIT == 1;
            assert_eq!(value.len(), if is_large { LARGE_BYTES } else { 8 });
            let expected = if number == 0 {
                sequence - 1
            } else {
                number / KEYS_PER_COMMIT
            };
            assert_eq!(written, expected);
        }
        entries += page.len() as u64;
        if page.exhausted() {
            break;
        }
        range.low = Bound::Excluded(page.key(page.len() - 1).to_vec());
    }
    let expected = if sequence == 0 {
        0
    } else {
        sequence * (KEYS_PER_COMMIT - 1) + 1
    };
    assert_eq!(entries, expected, "shard {shard:?} at {sequence}");
    sequence
}
