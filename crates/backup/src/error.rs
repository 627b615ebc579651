//! What can go wrong.

use std::io;
use std::path::{Path, PathBuf};

/// A backup could not be taken, read or restored.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read or written.
    #[error("{doing} {path}: {cause}")]
    File {
        /// What was being done.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        cause: io::Error,
    },
    /// The folder holds something else.
    #[error(
        "{0} is not empty and holds no backups of Larder: name an empty folder, or one that does not exist"
    )]
    Foreign(PathBuf),
    /// There are no backups.
    #[error("{0} holds no backups")]
    NoBackups(PathBuf),
    /// No backup of this name.
    #[error("there is no backup {0}; --list shows those that there are")]
    NotFound(String),
    /// What was kept does not lead to the moment that was asked for.
    #[error("{0}")]
    Unreachable(String),
    /// The repository is of a version that is not known here.
    #[error("{folder} says {mark:?}, and this version reads {known:?}: use a newer version")]
    OtherFormat {
        /// The repository.
        folder: PathBuf,
        /// What its mark says.
        mark: String,
        /// What is read here.
        known: &'static str,
    },
    /// The folder to restore into holds something.
    #[error("{0} is not empty: name an empty folder, or one that does not exist")]
    NotEmpty(PathBuf),
    /// What is kept is not what was written.
    #[error("{path}: {what}")]
    Corrupt {
        /// The file that is damaged.
        path: PathBuf,
        /// How.
        what: String,
    },
    /// The source failed.
    #[error("{0}")]
    Source(String),
}

impl Error {
    pub(crate) fn file<'a>(doing: &'static str, path: &'a Path) -> impl Fn(io::Error) -> Error + 'a {
        move |cause| Error::File {
            doing,
            path: path.to_owned(),
            cause,
        }
    }
}
