//! The folder that holds backups.

use crate::objects::{self, Objects, flush_folder, make_folder};
use crate::{Error, Manifest};
use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The file that marks a repository.
const MARK: &str = "LARDER-BACKUPS";

/// What the mark says.
const FORMAT: &str = "larder backups format 1\n";

/// The folder of the manifests.
const MANIFESTS: &str = "backups";

/// What is added to the name of a manifest that is being written.
const UNFINISHED: &str = ".unfinished";

/// A folder of backups. It is this process's alone as long as this is kept.
#[derive(Debug)]
pub struct Repository {
    folder: PathBuf,
    pub(crate) objects: Objects,
    _lock: File,
}

impl Repository {
    /// Opens a repository, and makes it in a folder that is empty or not there.
    pub fn create(folder: &Path) -> Result<Repository, Error> {
        let mark = folder.join(MARK);
        if !mark.exists() {
            make_folder(folder)?;
            let mut entries = fs::read_dir(folder).map_err(Error::file("listing", folder))?;
            // A crash before the mark was written leaves these.
            let ours = [objects::FOLDER, MANIFESTS];
            if entries
                .any(|entry| entry.is_ok_and(|entry| !ours.iter().any(|name| entry.file_name() == *name)))
            {
                return Err(Error::Foreign(folder.to_owned()));
            }
            make_folder(&folder.join(objects::FOLDER))?;
            make_folder(&folder.join(MANIFESTS))?;
            write_flushed(&mark, FORMAT.as_bytes())?;
            flush_folder(folder)?;
        }
        Repository::open(folder)
    }

    /// Opens a repository.
    pub fn open(folder: &Path) -> Result<Repository, Error> {
        let path = mark(folder)?;
        let lock = File::open(&path).map_err(Error::file("opening", &path))?;
        match lock.try_lock() {
            Ok(()) => {}
            // Not every file system knows locks, and a repository may be read on one that does not.
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Source(format!(
                    "{} is in use by another process",
                    folder.display()
                )));
            }
            Err(TryLockError::Error(error)) => return Err(Error::file("locking", &path)(error)),
        }
        Ok(Repository {
            folder: folder.to_owned(),
            objects: Objects::new(folder),
            _lock: lock,
        })
    }

    /// All backups, in the order in which they were taken. Fails if one is damaged.
    pub fn list(&self) -> Result<Vec<Manifest>, Error> {
        let (manifests, damaged) = self.readable()?;
        damaged.into_iter().next().map_or(Ok(manifests), Err)
    }

    /// The backups whose manifests can be read, in the order in which they were taken, and what is wrong with the others.
    pub fn readable(&self) -> Result<(Vec<Manifest>, Vec<Error>), Error> {
        manifests(&self.folder)
    }

    /// The backup of this name, or the last one, which any that is damaged may be.
    pub fn find(&self, name: Option<&str>) -> Result<Manifest, Error> {
        let Some(name) = name else {
            let last = self.list()?.pop();
            return last.ok_or_else(|| Error::NoBackups(self.folder.clone()));
        };
        // Only this one: a damaged backup beside it is no reason not to restore it.
        let is_name = !name.contains(['/', '\\']) && self.has(name);
        match is_name {
            true => read(&self.manifest_path(name)),
            false => Err(Error::NotFound(name.to_owned())),
        }
    }

    /// Keeps this many of the last backups, and removes all others with what only they need. Returns the names of those that
    /// went. If one is damaged nothing is removed, since nobody knows what it needs.
    pub fn prune(&self, keep: usize) -> Result<Vec<String>, Error> {
        let mut manifests = self.list()?;
        let kept = manifests.split_off(manifests.len().saturating_sub(keep.max(1)));
        for manifest in &manifests {
            let path = self.manifest_path(&manifest.name);
            fs::remove_file(&path).map_err(Error::file("removing", &path))?;
        }
        flush_folder(&self.folder.join(MANIFESTS))?;
        let needed: HashSet<&str> = kept
            .iter()
            .flat_map(Manifest::parts)
            .map(|part| &*part.blake3)
            .collect();
        self.remove_objects_but(&needed)?;
        Ok(manifests.into_iter().map(|manifest| manifest.name).collect())
    }

    fn remove_objects_but(&self, needed: &HashSet<&str>) -> Result<(), Error> {
        let folder = self.folder.join(objects::FOLDER);
        for entry in fs::read_dir(&folder).map_err(Error::file("listing", &folder))? {
            let inner = entry.map_err(Error::file("listing", &folder))?.path();
            if !inner.is_dir() {
                continue;
            }
            for entry in fs::read_dir(&inner).map_err(Error::file("listing", &inner))? {
                let path = entry.map_err(Error::file("listing", &inner))?.path();
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                if !needed.contains(&*name) {
                    fs::remove_file(&path).map_err(Error::file("removing", &path))?;
                }
            }
        }
        Ok(())
    }

    /// Whether a backup of this name is there.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.manifest_path(name).exists()
    }

    /// Writes a manifest, which makes a backup of it.
    pub(crate) fn save(&self, manifest: &Manifest) -> Result<(), Error> {
        let path = self.manifest_path(&manifest.name);
        let text = serde_json::to_vec_pretty(manifest).map_err(|error| Error::Source(error.to_string()))?;
        let sum = blake3::hash(&text).to_hex();
        let unfinished = path.with_extension(UNFINISHED.trim_start_matches('.'));
        write_flushed(&unfinished, &[&text[..], b"\n", sum.as_bytes(), b"\n"].concat())?;
        fs::rename(&unfinished, &path).map_err(Error::file("naming", &path))?;
        flush_folder(&self.folder.join(MANIFESTS))
    }

    fn manifest_path(&self, name: &str) -> PathBuf {
        self.folder.join(MANIFESTS).join(format!("{name}.json"))
    }
}

