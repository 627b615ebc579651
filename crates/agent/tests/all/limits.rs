//! What a full spool does.

use crate::spooled::{drain, flush, segments};
use agent::spool::{Batch, Positions, Spool, SpoolError};
use std::io::Write;

fn large(number: u64) -> Batch {
    Batch {
        target: "logs.app".to_owned(),
        positions: Positions::from([("file".to_owned(), Some(number.to_string()))]),
        records: vec![vec![b'x'; 20_000].into()],
    }
}

fn filled(folder: &std::path::Path) -> (Spool, u64) {
    let mut spool = Spool::open(folder, 1 << 20).unwrap().0;
    let mut count = 0;
    while !matches!(spool.append(&large(count)), Err(SpoolError::Full)) {
        count += 1;
        flush(&mut spool);
    }
    assert!(spool.bytes() <= 1 << 20);
    (spool, count)
}

#[test]
fn sent_records_make_room() {
    let folder = tempfile::tempdir().unwrap();
    let (mut spool, count) = filled(folder.path());
    assert_eq!(spool.waiting(), count);
    assert_eq!(drain(&mut spool).len() as u64, count);
    assert!(spool.append(&large(count)).is_ok());
}

#[test]
fn the_oldest_are_dropped_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let (mut spool, count) = filled(folder.path());
    let lost = spool.drop_oldest().unwrap().unwrap();
    assert!(lost > 0 && spool.dropped() == lost);
    spool.append(&large(count)).unwrap();
    flush(&mut spool);
    drop(spool);
    let (mut spool, recovery) = Spool::open(folder.path(), 1 << 20).unwrap();
    assert_eq!(recovery.dropped, lost, "the count outlives a restart");
    assert_eq!(drain(&mut spool).len() as u64, count + 1 - lost);
}

#[test]
fn records_that_are_being_sent_are_not_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let (mut spool, count) = filled(folder.path());
    let sending = spool.outgoing(2, 1 << 20).unwrap().unwrap();
    let mut lost = 0;
    while let Ok(Some(more)) = spool.drop_oldest() {
        lost += more;
        if more == 0 {
            break;
        }
    }
    spool.acknowledge(sending.end);
    assert_eq!(
        lost + sending.records.len() as u64 + drain(&mut spool).len() as u64,
        count
    );
    assert!(lost > 0);
}

#[test]
fn the_newest_are_dropped_and_their_positions_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let (mut spool, count) = filled(folder.path());
    spool.drop_newest(&large(count + 100));
    drain(&mut spool);
    spool.append(&Batch::default()).unwrap();
    flush(&mut spool);
    drop(spool);
    let (spool, recovery) = Spool::open(folder.path(), 1 << 20).unwrap();
    assert_eq!(recovery.dropped, 1);
    assert_eq!(spool.positions()["file"], (count + 100).to_string());
}

#[test]
fn a_batch_larger_than_the_spool_is_taken_once_the_spool_is_empty() {
    let folder = tempfile::tempdir().unwrap();
    let (mut spool, _) = Spool::open(folder.path(), 1 << 20).unwrap();
    let huge = || Batch {
        records: vec![vec![b'x'; 2 << 20].into()],
        ..large(1)
    };
    spool.append(&large(0)).unwrap();
    flush(&mut spool);
    assert!(matches!(spool.append(&huge()), Err(SpoolError::Full)));
    assert_eq!(drain(&mut spool).len(), 1);
    spool.append(&huge()).unwrap();
    flush(&mut spool);
    assert!(matches!(spool.append(&large(2)), Err(SpoolError::Full)));
    assert_eq!(drain(&mut spool).len(), 1);
    spool.append(&large(2)).unwrap();
    flush(&mut spool);
    assert_eq!(drain(&mut spool).len(), 1);
    assert!(spool.bytes() < 1 << 20);
}

