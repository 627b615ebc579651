//! How far a file was read, and how it is known again.

use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Bytes at the beginning, and before the position, that a file is known by.
const KNOWN_BYTES: u64 = 256;
/// With fewer bytes than this, another file could begin alike by chance.
const TELLING_BYTES: u64 = 16;

/// A position in a file, and checksums of bytes before it: by now the inode may be another file's, or its content may have changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Where the file was.
    pub path: PathBuf,
    /// How far it was read.
    pub offset: u64,
    head: u32,
    tail: u32,
}

impl Mark {
    /// The mark of a file that was read to `offset`.
    pub fn of(file: &File, path: &Path, offset: u64) -> io::Result<Mark> {
        let (head, tail) = checksums(file, offset)?;
        Ok(Mark {
            path: path.to_owned(),
            offset,
            head,
            tail,
        })
    }

    /// Whether what was read is still what the file begins with.
    pub fn matches(&self, file: &File, size: u64) -> bool {
        size >= self.offset && checksums(file, self.offset).is_ok_and(|found| found == (self.head, self.tail))
    }

    /// Whether a file that matches is surely the same, or a copy.
    pub fn is_telling(&self) -> bool {
        self.offset >= TELLING_BYTES
    }

    /// Whether a file at `path` that matches is a copy. One of few bytes is taken for a copy if its name is one that rotation
    /// gives.
    pub fn tells(&self, path: &Path) -> bool {
        self.is_telling() || (self.offset > 0 && is_rotated_name(&self.path, path))
    }
}

/// Whether a file is named after another one by digits: `a.log.1`, `a.log-20260101`, `a-20260101.log` after `a.log`.
fn is_rotated_name(path: &Path, rotated: &Path) -> bool {
    let text = |part: Option<&OsStr>| part.and_then(OsStr::to_str).unwrap_or_default().to_owned();
    let (name, stem, ending) = (
        text(path.file_name()),
        text(path.file_stem()),
        text(path.extension()),
    );
    let found = text(rotated.file_name());
    let added = found.strip_prefix(&name).or_else(|| {
        let found = found.strip_prefix(&stem)?.strip_suffix(&ending)?;
        found.strip_suffix('.')
    });
    let is_number = |added: &str| {
        added.contains(|letter: char| letter.is_ascii_digit())
            && added
                .chars()
                .all(|letter| letter.is_ascii_digit() || "-._".contains(letter))
    };
    path.parent() == rotated.parent() && added.is_some_and(is_number)
}

fn checksums(file: &File, offset: u64) -> io::Result<(u32, u32)> {
    let mut bytes = [0; KNOWN_BYTES as usize];
    let known = &mut bytes[..offset.min(KNOWN_BYTES) as usize];
    file.read_exact_at(known, 0)?;
    let head = crc32c::crc32c(known);
    file.read_exact_at(known, offset - known.len() as u64)?;
    Ok((head, crc32c::crc32c(known)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotated_names_have_digits_after_the_name() {
        let is_rotated = |name: &str| is_rotated_name(Path::new("/var/a.log"), &Path::new("/var").join(name));
        for name in ["a.log.1", "a.log-20260101", "a-20260101.log", "a.1.log"] {
            assert!(is_rotated(name), "{name}");
        }
        for name in [
            "a.log",
            "a.log.old",
            "a-error.log",
            "b.log.1",
            "a.log.",
            "../a.log.1",
        ] {
            assert!(!is_rotated(name), "{name}");
        }
    }
}
