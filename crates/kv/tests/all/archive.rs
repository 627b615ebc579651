//! The archive of changes: a restore to any moment between two checkpoints.
use crate::common::*;
use kv::{Archiving, Checkpoint, CheckpointFile, Durability, Error, Kv, Replayed, ShardId};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use testing::Random;

const LIMIT: Duration = Duration::from_secs(30);

const SHARDS: u64 = 4;

/// What all shards hold.
type Model = BTreeMap<(u64, String), String>;

/// A store with an archive, and where its checkpoints and archived files are kept.
struct Kept {
    folder: tempfile::TempDir,
    kv: Kv,
    repository: tempfile::TempDir,
    /// The number of the first archived file after the first checkpoint.
    first: u64,
}

impl Kept {
    async fn begin() -> Kept {
        let folder = tempfile::tempdir().unwrap();
        let kv = Kv::open(&options(folder.path())).unwrap();
        commit(&kv, ShardId(0), puts([("before", "1")])).await.unwrap();
        let mut kept = Kept {
            folder,
            kv,
            repository: tempfile::tempdir().unwrap(),
            first: 0,
        };
        let checkpoint = kept.kv.checkpoint(LIMIT, Archiving::Keep).await.unwrap().unwrap();
        copy(
            &checkpoint,
            checkpoint.files(),
            &kept.repository.path().join("base"),
        );
        kept.first = checkpoint.archived().unwrap().0.next;
        kept
    }

    /// Keeps what the archive has, as a backup does.
    async fn collect(&self) {
        let checkpoint = self.kv.checkpoint(LIMIT, Archiving::Keep).await.unwrap().unwrap();
        let (position, files) = checkpoint.archived().unwrap();
        copy(&checkpoint, files, self.repository.path());
        self.kv.forget_archived(&position).await.unwrap();
    }

    /// Continues in a copy of the folder, as after a kill.
    async fn kill(self) -> Kept {
        let copy = tempfile::tempdir().unwrap();
        copy_folder(self.folder.path(), copy.path());
        Kept {
            kv: Kv::open(&options(copy.path())).unwrap(),
            folder: copy,
            repository: self.repository,
            first: self.first,
        }
    }

    async fn restart(self) -> Kept {
        self.kv.close().await.unwrap();
        Kept {
            kv: Kv::open(&options(self.folder.path())).unwrap(),
            ..self
        }
    }

    /// The archived files since the first checkpoint.
    fn archived(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(self.repository.path().join("_archive")).unwrap();
        let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        let number = |path: &Path| {
            path.file_stem()
                .unwrap()
                .to_str()
                .unwrap()
                .parse::<u64>()
                .unwrap()
        };
        files.retain(|path| number(path) >= self.first);
        files
    }

    /// Restores the first checkpoint and replays these files.
    async fn restore(
        &self,
        files: &[PathBuf],
        until_ms: u64,
    ) -> (tempfile::TempDir, Result<Replayed, Error>) {
        let target = tempfile::tempdir().unwrap();
        copy_folder(&self.repository.path().join("base"), target.path());
        let replay = target.path().join("_replay");
        fs::create_dir(&replay).unwrap();
        for file in files {
            fs::copy(file, replay.join(file.file_name().unwrap())).unwrap();
        }
        let replayed = Kv::replay(&options(target.path()), until_ms).await;
        (target, replayed)
    }

    async fn restored(&self, until_ms: u64) -> Model {
        let (folder, replayed) = self.restore(&self.archived(), until_ms).await;
        replayed.unwrap();
        let kv = Kv::open(&options(folder.path())).unwrap();
        let model = contents(&kv).await;
        kv.close().await.unwrap();
        model
    }
}

async fn contents(kv: &Kv) -> Model {
    let mut model = Model::new();
    for shard in 0..SHARDS {
        for name in names(kv, ShardId(shard)).await {
            let value = get(kv, ShardId(shard), &name).await.unwrap();
            model.insert((shard, name), value);
        }
    }
    model
}

