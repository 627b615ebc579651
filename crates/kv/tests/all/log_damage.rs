//! A start is refused if the log lacks something that was acknowledged, whatever happened to it; a torn tail that a crash
//! left does not stop the start.
use crate::common::*;
use kv::{Durability, Error, Kv, LogDamage};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

const COMMITS: usize = 400;

/// Commits that fill one write buffer and a part of the next.
const LOGGED: usize = 150;

/// What a kill leaves after as many acknowledged commits.
async fn killed(commits: usize) -> TempDir {
    let (folder, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let kv = open_small(folder.path());
    for at in 0..commits {
        commit(&kv, SHARD, puts([(&*name(at), &*noise(at))]))
            .await
            .unwrap();
    }
    copy_folder(folder.path(), copy.path());
    copy
}

/// As [`killed`], but everything is in two logs and nothing in tables.
async fn killed_with_two_logs() -> TempDir {
    let (folder, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let kv = open_small(folder.path());
    let manifests = |folder: &Path| {
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut manifests = files.filter(|path| path.to_string_lossy().contains("MANIFEST"));
        manifests.next().unwrap()
    };
    let bytes = size(&manifests(folder.path()));
    for at in 0..LOGGED {
        commit(&kv, SHARD, puts([(&*name(at), &*noise(at))]))
            .await
            .unwrap();
    }
    copy_folder(folder.path(), copy.path());
    cut(&manifests(copy.path()), bytes);
    assert_eq!(logs(copy.path()).len(), 2);
    copy
}

/// A store with small write buffers, so that some commits are in tables and the others in more than one log.
fn open_small(folder: &Path) -> Kv {
    Kv::open(&kv::OpenOptions {
        folder: folder.to_path_buf(),
        memory_bytes: 0,
    })
    .unwrap()
}

fn name(at: usize) -> String {
    format!("{at:05}")
}

/// Text that does not compress well, so that tables and logs fill.
fn noise(at: usize) -> String {
    let mut state = at as u64 + 1;
    let mut digit = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        char::from(b'!' + ((state >> 33) % 90) as u8)
    };
    (0..20_000).map(|_| digit()).collect()
}

/// Copies a folder as it is at one moment: the engine may write tables meanwhile, and then it is copied again.
fn copy_folder(from: &Path, to: &Path) {
    loop {
        let before = files_in(from);
        for path in before.keys() {
            let target = to.join(path.strip_prefix(from).unwrap());
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            match fs::copy(path, target) {
                // The engine may remove a finished file while others are copied.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                copied => drop(copied.unwrap()),
            }
        }
        if files_in(from) == before {
            return;
        }
        fs::remove_dir_all(to).unwrap();
    }
}

/// All files within a folder, with their sizes.
fn files_in(folder: &Path) -> BTreeMap<PathBuf, u64> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        match entry.file_type().unwrap().is_dir() {
            true => files.extend(files_in(&entry.path())),
            // Files that are gone by now do not count.
            false => files.extend(entry.metadata().ok().map(|data| (entry.path(), data.len()))),
        }
    }
    files
}

/// The logs with something in them, the oldest first.
fn logs(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut logs: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "log"))
        .filter(|path| fs::metadata(path).unwrap().len() > 0)
        .collect();
    logs.sort();
    logs
}

fn flip(path: &Path, offset: u64) {
    let file = OpenOptions::new().read(true).write(true).open(path).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, offset).unwrap();
    file.write_all_at(&[byte[0] ^ 0x10], offset).unwrap();
}

fn cut(path: &Path, bytes: u64) {
    let file = OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(bytes).unwrap();
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).unwrap().len()
}

fn damage_of(folder: &Path) -> LogDamage {
    match Kv::open(&options(folder)) {
        Err(Error::LogDamaged(damage)) => *damage,
        other => panic!("the start takes a damaged log: {other:?}"),
    }
}