/// A disk of a megabyte; unmounted when it is dropped.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    /// `None` if the test may not mount.
    fn mounted() -> Option<SmallDisk> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"])
            .arg(folder.path())
            .output();
        match mounted {
            Ok(done) if done.status.success() => Some(SmallDisk(folder)),
            _ => {
                eprintln!("skipped: a disk cannot be mounted here");
                None
            }
        }
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_takes_more_when_the_server_has_what_is_there() {
    let Some(disk) = SmallDisk::mounted() else { return };
    let folder = disk.0.path().join("spool");
    let (mut spool, _) = Spool::open(&folder, 64 << 20).unwrap();
    let mut arrived = Vec::new();
    for number in 0..300 {
        loop {
            match spool.append(&large(number)) {
                Ok(()) => break,
                Err(SpoolError::Full) => {
                    flush(&mut spool);
                    let records = drain(&mut spool);
                    assert!(!records.is_empty() || spool.waiting() == 0, "the disk stays full");
                    arrived.extend(records.iter().map(|record| (record.epoch, record.number)));
                    // A kill on the full disk, now and then.
                    if number % 3 == 0 {
                        drop(spool);
                        spool = Spool::open(&folder, 64 << 20).unwrap().0;
                    }
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
    flush(&mut spool);
    arrived.extend(
        drain(&mut spool)
            .iter()
            .map(|record| (record.epoch, record.number)),
    );
    let count = arrived.len();
    arrived.sort_unstable();
    arrived.dedup();
    assert_eq!((count, arrived.len()), (300, 300));
}

#[test]
fn a_disk_that_is_full_of_what_the_server_has_takes_more() {
    let Some(disk) = SmallDisk::mounted() else { return };
    let (mut spool, _) = Spool::open(&disk.0.path().join("spool"), 64 << 20).unwrap();
    for number in 0..200 {
        spool.append(&large(number)).unwrap();
        flush(&mut spool);
        assert_eq!(drain(&mut spool).len(), 1);
    }
}

#[test]
fn starts_on_a_full_disk_go_on_although_nothing_was_sent() {
    let Some(disk) = SmallDisk::mounted() else { return };
    let folder = disk.0.path().join("spool");
    let mut count = 0;
    for _ in 0..6 {
        let mut spool = Spool::open(&folder, 64 << 20).unwrap().0;
        while spool.append(&large(count)).is_ok() {
            count += 1;
            flush(&mut spool);
        }
        std::fs::write(disk.0.path().join("others"), vec![1; 1 << 20]).unwrap_err();
    }
    let (mut spool, recovery) = Spool::open(&folder, 64 << 20).unwrap();
    assert_eq!(recovery.waiting, count);
    let mut ids: Vec<_> = drain(&mut spool)
        .iter()
        .map(|record| (record.epoch, record.number))
        .collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len() as u64, count);
    spool.append(&large(count)).unwrap();
    flush(&mut spool);
    drop(spool);
    assert_eq!(Spool::open(&folder, 64 << 20).unwrap().1.waiting, 1);
}

#[test]
fn a_start_that_goes_on_takes_away_what_a_crash_left_unfinished() {
    let Some(disk) = SmallDisk::mounted() else { return };
    let folder = disk.0.path().join("spool");
    let mut spool = Spool::open(&folder, 64 << 20).unwrap().0;
    spool.append(&large(0)).unwrap();
    flush(&mut spool);
    drop(spool);
    let newest = segments(&folder).pop().unwrap();
    let mut file = std::fs::OpenOptions::new().append(true).open(&newest).unwrap();
    file.write_all(&[7; 3000]).unwrap();
    let sound = std::fs::metadata(&newest).unwrap().len() - 3000;
    std::fs::remove_file(folder.join("reserve")).unwrap();
    std::fs::write(disk.0.path().join("others"), vec![1; 1 << 20]).unwrap_err();
    let (mut spool, recovery) = Spool::open(&folder, 64 << 20).unwrap();
    assert_eq!((recovery.waiting, recovery.torn_bytes), (1, 3000));
    assert_eq!(std::fs::metadata(&newest).unwrap().len(), sound);
    std::fs::remove_file(disk.0.path().join("others")).unwrap();
    spool.append(&large(1)).unwrap();
    flush(&mut spool);
    assert_eq!(drain(&mut spool).len(), 2);
}

#[test]
fn a_batch_larger_than_a_segment_has_a_segment_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let (mut spool, _) = Spool::open(folder.path(), 1 << 20).unwrap();
    for count in 1..=3 {
        let batch = Batch {
            records: vec![vec![b'x'; 200_000].into()],
            ..large(count)
        };
        spool.append(&batch).unwrap();
        assert_eq!(segments(folder.path()).len() as u64, count);
    }
}
