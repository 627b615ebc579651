//! Which folders are accepted as data folders, and with which permissions they are created.
use crate::common::*;
use kv::{Error, Kv};
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[tokio::test]
async fn a_folder_is_made_for_its_owner_alone_and_marked() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("new/data");
    Kv::open(&options(&folder)).unwrap().close().await.unwrap();
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(
        fs::read_to_string(folder.join("LARDER")).unwrap(),
        "larder format 1\n"
    );
    Kv::open(&options(&folder)).unwrap();
}

#[test]
fn a_folder_with_something_else_in_it_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("thesis.odt"), "years").unwrap();
    let refused = Kv::open(&options(folder.path()));
    assert!(matches!(refused, Err(Error::Foreign { .. })), "{refused:?}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn a_folder_from_before_there_were_marks_is_taken_and_marked() {
    let folder = tempfile::tempdir().unwrap();
    Kv::open(&options(folder.path())).unwrap().close().await.unwrap();
    let mark = folder.path().join("LARDER");
    fs::remove_file(&mark).unwrap();
    Kv::open(&options(folder.path())).unwrap().close().await.unwrap();
    assert!(mark.exists());
}

#[test]
fn a_folder_of_a_later_format_is_refused_and_so_is_a_mark_that_says_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("LARDER");
    fs::write(&mark, "larder format 2\n").unwrap();
    let refused = Kv::open(&options(folder.path()));
    assert!(
        matches!(
            refused,
            Err(Error::OtherFormat {
                format: 2,
                known: 1,
                ..
            })
        ),
        "{refused:?}"
    );
    fs::write(&mark, "").unwrap();
    let refused = Kv::open(&options(folder.path()));
    assert!(matches!(refused, Err(Error::Corrupt(_))), "{refused:?}");
}

#[test]
fn a_crash_while_a_folder_was_marked_does_not_make_it_somebody_elses() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("LARDER.new"), "larder").unwrap();
    Kv::open(&options(folder.path())).unwrap();
}

#[test]
fn a_crash_in_the_very_first_start_leaves_a_folder_that_opens() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("LARDER"), "larder format 1\n").unwrap();
    fs::write(folder.path().join("MANIFEST-000001"), "half").unwrap();
    Kv::open(&options(folder.path())).unwrap();
}

#[tokio::test]
async fn a_folder_that_vanished_or_was_replaced_is_neither_read_nor_written() {
    for replaced in [false, true] {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("data");
        let kv = Kv::open(&options(&folder)).unwrap();
        commit(&kv, SHARD, puts([("a", "1")])).await.unwrap();
        kv.check_folder().unwrap();
        fs::rename(&folder, parent.path().join("moved")).unwrap();
        if replaced {
            fs::create_dir(&folder).unwrap();
        }
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        let gone = |result| matches!(result, Err(Error::FolderGone { .. }));
        assert!(gone(kv.snapshot(SHARD).await.map(drop)));
        assert!(gone(kv.moment().await.map(drop)));
        assert!(gone(kv.head(SHARD).await.map(drop)));
        assert!(gone(kv.check_folder()));
        commit(&kv, SHARD, puts([("b", "1")])).await.unwrap_err();
    }
}

#[tokio::test]
async fn a_folder_that_is_being_filled_opens_only_when_it_is_full() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("new");
    let kv = Kv::open_to_fill(&options(&folder)).unwrap();
    commit(&kv, SHARD, puts([("a", "1")])).await.unwrap();
    kv.close().await.unwrap();
    drop(kv);
    let refused = Kv::open(&options(&folder));
    assert!(matches!(refused, Err(Error::HalfRestored { .. })), "{refused:?}");
    Kv::end_filling(&folder).unwrap();
    let kv = Kv::open(&options(&folder)).unwrap();
    assert_eq!(get(&kv, SHARD, "a").await.as_deref(), Some("1"));
    // One that holds something is not filled.
    kv.close().await.unwrap();
    drop(kv);
    let refused = Kv::open_to_fill(&options(&folder));
    assert!(matches!(refused, Err(Error::Foreign { .. })), "{refused:?}");
    Kv::open(&options(&folder)).unwrap();
}
