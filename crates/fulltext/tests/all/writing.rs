//! What an index contains after commits.

use super::{entry, found, id, index, reader};
use fulltext::{Index, Lookup, Mask, WRITER_BYTES_MIN};

#[test]
fn a_document_has_one_entry() {
    let folder = tempfile::tempdir().expect("a folder");
    let index = index(&folder);
    let mut writer = index.writer(WRITER_BYTES_MIN).expect("a writer");
    for round in 1..=3 {
        for number in 1..=4 {
            writer.put(entry(number, "old", "new", round), true).expect("put");
        }
        writer.delete(&id(4));
        writer.commit("").expect("committed");
    }
    assert_eq!(found(&reader(&index), &Lookup::All, &Mask::default()), [1, 2, 3]);
}

#[test]
fn uncommitted_entries_are_gone_with_the_writer() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = index(&folder);
    let mut writer = first.writer(WRITER_BYTES_MIN).expect("a writer");
    writer.put(entry(1, "a", "b", 1), false).expect("put");
    writer.commit("as far as one").expect("committed");
    writer.put(entry(2, "a", "b", 1), false).expect("put");
    drop(writer);
    drop(first);
    let (reader, note) = index(&folder).reader().expect("a reader");
    assert_eq!(note.as_deref(), Some("as far as one"));
    assert_eq!(found(&reader, &Lookup::All, &Mask::default()), [1]);
}

#[test]
fn a_folder_that_cannot_be_read_is_made_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    std::fs::create_dir(&path).expect("made");
    std::fs::write(path.join("meta.json"), b"{").expect("written");
    let (reader, note) = Index::open(&path).expect("opened").reader().expect("a reader");
    assert_eq!((reader.count(), note), (0, None));
}

#[test]
fn many_commits_become_few_segments() {
    let folder = tempfile::tempdir().expect("a folder");
    let index = index(&folder);
    let mut writer = index.writer(WRITER_BYTES_MIN).expect("a writer");
    for number in 0..40 {
        writer
            .put(entry(number, "a", "b", number as i64), false)
            .expect("put");
        writer.commit("").expect("committed");
    }
    writer.finish().expect("finished");
    let reader = reader(&index);
    assert_eq!(reader.count(), 40);
    let newest = reader.newest(&Lookup::All, &Mask::default(), 3).expect("found");
    assert_eq!(
        newest.iter().map(|found| found.number).collect::<Vec<_>>(),
        [39, 38, 37]
    );
    assert!(reader.segments() < 16, "{} segments", reader.segments());
}

#[test]
fn a_deletion_before_a_merge_is_not_undone_by_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let index = index(&folder);
    // As many segments as one merge takes. A dropped writer does not merge, so the next writer does at its first commit.
    for first in (0..32).step_by(4) {
        let mut writer = index.writer(WRITER_BYTES_MIN).expect("a writer");
        for number in first..first + 4 {
            writer
                .put(entry(number, "a", "b", number as i64), false)
                .expect("put");
        }
        if first == 28 {
            writer.delete(&id(1));
        }
        writer.commit("").expect("committed");
    }
    let mut writer = index.writer(WRITER_BYTES_MIN).expect("a writer");
    // An entry of the segment from which the last commit removed one.
    writer.put(entry(2, "a", "b", 100), true).expect("put");
    writer.commit("").expect("committed");
    writer.finish().expect("finished");
    let present: Vec<_> = (0..32).filter(|number| *number != 1).collect();
    assert_eq!(found(&reader(&index), &Lookup::All, &Mask::default()), present);
}

#[test]
fn files_of_an_unfinished_commit_do_not_hinder_the_next() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = index(&folder);
    let mut writer = first.writer(WRITER_BYTES_MIN).expect("a writer");
    writer.put(entry(1, "a", "b", 1), false).expect("put");
    writer.put(entry(2, "a", "b", 1), false).expect("put");
    writer.commit("").expect("committed");
    writer.finish().expect("finished");
    let path = folder.path().join("index");
    let before = std::fs::read(path.join("meta.json")).expect("read");
    for _ in 0..2 {
        let index = index(&folder);
        let mut writer = index.writer(WRITER_BYTES_MIN).expect("a writer");
        writer.put(entry(1, "a", "b", 2), true).expect("put");
        writer.commit("").expect("committed");
        drop(writer);
        assert_eq!(found(&reader(&index), &Lookup::All, &Mask::default()), [1, 2]);
        // As if the process had ended before the commit's last step.
        std::fs::write(path.join("meta.json"), &before).expect("written");
    }
}
