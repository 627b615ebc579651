//! Making the changes of an archive again, up to a moment, in a folder that was restored from a backup.
//!
//! The files are in the folder `_replay`; as long as that exists, the data folder cannot be opened. They are read twice. The
//! first pass finds what was undone and, by the heads with which the next process began, which records at the end of
//! a process did not survive it. The second makes the changes, each against the head that it expects, so that gaps are found.

use super::file::{self, Records};
use super::record::{Heads, Record};
use crate::rocks::Engine;
use crate::rocks::blocking::blocking;
use crate::{Batch, CommitError, Durability, Error, Replayed, ShardId};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The folder within the data folder.
const FOLDER: &str = "_replay";

/// A place in the files.
type Place = (u64, u64);

/// A file that is to be replayed.
#[derive(Debug)]
struct Input {
    number: u64,
    path: PathBuf,
    /// The beginning of the process after the one that wrote this file; `None` if that was the last.
    ended_with: Option<usize>,
}

/// All files, and what the first pass found in them.
#[derive(Debug, Default)]
struct Inputs {
    files: Vec<Input>,
    /// The heads with which each process began, in order.
    beginnings: Vec<Heads>,
    undone: HashSet<Place>,
    /// The last record of a shard that survived a process, by the number of the process after it.
    last: HashMap<(usize, ShardId), Place>,
}

/// Whether a folder waits for a replay, or one was cut off.
pub(crate) fn waits_for_replay(data: &Path) -> bool {
    data.join(FOLDER).exists()
}

/// Makes all changes that were made up to this time, in milliseconds since 1970, and removes the files.
pub(crate) async fn replay(engine: &Engine, data: &Path, until_ms: u64) -> Result<Replayed, Error> {
    let folder = data.join(FOLDER);
    let inputs = {
        let folder = folder.clone();
        blocking(move || Inputs::look(&folder)).await??
    };
    let mut replayed = Replayed::default();
    for (at, input) in inputs.files.iter().enumerate() {
        // The heads of the next process, if this is the last file of its process.
        let next = inputs.files.get(at + 1);
        let is_last = next.is_none_or(|next| next.ended_with != input.ended_with);
        let found = input
            .ended_with
            .filter(|_| is_last)
            .map(|at| &inputs.beginnings[at]);
        let is_over = replay_file(engine, &inputs, input, until_ms, &mut replayed, found.is_some()).await?;
        if is_over {
            break;
        }
        if let Some(found) = found {
            check_heads(engine, found, input)?;
        }
    }
    engine.flush().await?;
    fs::remove_dir_all(&folder).map_err(failed)?;
    fs::File::open(data)
        .and_then(|data| data.sync_all())
        .map_err(failed)?;
    Ok(replayed)
}

/// Makes the changes of a file. Returns true when one is later than the wanted time. `may_be_cut` allows the last record to be
/// incomplete, because the file's process may have been killed.
async fn replay_file(
    engine: &Engine,
    inputs: &Inputs,
    input: &Input,
    until_ms: u64,
    replayed: &mut Replayed,
    may_be_cut: bool,
) -> Result<bool, Error> {
    let Some((_, mut records)) = Records::open(&input.path).map_err(failed)? else {
        return match may_be_cut {
            true => Ok(false),
            false => Err(damaged(input, 0)),
        };
    };
    while let Some((offset, record)) = records.next().map_err(failed)? {
        let Some(time_ms) = record.time_ms() else { continue };
        if time_ms > until_ms {
            return Ok(true);
        }
        if !inputs.was_made(engine, input, offset, &record)? {
            continue;
        }
        match record {
            Record::Drop { shard, .. } => engine.drop_shard(shard).await?,
            Record::Commit {
                shard,
                expected,
                head,
                entries,
                ..
            } => {
                let mut batch = Batch::new();
                for (key, value) in &entries {
                    match value {
                        Some(value) => batch.put(key, value),
                        None => batch.delete(key),
                    }
                }
                let made = engine
                    .commit(shard, expected, head, batch, Durability::Soon)
                    .await;
                made.map_err(|error| match error {
                    CommitError::HeadMoved(head) => gap(input, Some(offset), shard, head.sequence, expected),
                    CommitError::Engine(error) => error,
                })?;
            }
            Record::Undone { .. } | Record::End { .. } => continue,
        }
        replayed.changes += 1;
        replayed.last_ms = time_ms;
    }
    match may_be_cut || records.is_at_end() {
        true => Ok(false),
        false => Err(damaged(input, records.offset)),
    }
}

