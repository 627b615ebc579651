//! What a backup is made of.

use serde::{Deserialize, Serialize};

/// One backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Its name: the time at which it began, in UTC, as `20260131T235959Z`, with a number after it if that name is taken.
    pub name: String,
    /// Its place among the backups of its repository, since clocks may go back. Backups of earlier versions have none, and come before
    /// all others in the order in which they began.
    #[serde(default)]
    pub number: u64,
    /// When it began, in milliseconds since 1970.
    pub began_ms: u64,
    /// The version of the program that took it.
    pub version: String,
    /// The files of the data folder.
    pub files: Vec<File>,
    /// What was archived until then, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived: Option<Archived<File>>,
}

/// The archive of changes of a data folder, as far as a backup of it has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Archived<F> {
    /// The number of the archive: files of two do not go together.
    pub archive: u64,
    /// The number of the file whose changes come after the state of the backup.
    pub next: u64,
    /// The moment of the backup, by the clock of the archive: in milliseconds since 1970.
    pub at_ms: u64,
    /// Files before that one. What earlier backups have may be missing.
    pub files: Vec<F>,
}

/// A file of a data folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// Its path within the data folder, with slashes.
    pub path: String,
    /// What it is known by in its source, if its bytes never change: see [`crate::SourceFile`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
    /// Its bytes, one part after the other.
    pub parts: Vec<Part>,
}

/// A part of a file: an object of the repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// BLAKE3 of the bytes, in hexadecimal digits.
    pub blake3: String,
    /// The number of these bytes.
    pub bytes: u64,
}

impl Manifest {
    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.parts().map(|part| part.bytes).sum()
    }

    /// All parts.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        let archived = self.archived.iter().flat_map(|archived| &archived.files);
        self.files.iter().chain(archived).flat_map(|file| &file.parts)
    }
}

impl File {
    /// Bytes of the file.
    pub fn bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.bytes).sum()
    }
}