/// As [`Repository::readable`], while another process may take or remove backups there: only manifests are read, each of which is
/// there whole or not at all.
pub fn readable(folder: &Path) -> Result<(Vec<Manifest>, Vec<Error>), Error> {
    mark(folder)?;
    manifests(folder)
}

/// The mark of a folder of backups that can be read here.
fn mark(folder: &Path) -> Result<PathBuf, Error> {
    let path = folder.join(MARK);
    let mark = match fs::read_to_string(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(Error::NoBackups(folder.to_owned()));
        }
        mark => mark.map_err(Error::file("reading", &path))?,
    };
    if mark != FORMAT {
        return Err(Error::OtherFormat {
            folder: folder.to_owned(),
            mark,
            known: FORMAT,
        });
    }
    Ok(path)
}

fn manifests(repository: &Path) -> Result<(Vec<Manifest>, Vec<Error>), Error> {
    let folder = repository.join(MANIFESTS);
    let (mut manifests, mut damaged) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(&folder).map_err(Error::file("listing", &folder))? {
        let path = entry.map_err(Error::file("listing", &folder))?.path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        match read(&path) {
            Ok(manifest) => manifests.push(manifest),
            // Another process has removed it meanwhile.
            Err(Error::File { cause, .. }) if cause.kind() == ErrorKind::NotFound => {}
            Err(error) => damaged.push(error),
        }
    }
    manifests.sort_by(|a: &Manifest, b: &Manifest| {
        (a.number, a.began_ms, &a.name).cmp(&(b.number, b.began_ms, &b.name))
    });
    Ok((manifests, damaged))
}

/// Reads a manifest: JSON, and after it a line with the BLAKE3 of the JSON.
fn read(path: &Path) -> Result<Manifest, Error> {
    let corrupt = |what: &str| Error::Corrupt {
        path: path.to_owned(),
        what: what.to_owned(),
    };
    let text = fs::read_to_string(path).map_err(Error::file("reading", path))?;
    let parts = text.trim_end().rsplit_once('\n');
    let (json, sum) = parts.ok_or_else(|| corrupt("the manifest is cut short"))?;
    if blake3::hash(json.as_bytes()).to_hex().as_str() != sum {
        return Err(corrupt("the manifest fails its checksum"));
    }
    serde_json::from_str(json).map_err(|error| corrupt(&error.to_string()))
}

fn write_flushed(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut file = File::create(path).map_err(Error::file("making", path))?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    written.map_err(Error::file("writing", path))
}
