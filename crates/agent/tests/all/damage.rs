//! The spool after a crash at any byte of a write, and after bytes have changed on the disk.

use crate::spooled::{batch, drain, flush, letters, open, segments};
use agent::spool::Spool;

#[test]
fn a_crash_at_any_byte_of_a_write_loses_nothing_that_was_flushed() {
    let folder = tempfile::tempdir().unwrap();
    let mut spool = open(folder.path());
    spool.append(&batch("ab", 2)).unwrap();
    flush(&mut spool);
    let path = segments(folder.path()).pop().unwrap();
    let kept = path.metadata().unwrap().len();
    spool.append(&batch("cd", 4)).unwrap();
    drop(spool);
    let whole = std::fs::read(&path).unwrap();
    for cut in kept as usize..=whole.len() {
        let copy = tempfile::tempdir().unwrap();
        std::fs::write(copy.path().join(path.file_name().unwrap()), &whole[..cut]).unwrap();
        let (mut spool, recovery) = Spool::open(copy.path(), 1 << 20).unwrap();
        let is_whole = cut == whole.len();
        assert_eq!(recovery.torn_bytes, if is_whole { 0 } else { cut as u64 - kept });
        assert_eq!(recovery.damaged_places, 0);
        // The position belongs to the last record that is kept, so the source reads again what was lost.
        assert_eq!(spool.positions()["file"], if is_whole { "4" } else { "2" });
        spool.append(&batch("e", 5)).unwrap();
        flush(&mut spool);
        assert_eq!(
            letters(&drain(&mut spool)),
            if is_whole { "abcde" } else { "abe" }
        );
    }
}

#[test]
fn bytes_that_changed_cost_the_records_there_and_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let mut spool = open(folder.path());
    spool.append(&batch("ab", 2)).unwrap();
    let start = spool.bytes();
    spool.append(&batch("cd", 4)).unwrap();
    let end = spool.bytes();
    spool.append(&batch("ef", 6)).unwrap();
    flush(&mut spool);
    drop(spool);
    let path = segments(folder.path()).pop().unwrap();
    let whole = std::fs::read(&path).unwrap();
    for at in start..end {
        let copy = tempfile::tempdir().unwrap();
        let mut bytes = whole.clone();
        bytes[at as usize] ^= 0x55;
        std::fs::write(copy.path().join(path.file_name().unwrap()), &bytes).unwrap();
        let (mut spool, recovery) = Spool::open(copy.path(), 1 << 20).unwrap();
        assert_eq!(
            (recovery.damaged_places, recovery.damaged_bytes),
            (1, end - start),
            "byte {at}"
        );
        assert_eq!(spool.positions()["file"], "6");
        assert_eq!(letters(&drain(&mut spool)), "abef", "byte {at}");
    }
}

#[test]
fn a_wrong_note_of_what_was_sent_changes_no_ids_and_hides_no_later_records() {
    for content in ["", "x", "7", "1 999999", "999 1"] {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = open(folder.path());
        spool.append(&batch("abc", 3)).unwrap();
        flush(&mut spool);
        let first = drain(&mut spool);
        drop(spool);
        std::fs::write(folder.path().join("sent"), content).unwrap();
        let mut spool = open(folder.path());
        let again = drain(&mut spool);
        assert!(again.is_empty() || again == first, "{content}");
        // A file that claims more than there is does not hide later records.
        spool.append(&batch("d", 4)).unwrap();
        flush(&mut spool);
        assert_eq!(letters(&drain(&mut spool)), "d", "{content}");
    }
}

#[test]
fn a_flush_that_failed_is_made_good_under_the_same_ids() {
    let folder = tempfile::tempdir().unwrap();
    let mut spool = open(folder.path());
    spool.append(&batch("ab", 2)).unwrap();
    spool.append(&batch("c", 3)).unwrap();
    assert!(
        spool.outgoing(10, 1000).unwrap().is_none(),
        "what is not flushed is not sent"
    );
    spool.flush_failed().unwrap();
    let records = drain(&mut spool);
    let mut numbers: Vec<_> = records
        .iter()
        .map(|record| (record.number, record.document[0]))
        .collect();
    numbers.dedup();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers, [(0, b'a'), (1, b'b'), (2, b'c')]);
    drop(spool);
    assert_eq!(open(folder.path()).positions()["file"], "3");
}

#[test]
fn one_agent_has_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let _spool = open(folder.path());
    let second = Spool::open(folder.path(), 1 << 20);
    assert!(second.is_err_and(|error| error.to_string().contains("in use")));
}