fn damaged(input: &Input, offset: u64) -> Error {
    incomplete(format!(
        "the file {} is damaged at offset {offset}",
        file::name_of(input.number)
    ))
}

/// Checks that all shards are, after the files of a process, as the next process found them.
fn check_heads(engine: &Engine, heads: &Heads, input: &Input) -> Result<(), Error> {
    for (shard, found) in heads {
        let reached = engine.head(*shard)?.sequence;
        if reached != *found {
            return Err(gap(input, None, *shard, reached, *found));
        }
    }
    Ok(())
}

/// The error that changes of a shard are missing before a record of a file, or after the whole file.
fn gap(input: &Input, before: Option<u64>, shard: ShardId, reached: u64, next: u64) -> Error {
    let place = match before {
        None => "after".to_owned(),
        Some(offset) => format!("before offset {offset} of"),
    };
    incomplete(format!(
        "changes are missing {place} the file {}: shard {} is at its change {reached} and goes on from {next}",
        file::name_of(input.number),
        shard.0
    ))
}

fn incomplete(cause: String) -> Error {
    Error::Engine {
        doing: "the archive of changes has a gap, restore to a moment before it or to that of a later backup",
        cause,
    }
}

fn failed(error: io::Error) -> Error {
    Error::Engine {
        doing: "replaying the archive of changes",
        cause: error.to_string(),
    }
}

impl Inputs {
    fn look(folder: &Path) -> Result<Inputs, Error> {
        let mut inputs = Inputs::default();
        for (number, path) in file::list(folder).map_err(failed)? {
            let before = inputs.files.last().map(|before| before.number);
            if before.is_some_and(|before| before + 1 != number) {
                return Err(incomplete(format!(
                    "the file before {} is missing",
                    file::name_of(number)
                )));
            }
            if let Some((begin, _)) = Records::open(&path).map_err(failed)?
                && let Some(heads) = begin.heads
            {
                let ended_with = inputs.beginnings.len();
                inputs.beginnings.push(heads);
                let open = inputs
                    .files
                    .iter_mut()
                    .rev()
                    .take_while(|file| file.ended_with.is_none());
                open.for_each(|file| file.ended_with = Some(ended_with));
            }
            inputs.files.push(Input {
                number,
                path,
                ended_with: None,
            });
        }
        for at in 0..inputs.files.len() {
            inputs.look_at(at).map_err(failed)?;
        }
        Ok(inputs)
    }

    fn look_at(&mut self, at: usize) -> io::Result<()> {
        let Input {
            number,
            path,
            ended_with,
        } = &self.files[at];
        let Some((_, mut records)) = Records::open(path)? else {
            return Ok(());
        };
        while let Some((offset, record)) = records.next()? {
            if let Record::Undone { file, offset } = record {
                self.undone.insert((file, offset));
            }
            if let (Some(ended_with), Some((shard, sequence))) = (ended_with, record.result()) {
                let found = self.beginnings[*ended_with].get(&shard).copied().unwrap_or(0);
                if found == sequence {
                    self.last.insert((*ended_with, shard), (*number, offset));
                }
            }
        }
        Ok(())
    }

    /// Whether a recorded change was made, and survived its process.
    fn was_made(&self, engine: &Engine, input: &Input, offset: u64, record: &Record) -> Result<bool, Error> {
        let place = (input.number, offset);
        if self.undone.contains(&place) {
            return Ok(false);
        }
        let (Some(ended_with), Some((shard, sequence))) = (input.ended_with, record.result()) else {
            return Ok(true);
        };
        if let Some(last) = self.last.get(&(ended_with, shard)) {
            return Ok(place <= *last);
        }
        // No record leads to the head that the next process found: either none of them survived, or the archive ended before the
        // process did. In that case the gap is found later.
        let found = self.beginnings[ended_with].get(&shard).copied().unwrap_or(0);
        Ok(sequence < found && engine.head(shard)?.sequence != found)
    }
}