fn copy(checkpoint: &Checkpoint, files: &[CheckpointFile], target: &Path) {
    for file in files {
        let path = target.join(&file.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let bytes = fs::read(checkpoint.folder().join(&file.path)).unwrap();
        fs::write(path, &bytes[..file.bytes as usize]).unwrap();
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_folder(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

fn now_ms() -> u64 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap()
        .as_millis() as u64
}

/// One change, small or large, or the end of a shard.
async fn change(kv: &Kv, choices: &mut Random, at: usize) {
    let shard = ShardId(choices.below(SHARDS));
    let name = format!("{:02}", choices.below(20));
    match choices.below(12) {
        0 => kv.drop_shard(shard).await.unwrap(),
        1 => {
            let value = format!("{at}").repeat(40_000);
            let mut batch = puts([]);
            let placed = kv.place(value.as_bytes()).await.unwrap().unwrap();
            batch.put_placed(&key(&name), b"head", &placed);
            commit(kv, shard, batch).await.unwrap();
        }
        2 => {
            let value = format!("{at}").repeat(40_000);
            commit(kv, shard, puts([(&*name, &*value)])).await.unwrap();
        }
        3 => {
            let mut batch = puts([]);
            batch.delete(&key(&name));
            commit(kv, shard, batch).await.unwrap();
        }
        _ => {
            let value = format!("{at}");
            commit(kv, shard, puts([(&*name, &*value), ("same", &*value)]))
                .await
                .unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restore_has_exactly_what_was_acknowledged_by_a_moment() {
    let mut choices = Random::new(7);
    let mut kept = Kept::begin().await;
    let mut moments = vec![(now_ms(), contents(&kept.kv).await)];
    for at in 0..120 {
        tokio::time::sleep(Duration::from_millis(2)).await;
        change(&kept.kv, &mut choices, at).await;
        if at % 10 == 5 {
            moments.push((now_ms(), contents(&kept.kv).await));
        }
        match choices.below(20) {
            0 => kept = kept.restart().await,
            1 => kept = kept.kill().await,
            2 => kept.collect().await,
            _ => {}
        }
    }
    kept.collect().await;
    moments.push((u64::MAX, contents(&kept.kv).await));
    for (time_ms, model) in moments {
        assert!(kept.restored(time_ms).await == model, "at {time_ms}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn commits_that_were_not_made_after_all_are_not_replayed() {
    let kept = Kept::begin().await;
    let refused = kept
        .kv
        .commit(SHARD, 9, head(10), puts([("a", "1")]), Durability::Flushed)
        .await;
    assert!(refused.is_err());
    // A log that a kill left without its last commit, which the archive has.
    let before = tempfile::tempdir().unwrap();
    copy_folder(kept.folder.path(), before.path());
    commit(&kept.kv, ShardId(0), puts([("lost", "1")])).await.unwrap();
    fs::remove_dir_all(before.path().join("_archive")).unwrap();
    copy_folder(
        &kept.folder.path().join("_archive"),
        &before.path().join("_archive"),
    );
    let kept = Kept {
        kv: Kv::open(&options(before.path())).unwrap(),
        folder: before,
        ..kept
    };
    let moment = now_ms();
    tokio::time::sleep(Duration::from_millis(2)).await;
    commit(&kept.kv, ShardId(0), puts([("kept", "1")])).await.unwrap();
    kept.collect().await;
    let names = |model: Model| model.into_keys().map(|(_, name)| name).collect::<Vec<_>>();
    assert_eq!(names(kept.restored(moment).await), ["before"]);
    assert_eq!(names(kept.restored(u64::MAX).await), ["before", "kept"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn gaps_and_damage_are_refused_and_what_is_before_them_is_restored() {
    let mut kept = Kept::begin().await;
    commit(&kept.kv, ShardId(0), puts([("first", "1")]))
        .await
        .unwrap();
    let moment = now_ms();
    for name in ["second", "third"] {
        tokio::time::sleep(Duration::from_millis(2)).await;
        kept = kept.restart().await;
        commit(&kept.kv, ShardId(0), puts([(name, "1")])).await.unwrap();
    }
    kept.collect().await;
    let files = kept.archived();
    assert!(files.len() >= 3);
    let holed = [&files[..1], &files[2..]].concat();
    let refused = kept.restore(&holed, u64::MAX).await.1.unwrap_err().to_string();
    assert!(
        refused.contains("has a gap") && refused.contains("is missing"),
        "{refused}"
    );
    for (at, what) in [(0, "change"), (files.len() - 1, "damaged at offset")] {
        let mut bytes = fs::read(&files[at]).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        let damaged = kept.repository.path().join(files[at].file_name().unwrap());
        fs::write(&damaged, &bytes).unwrap();
        let mut with_damage = files.clone();
        with_damage[at] = damaged;
        let (folder, refused) = kept.restore(&with_damage, u64::MAX).await;
        let refused = refused.unwrap_err().to_string();
        assert!(
            refused.contains("has a gap") && refused.contains(what),
            "{refused}"
        );
        // A partly restored folder does not open.
        let opened = Kv::open(&options(folder.path())).unwrap_err().to_string();
        assert!(opened.contains("was cut off"), "{opened}");
        if at > 0 {
            kept.restore(&with_damage, moment).await.1.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_that_reaches_its_limit_ends_and_the_next_checkpoint_begins_again() {
    let kept = Kept::begin().await;
    commit(&kept.kv, ShardId(0), puts([("first", "1")]))
        .await
        .unwrap();
    let moment = now_ms();
    tokio::time::sleep(Duration::from_millis(2)).await;
    kept.kv.limit_archive(500);
    let long = "x".repeat(1_000);
    commit(&kept.kv, ShardId(0), puts([("second", &*long)]))
        .await
        .unwrap();
    commit(&kept.kv, ShardId(0), puts([("third", "1")]))
        .await
        .unwrap();
    kept.kv.limit_archive(u64::MAX);
    kept.collect().await;
    assert_eq!(kept.restored(moment).await.len(), 2);
    let refused = kept
        .restore(&kept.archived(), u64::MAX)
        .await
        .1
        .unwrap_err()
        .to_string();
    assert!(refused.contains("changes are missing"), "{refused}");
    // Nothing is archived after the archive has ended.
    let checkpoint = kept.kv.checkpoint(LIMIT, Archiving::End).await.unwrap();
    drop(checkpoint);
    assert!(!kept.folder.path().join("_archive").exists());
}
