//! Backups of folders: what is copied, what is kept, and which damage is found.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use backup::{Error, FolderSource, Manifest, Pace, Repository, SourceFile, Taken, restore, take, verify};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

type Files = BTreeMap<&'static str, (Vec<u8>, Option<&'static str>)>;

struct Ground {
    folder: TempDir,
}

impl Ground {
    fn new() -> Ground {
        Ground {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn repository(&self) -> Repository {
        Repository::create(&self.path("repository")).unwrap()
    }

    async fn take(&self, files: &Files, began_ms: u64) -> Taken {
        let source = self.source(files);
        take(
            &source,
            &self.repository(),
            "day",
            began_ms,
            Pace::new(None),
            &mut |_| (),
        )
        .await
        .unwrap()
    }

    fn source(&self, files: &Files) -> FolderSource {
        let folder = self.path("source");
        let _ = fs::remove_dir_all(&folder);
        let listed = files.iter().map(|(path, (bytes, identity))| {
            let file = folder.join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            // Bytes after those that were listed are not part of the backup.
            fs::write(&file, [bytes, &b"later"[..]].concat()).unwrap();
            SourceFile {
                path: (*path).to_owned(),
                bytes: bytes.len() as u64,
                identity: identity.map(str::to_owned),
            }
        });
        let listed = listed.collect();
        FolderSource::new(folder, listed)
    }

    fn restore(&self, manifest: &Manifest, name: &str) -> Result<PathBuf, Error> {
        let folder = self.path(name);
        restore(&self.repository(), manifest, &[], &folder, &mut |_| ())?;
        Ok(folder)
    }

    fn objects(&self) -> Vec<PathBuf> {
        let folders = fs::read_dir(self.path("repository/objects")).unwrap();
        let inner = folders.filter_map(|entry| fs::read_dir(entry.unwrap().path()).ok());
        inner.flatten().map(|entry| entry.unwrap().path()).collect()
    }
}

fn noise(seed: u8, bytes: usize) -> Vec<u8> {
    let mut state = u64::from(seed) + 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    };
    (0..bytes).map(|_| next()).collect()
}

fn files() -> Files {
    BTreeMap::from([
        ("LARDER", (b"larder format 1\n".to_vec(), None)),
        ("000004.sst", (noise(1, 300_000), Some("4"))),
        ("values/00000000.values", (noise(2, 2 << 20), Some("v"))),
        ("empty", (Vec::new(), None)),
    ])
}

fn assert_same(folder: &Path, files: &Files) {
    for (path, (bytes, _)) in files {
        assert!(fs::read(folder.join(path)).unwrap() == *bytes, "{path}");
    }
}

#[tokio::test]
async fn a_restore_gives_the_same_files() {
    let ground = Ground::new();
    let taken = ground.take(&files(), 1).await;
    assert_eq!(taken.read_bytes, taken.manifest.bytes());
    let folder = ground.restore(&taken.manifest, "restored").unwrap();
    assert_same(&folder, &files());
    assert!(matches!(
        ground.restore(&taken.manifest, "restored"),
        Err(Error::NotEmpty(_))
    ));
}

#[tokio::test]
async fn unchanged_files_are_neither_read_nor_written_again() {
    let ground = Ground::new();
    let mut before = files();
    before.insert("values/00000000.values", (vec![7; 40 << 20], Some("v")));
    let first = ground.take(&before, 1).await.manifest;
    let mut later = before.clone();
    // A file that grew is copied from its last whole part on, a new file is copied, a removed one is not.
    let (grown, _) = later.get_mut("values/00000000.values").unwrap();
    grown.extend_from_slice(&noise(3, 1000));
    later.insert("000005.sst", (noise(4, 1000), Some("5")));
    later.insert("renamed.sst", (noise(1, 300_000), Some("6")));
    later.remove("empty");
    let taken = ground.take(&later, 2).await;
    assert_eq!(taken.manifest.name, "day-2");
    let rest = (40 << 20) + 1000 - (32 << 20);
    let mark = b"larder format 1\n".len() as u64;
    assert_eq!(taken.new_bytes, rest + 1000);
    assert_eq!(taken.read_bytes, rest + 1000 + 300_000 + mark);
    assert_same(&ground.restore(&taken.manifest, "second").unwrap(), &later);
    assert_same(&ground.restore(&first, "first").unwrap(), &before);

    // Another file under the same name is another file.
    later.insert("000005.sst", (noise(5, 1000), Some("5 made anew")));
    let taken = ground.take(&later, 3).await;
    assert_eq!(taken.new_bytes, 1000);
    assert_same(&ground.restore(&taken.manifest, "third").unwrap(), &later);
}

#[tokio::test]
async fn only_what_no_backup_needs_goes_with_old_ones() {
    let ground = Ground::new();
    ground.take(&files(), 1).await;
    let mut later = files();
    later.insert("000004.sst", (noise(9, 1000), Some("other")));
    let last = ground.take(&later, 2).await.manifest;
    let before = ground.objects().len();
    assert_eq!(ground.repository().prune(2).unwrap(), [""; 0]);
    assert_eq!(ground.repository().prune(0).unwrap(), ["day"]);
    assert_eq!(ground.objects().len(), before - 1);
    assert_eq!(ground.repository().list().unwrap(), std::slice::from_ref(&last));
    assert_same(&ground.restore(&last, "restored").unwrap(), &later);
    let missing = ground.repository().find(Some("day")).unwrap_err();
    assert!(matches!(missing, Error::NotFound(_)));
}

#[tokio::test]
async fn the_backup_that_was_taken_last_is_the_last_although_the_clock_went_back() {
    let ground = Ground::new();
    ground.take(&files(), 2_000).await;
    let newest = ground.take(&files(), 1_000).await.manifest;
    assert_eq!(ground.repository().find(None).unwrap(), newest);
    assert_eq!(ground.repository().prune(1).unwrap(), ["day"]);
    assert_eq!(ground.repository().list().unwrap(), [newest]);
}

#[tokio::test]
async fn damage_is_found_and_never_restored() {
    let ground = Ground::new();
    let manifest = ground.take(&files(), 1).await.manifest;
    let check = || verify(&ground.repository(), &manifest, &mut |_| ());
    assert!(check().is_empty());
    for (at, object) in ground.objects().into_iter().enumerate() {
        let bytes = fs::read(&object).unwrap();
        if bytes.is_empty() {
            continue;
        }
        let mut turned = bytes.clone();
        turned[bytes.len() / 2] ^= 1;
        for damaged in [&turned[..], &bytes[..bytes.len() - 1]] {
            fs::write(&object, damaged).unwrap();
            assert_eq!(check().len(), 1);
            let refused = ground.restore(&manifest, &format!("restored {at} {}", damaged.len()));
            assert!(matches!(refused, Err(Error::Corrupt { .. })), "{refused:?}");
        }
        fs::remove_file(&object).unwrap();
        assert_eq!(check().len(), 1);
        fs::write(&object, bytes).unwrap();
    }
    assert!(check().is_empty());
    let path = ground.path("repository/backups/day.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("0000", "0001", 1)).unwrap();
    assert!(matches!(ground.repository().list(), Err(Error::Corrupt { .. })));
}

#[tokio::test]
async fn a_damaged_object_is_written_anew_where_its_bytes_are_read_again() {
    let ground = Ground::new();
    // A file without an identity is read by each backup.
    let files = Files::from([("a", (noise(3, 300_000), None))]);
    let manifest = ground.take(&files, 1).await.manifest;
    let object = ground.objects().remove(0);
    let mut damaged = fs::read(&object).unwrap();
    damaged[1000] ^= 1;
    fs::write(&object, damaged).unwrap();
    assert_eq!(verify(&ground.repository(), &manifest, &mut |_| ()).len(), 1);
    ground.take(&files, 2).await;
    assert!(verify(&ground.repository(), &manifest, &mut |_| ()).is_empty());
}

#[test]
fn a_repository_is_made_with_the_folders_that_it_lies_in() {
    let ground = Ground::new();
    let folder = ground.path("far/away/repository");
    for _ in 0..2 {
        assert!(Repository::create(&folder).unwrap().list().unwrap().is_empty());
    }
    fs::write(ground.path("file"), "").unwrap();
    let refused = Repository::create(&ground.path("file/repository"));
    assert!(matches!(refused, Err(Error::File { .. })), "{refused:?}");
}

#[tokio::test]
async fn backups_are_taken_and_shown_although_one_is_damaged_and_none_is_removed() {
    let ground = Ground::new();
    let first = ground.take(&files(), 1).await.manifest;
    ground.take(&files(), 2).await;
    fs::write(ground.path("repository/backups/day-2.json"), b"\xff\xfe").unwrap();
    let third = ground.take(&files(), 3).await.manifest;
    let repository = ground.repository();
    let (readable, damaged) = repository.readable().unwrap();
    assert_eq!((readable, damaged.len()), (vec![first, third], 1));
    let before = ground.objects().len();
    repository.prune(1).unwrap_err();
    assert_eq!(ground.objects().len(), before);
    assert_eq!(repository.readable().unwrap().0.len(), 2);
    // Nobody can be sure which backup is the last.
    repository.find(None).unwrap_err();
}

#[tokio::test]
async fn backups_are_shown_while_another_process_has_the_folder() {
    let ground = Ground::new();
    let taken = ground.take(&files(), 1).await.manifest;
    let held = ground.repository();
    Repository::open(&ground.path("repository")).unwrap_err();
    let (shown, damaged) = backup::readable(&ground.path("repository")).unwrap();
    assert_eq!((shown, damaged.len()), (vec![taken], 0));
    drop(held);
    let none = backup::readable(&ground.path("source"));
    assert!(matches!(none, Err(Error::NoBackups(_))), "{none:?}");
}

#[tokio::test]
async fn a_backup_is_found_by_its_name_although_another_is_damaged() {
    let ground = Ground::new();
    ground.take(&files(), 1).await;
    let other = ground.take(&files(), 2).await.manifest;
    fs::write(ground.path("repository/backups/day.json"), "{}").unwrap();
    let repository = ground.repository();
    assert_eq!(repository.find(Some(&other.name)).unwrap(), other);
    let damaged = repository.find(Some("day"));
    assert!(matches!(damaged, Err(Error::Corrupt { .. })), "{damaged:?}");
    for name in ["", "day-3", "../backups/day-2"] {
        let missing = repository.find(Some(name));
        assert!(matches!(missing, Err(Error::NotFound(_))), "{missing:?}");
    }
}

#[tokio::test]
async fn an_object_that_is_gone_is_copied_again() {
    let ground = Ground::new();
    ground.take(&files(), 1).await;
    ground
        .objects()
        .iter()
        .for_each(|object| fs::remove_file(object).unwrap());
    let again = ground.take(&files(), 2).await;
    assert_eq!(again.new_bytes, again.manifest.bytes());
    assert_same(&ground.restore(&again.manifest, "restored").unwrap(), &files());
}

#[tokio::test]
async fn only_folders_of_backups_are_taken() {
    let ground = Ground::new();
    fs::create_dir(ground.path("other")).unwrap();
    fs::write(ground.path("other/thesis.odt"), "years").unwrap();
    let foreign = Repository::create(&ground.path("other"));
    assert!(matches!(foreign, Err(Error::Foreign(_))), "{foreign:?}");
    let nothing = Repository::open(&ground.path("nowhere"));
    assert!(matches!(nothing, Err(Error::NoBackups(_))), "{nothing:?}");
    drop(ground.repository());
    fs::write(
        ground.path("repository/LARDER-BACKUPS"),
        "larder backups format 2\n",
    )
    .unwrap();
    let later = Repository::create(&ground.path("repository"));
    assert!(matches!(later, Err(Error::OtherFormat { .. })), "{later:?}");
}

#[tokio::test]
async fn a_manifest_cannot_lead_out_of_the_folder() {
    let ground = Ground::new();
    let mut manifest = ground.take(&files(), 1).await.manifest;
    manifest.files[0].path = "../outside".to_owned();
    let refused = ground.restore(&manifest, "restored");
    assert!(matches!(refused, Err(Error::Corrupt { .. })), "{refused:?}");
}

#[tokio::test]
async fn copying_keeps_to_its_pace() {
    let ground = Ground::new();
    let files = BTreeMap::from([("a", (noise(1, 1_000_000), None))]);
    let (source, repository) = (ground.source(&files), ground.repository());
    let began = Instant::now();
    let mut reported = 0;
    take(
        &source,
        &repository,
        "day",
        1,
        Pace::new(Some(2_000_000)),
        &mut |bytes| reported += bytes,
    )
    .await
    .unwrap();
    assert!(began.elapsed() >= Duration::from_millis(490));
    assert_eq!(reported, 1_000_000);
}
