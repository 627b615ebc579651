//! What a backup is made of.

use serde::{Deserialize, Serialize};

/// One backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Its name: the time at which it began, in UTC, as `20260131T235959Z`, with a number after it where that is taken.
    pub name: String,
    /// When it began, in milliseconds since 1970.
    pub began_ms: u64,
    /// The version of the program that took it.
    pub version: String,
    /// The files of the data folder.
    pub files: Vec<File>,
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
    /// How many these are.
    pub bytes: u64,
}

impl Manifest {
    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(File::bytes).sum()
    }

    /// All parts.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        self.files.iter().flat_map(|file| &file.parts)
    }
}

impl File {
    /// Bytes of the file.
    pub fn bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.bytes).sum()
    }
}
