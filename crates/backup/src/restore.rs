//! Putting a backup back, and reading it through.

use crate::objects::{flush_folder, make_folder};
use crate::{Error, File, Manifest, Progress, Repository};
use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path};

/// The file that makes a folder a data folder; written last, so that a restore that was cut off is not taken for one.
const MARK: &str = "LARDER";

/// Where files of an archive are put, within the data folder.
const REPLAY: &str = "_replay";

/// Writes all files of a backup into a folder that is empty or not there. Every byte is compared with its checksum. The
/// files of an archive are put where they are to be replayed from; before that the folder does not open.
pub fn restore(
    repository: &Repository,
    manifest: &Manifest,
    archived: &[File],
    folder: &Path,
    progress: Progress<'_>,
) -> Result<(), Error> {
    make_folder(folder)?;
    let mut entries = fs::read_dir(folder).map_err(Error::file("listing", folder))?;
    if entries.next().is_some() {
        return Err(Error::NotEmpty(folder.to_owned()));
    }
    let mut folders = BTreeSet::from([folder.to_owned()]);
    let (marks, others): (Vec<_>, Vec<_>) = manifest.files.iter().partition(|file| file.path == MARK);
    let replayed = archived.iter().map(|file| {
        let name = Path::new(&file.path).file_name().unwrap_or_default();
        (Path::new(REPLAY).join(name), file)
    });
    let others = others
        .into_iter()
        .map(|file| (Path::new(&file.path).to_owned(), file));
    for (name, file) in replayed.chain(others) {
        let path = folder.join(&name);
        put(repository, &name, &path, file, progress)?;
        folders.extend(path.parent().map(Path::to_owned));
    }
    // Nothing that the mark stands for may be missing after a crash.
    folders.iter().try_for_each(|folder| flush_folder(folder))?;
    for mark in marks {
        put(repository, Path::new(MARK), &folder.join(MARK), mark, progress)?;
    }
    flush_folder(folder)
}

/// Writes a file and flushes it.
fn put(
    repository: &Repository,
    name: &Path,
    path: &Path,
    file: &File,
    progress: Progress<'_>,
) -> Result<(), Error> {
    if !name.components().all(|part| matches!(part, Component::Normal(_))) {
        let what = "the manifest names a file outside of the data folder".to_owned();
        return Err(Error::Corrupt {
            path: path.to_owned(),
            what,
        });
    }
    if let Some(parent) = path.parent() {
        make_folder(parent)?;
    }
    let made = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    let mut restored = made.map_err(Error::file("making", path))?;
    for part in &file.parts {
        repository.objects.read(part, |bytes| {
            progress(bytes.len() as u64);
            restored.write_all(bytes).map_err(Error::file("writing", path))
        })?;
    }
    restored.sync_all().map_err(Error::file("flushing", path))
}

/// Reads all parts of a backup. Returns what is wrong with them.
pub fn verify(repository: &Repository, manifest: &Manifest, progress: Progress<'_>) -> Vec<Error> {
    let mut seen = BTreeSet::new();
    let mut errors = Vec::new();
    for part in manifest.parts() {
        if !seen.insert(&part.blake3) {
            progress(part.bytes);
            continue;
        }
        let read = repository.objects.read(part, |bytes| {
            progress(bytes.len() as u64);
            Ok(())
        });
        errors.extend(read.err());
    }
    errors
}
