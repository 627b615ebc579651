//! What backups are taken from.

use crate::{Archived, Error};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// A file to be backed up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// Its path within the data folder, with slashes.
    pub path: String,
    /// The number of its bytes. The file may have grown since; what was added is not part of the backup.
    pub bytes: u64,
    /// If the bytes of a file with this path stay what they are as long as it has this identity, though more may be added
    /// after them. A backup that has them from the same file before does not read them again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
}

/// Lists files and reads them. All that is listed belongs together.
pub trait Source {
    /// The files.
    fn files(&self) -> &[SourceFile];

    /// The archive of what was changed until then, if one is kept.
    fn archived(&self) -> Option<&Archived<SourceFile>> {
        None
    }

    /// Bytes of all files.
    fn bytes(&self) -> u64 {
        let archived = self.archived().into_iter().flat_map(|archived| &archived.files);
        self.files().iter().chain(archived).map(|file| file.bytes).sum()
    }

    /// `bytes` of a file from `offset` on, never fewer.
    fn read(
        &self,
        path: &str,
        offset: u64,
        bytes: usize,
    ) -> impl Future<Output = Result<Bytes, Error>> + Send;
}

/// The files of a folder that stays as it is.
#[derive(Debug)]
pub struct FolderSource {
    folder: PathBuf,
    files: Vec<SourceFile>,
    archived: Option<Archived<SourceFile>>,
}

impl FolderSource {
    /// These files of a folder.
    pub fn new(folder: PathBuf, files: Vec<SourceFile>) -> FolderSource {
        FolderSource {
            folder,
            files,
            archived: None,
        }
    }

    /// The same source with these files of an archive, which lie in the folder too.
    pub fn with_archived(self, archived: Option<Archived<SourceFile>>) -> FolderSource {
        FolderSource { archived, ..self }
    }
}

impl Source for FolderSource {
    fn files(&self) -> &[SourceFile] {
        &self.files
    }

    fn archived(&self) -> Option<&Archived<SourceFile>> {
        self.archived.as_ref()
    }

    async fn read(&self, path: &str, offset: u64, bytes: usize) -> Result<Bytes, Error> {
        let path = self.folder.join(path);
        let read = move || {
            let mut buffer = vec![0; bytes];
            let file = File::open(&path).map_err(Error::file("opening", &path))?;
            let read = file.read_exact_at(&mut buffer, offset);
            read.map_err(Error::file("reading", &path))?;
            Ok(Bytes::from(buffer))
        };
        let read = tokio::task::spawn_blocking(read).await;
        read.unwrap_or_else(|error| Err(Error::Source(error.to_string())))
    }
}
