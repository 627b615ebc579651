//! Following the logs from one batch to the next. Each batch has its sequence number and its number of entries, so a gap
//! between two of them is found.

use super::fields::Fields;
use super::records::Records;
use crate::ShardId;
use crate::rocks::layout;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The kinds of entries in a batch.
const DELETE: u8 = 0;
const PUT: u8 = 1;
const DELETE_RANGE: u8 = 15;

/// A log file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Log {
    pub(super) number: u64,
    pub(super) path: PathBuf,
}

/// A place of a log.
#[derive(Clone, Debug)]
pub(super) struct LogPlace {
    pub(super) log: Log,
    pub(super) offset: u64,
}

/// What the logs of a folder hold.
#[derive(Debug)]
pub(super) struct Chain {
    /// The sequence number up to which nothing is missing; `None` if nothing at all is known.
    pub(super) reached: Option<u64>,
    /// Whether a batch was taken.
    is_begun: bool,
    /// The end of the part without gaps; `None` without logs.
    pub(super) end: Option<LogPlace>,
    /// The number of intact batches after that end.
    pub(super) behind: u64,
    /// The shards that these change.
    pub(super) shards: BTreeSet<ShardId>,
}

/// The logs of a folder from a number on, in order.
pub(super) fn logs(folder: &Path, first: u64) -> io::Result<Vec<Log>> {
    let mut logs = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_log = path.extension().is_some_and(|extension| extension == "log");
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        if let Some(number) = stem.and_then(|stem| stem.parse().ok())
            && is_log
            && number >= first
        {
            logs.push(Log { number, path });
        }
    }
    logs.sort();
    Ok(logs)
}

impl Chain {
    /// Follows the logs. They begin after `reached`, if that is given.
    pub(super) fn follow(logs: &[Log], reached: Option<u64>) -> io::Result<Chain> {
        let mut chain = Chain {
            reached,
            is_begun: false,
            end: logs.first().map(|log| LogPlace::new(log, 0)),
            behind: 0,
            shards: BTreeSet::new(),
        };
        let (mut batch, mut is_broken) = (Vec::new(), false);
        for log in logs {
            let mut records = Records::new(File::open(&log.path)?, Some(log.number))?;
            loop {
                if records.next(&mut batch)? {
                    is_broken = is_broken || !chain.extend(&batch);
                    if is_broken {
                        chain.behind += 1;
                        chain.shards.extend(shards(&batch));
                    } else {
                        chain.end = Some(LogPlace::new(log, records.position()));
                    }
                } else if records.seek_behind()? {
                    is_broken = true;
                } else {
                    // The end of this log, or what a crash left of a record.
                    break;
                }
            }
        }
        Ok(chain)
    }

    /// Takes a batch, unless something is missing before it.
    fn extend(&mut self, batch: &[u8]) -> bool {
        let Some((sequence, entries, _)) = split(batch) else {
            return true;
        };
        let follows = match self.reached {
            None => true,
            Some(reached) if self.is_begun => sequence == reached + 1,
            // Batches that are in tables may still be in the log.
            Some(reached) => sequence <= reached + 1,
        };
        if follows {
            self.is_begun = true;
            let last = (sequence + u64::from(entries)).saturating_sub(1);
            self.reached = self.reached.max(Some(last));
        }
        follows
    }
}

impl Log {
    /// The name of the file.
    pub(super) fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

impl LogPlace {
    fn new(log: &Log, offset: u64) -> LogPlace {
        LogPlace {
            log: log.clone(),
            offset,
        }
    }
}

/// A batch's first sequence number, the number of its entries, and these.
fn split(batch: &[u8]) -> Option<(u64, u32, &[u8])> {
    let (sequence, rest) = batch.split_first_chunk()?;
    let (count, entries) = rest.split_first_chunk()?;
    Some((u64::from_le_bytes(*sequence), u32::from_le_bytes(*count), entries))
}

/// The shards whose keys are in a batch, as far as its entries are understood.
fn shards(batch: &[u8]) -> BTreeSet<ShardId> {
    let mut shards = BTreeSet::new();
    let mut fields = Fields(split(batch).map_or(&[], |(_, _, entries)| entries));
    while let Some(entry) = entry(&mut fields) {
        shards.extend(layout::shard_of(entry));
    }
    shards
}

/// The key of the next entry of a batch.
fn entry<'a>(fields: &mut Fields<'a>) -> Option<&'a [u8]> {
    let (&kind, rest) = fields.0.split_first()?;
    fields.0 = rest;
    let key = fields.sized()?;
    match kind {
        DELETE => {}
        PUT | DELETE_RANGE => {
            fields.sized()?;
        }
        _ => return None,
    }
    Some(key)
}
