//! Taking a backup.

use crate::objects::PIECE_BYTES;
use crate::{Archived, Error, File, Manifest, Pace, Part, Progress, Repository, Source, SourceFile};
use std::collections::HashMap;

/// Files are kept in parts of this size, so that one that grows is not copied as a whole again.
const PART_BYTES: u64 = 32 << 20;

/// The backup that was taken, and what that cost.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The backup.
    pub manifest: Manifest,
    /// Bytes that were read from the source.
    pub read_bytes: u64,
    /// Bytes that were new in the repository.
    pub new_bytes: u64,
}

/// Takes a backup of all files of a source. `name` and `began_ms` are of the moment whose state the source holds.
pub async fn take(
    source: &impl Source,
    repository: &Repository,
    name: &str,
    began_ms: u64,
    pace: Pace,
    progress: Progress<'_>,
) -> Result<Taken, Error> {
    // A damaged backup is no reason to take none from now on.
    let last = repository.readable()?.0.pop();
    let known: HashMap<(&str, &str), &[Part]> = last
        .iter()
        .flat_map(|last| &last.files)
        .filter_map(|file| Some(((file.path.as_str(), file.identity.as_deref()?), &*file.parts)))
        .collect();
    let name = free_name(repository, name);
    let mut copying = Copying {
        source,
        repository,
        pace,
        progress,
        read_bytes: 0,
        new_bytes: 0,
    };
    let archived = source.archived();
    let archived_files = archived.into_iter().flat_map(|archived| &archived.files);
    let (mut files, of_folder) = (Vec::new(), source.files().len());
    for file in source.files().iter().chain(archived_files) {
        let identity = file.identity.as_deref();
        let before = identity.and_then(|identity| known.get(&(file.path.as_str(), identity)));
        let before = before.copied().unwrap_or_default();
        files.push(File {
            path: file.path.clone(),
            identity: file.identity.clone(),
            parts: copying.parts(file, before).await?,
        });
    }
    let archived_files = files.split_off(of_folder);
    let manifest = Manifest {
        name,
        number: last.as_ref().map_or(0, |last| last.number) + 1,
        began_ms,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        files,
        archived: archived.map(|archived| Archived {
            archive: archived.archive,
            next: archived.next,
            at_ms: archived.at_ms,
            files: archived_files,
        }),
    };
    repository.save(&manifest)?;
    Ok(Taken {
        manifest,
        read_bytes: copying.read_bytes,
        new_bytes: copying.new_bytes,
    })
}

/// A stretch of a file.
#[derive(Clone, Copy)]
struct Place {
    offset: u64,
    bytes: u64,
}

/// The parts of a file of this size.
fn places(bytes: u64) -> impl Iterator<Item = Place> {
    let offsets = (0..bytes).step_by(PART_BYTES as usize);
    offsets.map(move |offset| Place {
        offset,
        bytes: PART_BYTES.min(bytes - offset),
    })
}

/// Files on their way into a repository, and what that came to so far.
struct Copying<'a, S> {
    source: &'a S,
    repository: &'a Repository,
    pace: Pace,
    progress: Progress<'a>,
    read_bytes: u64,
    new_bytes: u64,
}

impl<S: Source> Copying<'_, S> {
    /// The parts of a file; those that it had before and that are there are not read again.
    async fn parts(&mut self, file: &SourceFile, before: &[Part]) -> Result<Vec<Part>, Error> {
        let mut parts: Vec<Part> = Vec::new();
        for place in places(file.bytes) {
            // A part is the same if the file had all of it.
            let same = before.get(parts.len());
            let same = same.filter(|part| part.bytes == place.bytes && self.repository.objects.has(part));
            if let Some(part) = same {
                (self.progress)(part.bytes);
                parts.push(part.clone());
                continue;
            }
            let (part, is_new) = self.copy(file, place).await?;
            self.read_bytes += part.bytes;
            self.new_bytes += if is_new { part.bytes } else { 0 };
            parts.push(part);
        }
        Ok(parts)
    }

    /// The part, and whether it is new in the repository.
    async fn copy(&mut self, file: &SourceFile, place: Place) -> Result<(Part, bool), Error> {
        let mut writer = self.repository.objects.writer()?;
        let mut done = 0;
        while done < place.bytes {
            let bytes = (place.bytes - done).min(PIECE_BYTES as u64) as usize;
            let piece = self.source.read(&file.path, place.offset + done, bytes).await?;
            writer.write(&piece)?;
            (self.progress)(bytes as u64);
            self.pace.copied(bytes).await;
            done += bytes as u64;
        }
        writer.finish()
    }
}

/// A name that no backup has.
fn free_name(repository: &Repository, name: &str) -> String {
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names
        .find(|name| !repository.has(name))
        .unwrap_or_else(|| name.to_owned())
}
