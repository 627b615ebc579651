//! Reports of damage.

use crate::ShardId;
use std::fmt;

/// The acknowledged commits that are missing in the log of a data folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogDamage {
    /// The data folder.
    pub folder: String,
    /// The log file in which the intact part ends; `None` if there is no log.
    pub file: Option<String>,
    /// The end of the intact part in that file.
    pub offset: u64,
    /// The number of acknowledged entries (documents, index entries, entries of change logs) that are missing; 0 if it is not
    /// known.
    pub entries_missing: u64,
    /// The number of intact commits after that place. They cannot be used without what is missing before them.
    pub commits_behind: u64,
    /// The shards that these commits change.
    pub shards_behind: Vec<ShardId>,
}

impl fmt::Display for LogDamage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let folder = &self.folder;
        match &self.file {
            Some(file) => write!(
                formatter,
                "the log of the data folder {folder} is damaged, or a part of it is missing, at byte {} of {file}",
                self.offset
            )?,
            None => write!(formatter, "the log of the data folder {folder} is missing")?,
        }
        match self.entries_missing {
            0 => write!(
                formatter,
                "; what was acknowledged behind that place would be lost"
            )?,
            entries => write!(
                formatter,
                "; {entries} entries (documents, indexes, change logs) that were acknowledged would be lost"
            )?,
        }
        if self.commits_behind > 0 {
            let (commits, shards) = (self.commits_behind, self.shards_behind.len());
            write!(
                formatter,
                "; {commits} whole commits to {shards} collections are still to be seen behind it"
            )?;
        }
        write!(
            formatter,
            ". Put the files back as they were, or restore a backup; to go on without what is missing: \
             larder repair --cut-log --data {folder}"
        )
    }
}