/// The store holds the first commits, as many as its head says, each with its value.
async fn assert_prefix(kv: &Kv) -> usize {
    let commits = kv.head(SHARD).await.unwrap().sequence as usize;
    let expected: Vec<_> = (0..commits).map(name).collect();
    assert_eq!(names(kv, SHARD).await, expected);
    for at in (0..commits).step_by(17) {
        assert_eq!(get(kv, SHARD, &name(at)).await.unwrap(), noise(at));
    }
    commits
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_that_a_kill_leaves_is_read_whole() {
    for commits in [0, 1, 7, 150, COMMITS] {
        let folder = killed(commits).await;
        for _ in 0..2 {
            let kv = Kv::open(&options(folder.path())).unwrap();
            assert_eq!(assert_prefix(&kv).await, commits);
            kv.close().await.unwrap();
        }
    }
}

type Damage = fn(&[PathBuf]);

const DAMAGES: [(&str, Damage); 10] = [
    ("a bit near the start of the last log", |logs| {
        flip(logs.last().unwrap(), 30);
    }),
    ("a bit in the middle of the last log", |logs| {
        flip(logs.last().unwrap(), size(logs.last().unwrap()) / 2);
    }),
    ("a bit in the last record", |logs| {
        flip(logs.last().unwrap(), size(logs.last().unwrap()) - 50);
    }),
    ("a bit in an earlier log", |logs| {
        flip(&logs[logs.len() - 2], size(&logs[logs.len() - 2]) / 2);
    }),
    ("the last log cut short by some bytes", |logs| {
        cut(logs.last().unwrap(), size(logs.last().unwrap()) - 500);
    }),
    ("the last log cut short by half", |logs| {
        cut(logs.last().unwrap(), size(logs.last().unwrap()) / 2);
    }),
    ("the last log emptied", |logs| cut(logs.last().unwrap(), 0)),
    ("the last log removed", |logs| {
        fs::remove_file(logs.last().unwrap()).unwrap();
    }),
    ("an earlier log removed", |logs| {
        fs::remove_file(&logs[0]).unwrap();
    }),
    ("all logs removed", |logs| {
        logs.iter().for_each(|log| fs::remove_file(log).unwrap());
    }),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_lacks_what_was_acknowledged_stops_the_start_until_it_is_cut_off() {
    let whole = killed_with_two_logs().await;
    let intact = tempfile::tempdir().unwrap();
    copy_folder(whole.path(), intact.path());
    let kv = Kv::open(&options(intact.path())).unwrap();
    assert_eq!(assert_prefix(&kv).await, LOGGED);
    for (what, damage) in DAMAGES {
        let folder = tempfile::tempdir().unwrap();
        copy_folder(whole.path(), folder.path());
        let logs = logs(folder.path());
        damage(&logs);
        let found = damage_of(folder.path());
        assert_eq!(found, damage_of(folder.path()), "{what}: a start changes nothing");
        assert!(found.entries_missing > 0, "{what}: {found}");
        assert!(found.to_string().contains("larder repair --cut-log"), "{found}");

        let cut_off = Kv::cut_log(folder.path()).unwrap();
        assert_eq!(cut_off, Some(found), "{what}");
        let kv = Kv::open(&options(folder.path())).unwrap();
        let left = assert_prefix(&kv).await;
        assert!(left < LOGGED, "{what}: {left}");
        commit(&kv, SHARD, puts([(&*name(left), &*noise(left))]))
            .await
            .unwrap();
        kv.close().await.unwrap();
        assert_eq!(Kv::cut_log(folder.path()).unwrap(), None, "{what}");
        let kv = Kv::open(&options(folder.path())).unwrap();
        assert_eq!(assert_prefix(&kv).await, left + 1, "{what}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_of_several_logs_that_is_removed_is_missed() {
    let folder = killed(COMMITS).await;
    let logs = logs(folder.path());
    // Only the engine knows which of them are still needed, so they are removed one after another until it matters.
    let missed = logs.iter().any(|log| {
        fs::remove_file(log).unwrap();
        Kv::cut_log(folder.path()).unwrap().is_some()
    });
    assert!(missed);
    let kv = Kv::open(&options(folder.path())).unwrap();
    assert!(assert_prefix(&kv).await < COMMITS);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_torn_tail_is_taken() {
    let whole = killed(60).await;
    let last = logs(whole.path()).pop().unwrap();
    let bytes = fs::read(&last).unwrap();
    // The last one has whole commits of an earlier time.
    let tails: [&[u8]; 5] = [
        &[0; 5000],
        &[7; 300],
        &bytes[..40],
        &bytes[..9000],
        &bytes[..70_000],
    ];
    for tail in tails {
        let folder = tempfile::tempdir().unwrap();
        copy_folder(whole.path(), folder.path());
        let torn = [&bytes[..], tail].concat();
        fs::write(folder.path().join(last.file_name().unwrap()), torn).unwrap();
        let kv = Kv::open(&options(folder.path())).unwrap();
        assert_eq!(assert_prefix(&kv).await, 60);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unflushed_batches_are_dropped_from_the_first_gap_on() {
    let (folder, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let kv = Kv::open(&options(folder.path())).unwrap();
    for at in 0..5 {
        commit(&kv, SHARD, puts([(&*name(at), &*noise(at))]))
            .await
            .unwrap();
    }
    let flushed = size(&logs(folder.path())[0]);
    for at in 5..20 {
        let sequence = at as u64;
        let batch = puts([(&*name(at), &*noise(at))]);
        kv.commit(SHARD, sequence, head(sequence + 1), batch, Durability::Soon)
            .await
            .unwrap();
    }
    let synced = fs::read(folder.path().join("LARDER.synced")).unwrap();
    copy_folder(folder.path(), copy.path());
    // As after a power failure, when the note may be older.
    fs::write(copy.path().join("LARDER.synced"), synced).unwrap();
    let log = OpenOptions::new()
        .write(true)
        .open(&logs(copy.path())[0])
        .unwrap();
    log.write_all_at(&vec![0; 64 << 10], flushed + 100_000).unwrap();
    let opened = Kv::open(&options(copy.path()));
    match opened {
        Ok(kv) => {
            let left = assert_prefix(&kv).await;
            assert!((5..12).contains(&left), "{left}");
        }
        // The background flush was quicker than the copy.
        Err(Error::LogDamaged(_)) => {}
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_of_an_earlier_version_says_less_but_not_nothing() {
    let whole = killed(60).await;
    fs::remove_file(whole.path().join("LARDER.synced")).unwrap();
    let torn = tempfile::tempdir().unwrap();
    copy_folder(whole.path(), torn.path());
    let last = logs(torn.path()).pop().unwrap();
    cut(&last, size(&last) - 500);
    let kv = Kv::open(&options(torn.path())).unwrap();
    assert_eq!(assert_prefix(&kv).await, 59);

    let last = logs(whole.path()).pop().unwrap();
    flip(&last, size(&last) / 2);
    let found = damage_of(whole.path());
    assert!(
        found.commits_behind > 0 && found.shards_behind == [SHARD],
        "{found:?}"
    );
}

/// With the record types that only logs have, the engine would read such a manifest for ever.
#[tokio::test(flavor = "multi_thread")]
async fn a_manifest_with_a_part_of_another_kind_ends_the_start() {
    let whole = killed(60).await;
    let name = fs::read_to_string(whole.path().join("CURRENT")).unwrap();
    let manifest = fs::read(whole.path().join(name.trim())).unwrap();
    let mut refused = 0;
    for at in (0..manifest.len()).filter(|&at| (1..=4).contains(&manifest[at])) {
        let folder = tempfile::tempdir().unwrap();
        copy_folder(whole.path(), folder.path());
        let mut damaged = manifest.clone();
        damaged[at] += 4;
        fs::write(folder.path().join(name.trim()), damaged).unwrap();
        let options = options(folder.path());
        let (done, ended) = std::sync::mpsc::channel();
        std::thread::spawn(move || done.send(Kv::open(&options).map(drop)));
        let opened = ended.recv_timeout(Duration::from_secs(60));
        let opened = opened.unwrap_or_else(|_| panic!("byte {at}: the start does not end"));
        refused += usize::from(opened.is_err());
    }
    assert!(refused > 0);
}

#[tokio::test]
async fn a_folder_without_the_name_of_its_manifest_is_not_begun_anew() {
    let folder = tempfile::tempdir().unwrap();
    let kv = Kv::open(&options(folder.path())).unwrap();
    commit(&kv, SHARD, puts([("a", "1")])).await.unwrap();
    kv.close().await.unwrap();
    let current = folder.path().join("CURRENT");
    let named = fs::read(&current).unwrap();
    fs::remove_file(&current).unwrap();
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if path
            .file_name()
            .unwrap()
            .to_string_lossy()
            .starts_with("MANIFEST")
        {
            fs::rename(&path, folder.path().join("kept")).unwrap();
        }
    }
    let refused = Kv::open(&options(folder.path()));
    assert!(matches!(refused, Err(Error::Corrupt(_))), "{refused:?}");
    let name = String::from_utf8(named.clone()).unwrap();
    fs::rename(folder.path().join("kept"), folder.path().join(name.trim())).unwrap();
    fs::write(&current, named).unwrap();
    let kv = Kv::open(&options(folder.path())).unwrap();
    assert_eq!(names(&kv, SHARD).await, ["a"]);
}
