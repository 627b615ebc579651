//! Which backup, and which files of the archive, lead to a moment.

use crate::{Archived, Error, File, Manifest};
use jiff::Timestamp;
use std::collections::BTreeMap;

/// The last backup before a moment, in milliseconds since 1970, and the files with what was changed from it up to the
/// moment. `manifests` are all backups.
pub fn reaching(manifests: Vec<Manifest>, until_ms: u64) -> Result<(Manifest, Vec<File>), Error> {
    let archiving: Vec<(&Manifest, &Archived<File>)> = manifests
        .iter()
        .filter_map(|manifest| Some((manifest, manifest.archived.as_ref()?)))
        .collect();
    let Some((_, first)) = archiving.first() else {
        let what = "no backup was taken with --archive, so there is nothing between backups: restore one of them (--backup)";
        return Err(Error::Unreachable(what.to_owned()));
    };
    let before = archiving
        .iter()
        .filter(|(_, archived)| archived.at_ms <= until_ms);
    let Some((base, start)) = before.max_by_key(|(_, archived)| archived.at_ms) else {
        let first = shown(first.at_ms);
        return Err(Error::Unreachable(format!(
            "{} is before the first backup that was taken with --archive, of {first}",
            shown(until_ms)
        )));
    };
    let same = archiving
        .iter()
        .filter(|(_, archived)| archived.archive == start.archive);
    let later: Vec<_> = same.filter(|(_, archived)| archived.next >= start.next).collect();
    // The first backup at or after the moment has what was changed until it.
    let closing = later.iter().filter(|(_, archived)| archived.at_ms >= until_ms);
    let Some((_, end)) = closing.min_by_key(|(_, archived)| archived.next) else {
        let reached = later.iter().map(|(_, archived)| archived.at_ms).max();
        return Err(Error::Unreachable(format!(
            "the changes from the backup {} on are here until {}, and {} is later: take a backup with --archive, or restore to a \
             moment before",
            base.name,
            shown(reached.unwrap_or(start.at_ms)),
            shown(until_ms)
        )));
    };
    let files = later.iter().flat_map(|(_, archived)| &archived.files);
    let files: BTreeMap<u64, &File> = files
        .filter_map(|file| Some((number(&file.path)?, file)))
        .collect();
    let needed: Result<Vec<File>, Error> = (start.next..end.next)
        .map(|number| {
            let file = files.get(&number).map(|file| (*file).clone());
            file.ok_or_else(|| {
                Error::Unreachable(format!(
                    "the file {number} of the archive is in no backup, so changes between {} and {} are missing: restore one of the \
                     backups themselves (--backup)",
                    shown(start.at_ms),
                    shown(end.at_ms)
                ))
            })
        })
        .collect();
    Ok(((*base).clone(), needed?))
}

/// The number in the name of a file of the archive.
fn number(path: &str) -> Option<u64> {
    let name = path.rsplit('/').next()?;
    name.split_once('.')?.0.parse().ok()
}

fn shown(time_ms: u64) -> String {
    let time = i64::try_from(time_ms).ok().map(Timestamp::from_millisecond);
    time.and_then(Result::ok)
        .map_or_else(|| time_ms.to_string(), |time| format!("{time:.3}"))
}
