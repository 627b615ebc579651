//! Lines of files that are found by patterns, followed through renames, and read from the start again if they are cut short.
//!
//! A file is known by device and inode, and by checksums of what was read ([`mark`]). A new file that begins with what was read of
//! another one is a copy of it (as `copytruncate` makes), and is read from there on.

mod mark;
mod tail;

use super::Intake;
use crate::config::{Files, Source, Start};
use crate::spool::Positions;
use anyhow::Result;
use mark::Mark;
use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tail::{Identity, Tail, TailBatch};

/// How long a file is read after it was removed, or renamed beyond the patterns: programs write to it until they open the new
/// one.
const GONE_TIME_MAX: Duration = Duration::from_secs(30);
/// How many batches of one file are read before the next one has its turn.
const TURNS_MAX: usize = 16;
/// The most files that are read at once; further ones are logged.
const FILES_MAX: usize = 512;
/// The position that says that a source was started before, which is none of a file.
const BEGUN: &str = "begun";

/// Endings of files that hold no lines.
const PACKED: [&str; 5] = ["gz", "xz", "bz2", "zst", "zip"];

/// Reads files until it is time to end.
pub async fn run(
    intake: Intake,
    source: &Source,
    files: &Files,
    positions: BTreeMap<String, String>,
) -> Result<()> {
    let is_first = positions.is_empty();
    let known = positions
        .into_iter()
        .filter_map(|(key, mark)| Some((key, serde_json::from_str(&mark).ok()?)));
    let mut folder = Watched {
        intake,
        source,
        files,
        known: known.collect(),
        tails: Vec::new(),
        doubted: HashSet::new(),
        said: HashSet::new(),
    };
    folder.find_renamed();
    let start = match is_first {
        true => files.start,
        // A file that appeared while the agent was down is new.
        false => Start::Beginning,
    };
    folder.scan(start).await?;
    if start == Start::End {
        // Files that were empty then have no position, and what comes into them is new to the next start all the same.
        let begun = Positions::from([(BEGUN.to_owned(), Some(String::new()))]);
        folder.intake.give(Vec::new(), begun).await;
    }
    let mut scanned = Instant::now();
    loop {
        if scanned.elapsed() >= files.scan.0 {
            folder.scan(Start::Beginning).await?;
            scanned = Instant::now();
        }
        if !folder.round().await? {
            return Ok(());
        }
        if folder.intake.is_once {
            return folder.end().await;
        }
        if !folder.intake.pause(files.poll.0).await {
            return Ok(());
        }
    }
}

/// The files of one source.
struct Watched<'a> {
    intake: Intake,
    source: &'a Source,
    files: &'a Files,
    /// Positions of an earlier start whose files were not seen yet.
    known: BTreeMap<String, Mark>,
    tails: Vec<Tail>,
    /// Files that may be copies of one that is read: looked at again.
    doubted: HashSet<String>,
    /// Files of which something was logged already.
    said: HashSet<PathBuf>,
}

/// The paths that the patterns find.
pub fn found(files: &Files) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for pattern in &files.paths {
        let Ok(paths) = glob::glob(pattern) else { continue };
        found.extend(
            paths
                .filter_map(Result::ok)
                .filter(|path| path.is_file() && !is_packed(path)),
        );
    }
    found.sort();
    found.dedup();
    found
}

fn is_packed(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| PACKED.iter().any(|packed| ending == *packed))
}

impl Watched<'_> {
    /// Takes up files of an earlier start that were renamed beyond the patterns meanwhile, and forgets those that are gone.
    fn find_renamed(&mut self) {
        let found: HashSet<String> = found(self.files)
            .iter()
            .filter_map(|path| Some(Identity::of(&path.metadata().ok()?).key()))
            .collect();
        let missing: Vec<(String, Mark)> = self
            .known
            .iter()
            .filter(|(key, _)| !found.contains(*key))
            .map(|(key, mark)| (key.clone(), mark.clone()))
            .collect();
        for (key, mark) in missing {
            let Some(entries) = mark.path.parent().and_then(|folder| folder.read_dir().ok()) else {
                continue;
            };
            let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
            let is_it = |path: &PathBuf| {
                path.metadata()
                    .is_ok_and(|metadata| Identity::of(&metadata).key() == key)
            };
            if let Some(path) = paths.into_iter().find(is_it)
                && let Err(error) = self.open(&path, Start::Beginning)
            {
                self.say(&path, &error.to_string());
            }
        }
    }

    /// Looks up the patterns: new files are opened, and read from `start`; renamed ones get their path.
    async fn scan(&mut self, start: Start) -> Result<()> {
        let found = found(self.files);
        let mut seen = HashSet::new();
        let before = self.tails.len();
        for path in &found {
            let Ok(metadata) = path.metadata() else { continue };
            let identity = Identity::of(&metadata);
            seen.insert(identity.key());
            if let Some(tail) = self.tails.iter_mut().find(|tail| tail.identity == identity) {
                tail.path.clone_from(path);
                tail.gone = None;
            } else if self.tails.len() >= FILES_MAX {
                self.say(path, "too many files are read already");
            } else if let Err(error) = self.open(path, start) {
                self.say(path, &format!("cannot be read: {error:#}"));
            }
        }
        for tail in &mut self.tails {
            if !seen.contains(&tail.identity.key()) && tail.gone.is_none() {
                tail.gone = Some(Instant::now());
            }
        }
        // A position that was not reached by reading is kept at once: later nobody would know where it came from.
        for at in before..self.tails.len() {
            if self.tails[at].mark.offset > 0 {
                self.give(
                    at,
                    TailBatch {
                        is_moved: true,
                        ..TailBatch::default()
                    },
                )
                .await;
            }
        }
        Ok(())
    }

    /// Begins to read a file: where an earlier start or the file that it is a copy of was read to, or else at `start`.
    fn open(&mut self, path: &Path, start: Start) -> Result<()> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        let key = Identity::of(&metadata).key();
        // A mark that does not match is that of what the file held before, which a copy may hold still.
        let own = self
            .known
            .get(&key)
            .filter(|mark| mark.matches(&file, metadata.len()));
        let own = own.map(|mark| mark.offset);
        let offset = match own {
            Some(offset) => offset,
            None if start == Start::End => metadata.len(),
            None => match self.original(&key, &file, path, metadata.len()) {
                Original::None => 0,
                Original::At(offset) => offset,
                Original::Later => return Ok(()),
            },
        };
        tracing::info!(source = self.intake.name, path = %path.display(), offset, "a file is read");
        if own.is_some() {
            self.known.remove(&key);
        }
        self.tails.push(Tail::new(file, path, offset, self.source)?);
        Ok(())
    }

    /// Where a new file is read from, if it is a copy of one that was read.
    fn original(&mut self, key: &str, file: &File, path: &Path, size: u64) -> Original {
        let of_known = self
            .known
            .values()
            .filter(|mark| mark.is_telling() && mark.matches(file, size));
        let of_known = of_known.map(|mark| mark.offset).max();
        // A file of few bytes is taken for a copy by its name only once the first file holds them no more: until then, both may have
        // begun alike.
        let is_copied = |tail: &&Tail| {
            (tail.read.is_telling() || (tail.read.tells(path) && !tail.is_intact()))
                && tail.read.matches(file, size)
        };
        let copied = self.tails.iter().filter(is_copied);
        let copied = copied.max_by_key(|tail| tail.read.offset);
        match (copied, of_known) {
            // As long as the first one holds all that the copy does, it is not known which of both goes on.
            (Some(tail), _) if tail.is_intact() && self.doubted.insert(key.to_owned()) => Original::Later,
            // A message that waits for more lines there is read again here.
            (Some(tail), offset) => Original::At(tail.mark.offset.max(offset.unwrap_or(0))),
            (None, Some(offset)) => Original::At(offset),
            (None, None) => Original::None,
        }
    }

    /// Reads each file as far as it goes. Returns false when it is time to end.
    async fn round(&mut self) -> Result<bool> {
        let mut at = 0;
        while at < self.tails.len() {
            match self.turn(at).await {
                Ok(Turn::Ended) => return Ok(false),
                Ok(Turn::Done) => at += 1,
                Ok(Turn::Gone) => drop(self.tails.remove(at)),
                Err(error) => {
                    let path = self.tails[at].path.clone();
                    self.say(&path, &format!("cannot be read: {error}"));
                    at += 1;
                }
            }
        }
        Ok(true)
    }

    async fn turn(&mut self, at: usize) -> Result<Turn> {
        if self.tails[at].is_replaced()? {
            // A copy may hold what this file held: it has to be found before that is forgotten.
            self.scan(Start::Beginning).await?;
            let is_copied = self.is_copied(at);
            let last = self.tails[at].last(&self.intake.processor);
            tracing::info!(source = self.intake.name, path = %self.tails[at].path.display(), "a file begins anew");
            self.tails[at].begin_anew()?;
            let moved = TailBatch {
                // The lines that wait are in a copy as well, and are read there.
                records: if is_copied { Vec::new() } else { last },
                is_moved: true,
                ..TailBatch::default()
            };
            if !self.give(at, moved).await {
                return Ok(Turn::Ended);
            }
        }
        for turn in 0.. {
            let gave = self.tails[at].read(&self.intake.processor)?;
            let has_more = gave.has_more;
            if !self.give(at, gave).await {
                return Ok(Turn::Ended);
            }
            if !has_more || (turn >= TURNS_MAX && !self.intake.is_once) {
                break;
            }
        }
        let tail = &mut self.tails[at];
        let is_gone = tail.gone.is_some_and(|gone| gone.elapsed() > GONE_TIME_MAX)
            && tail.grown.elapsed() > GONE_TIME_MAX;
        let rest = tail.rest(&self.intake.processor, is_gone)?;
        if !self.give(at, rest).await {
            return Ok(Turn::Ended);
        }
        if !is_gone {
            return Ok(Turn::Done);
        }
        let forgotten = Positions::from([(self.tails[at].identity.key(), None)]);
        match self.intake.give(Vec::new(), forgotten).await {
            true => Ok(Turn::Gone),
            false => Ok(Turn::Ended),
        }
    }

    /// Whether another file that is read goes on from where this one was read to.
    fn is_copied(&self, at: usize) -> bool {
        let copied = &self.tails[at];
        let is_copy = |(other, tail): (usize, &Tail)| other != at && tail.is_copy_of(copied);
        self.tails.iter().enumerate().any(is_copy)
    }

    /// Gives the messages that wait for more lines, since nobody will wait any more. A line without an end stays for the next time.
    async fn end(&mut self) -> Result<()> {
        for at in 0..self.tails.len() {
            let gave = self.tails[at].pending(&self.intake.processor)?;
            self.give(at, gave).await;
        }
        Ok(())
    }

    async fn give(&mut self, at: usize, gave: TailBatch) -> bool {
        if !gave.is_moved {
            return true;
        }
        let tail = &self.tails[at];
        let mark = serde_json::to_string(&tail.mark).ok();
        let positions = Positions::from([(tail.identity.key(), mark)]);
        self.intake.give(gave.records, positions).await
    }

    fn say(&mut self, path: &Path, what: &str) {
        if self.said.insert(path.to_owned()) {
            tracing::warn!(source = self.intake.name, path = %path.display(), "{what}");
        }
    }
}

/// Where a new file is read from.
enum Original {
    /// It is no copy.
    None,
    /// It is a copy, read up to this offset.
    At(u64),
    /// It is not known yet.
    Later,
}

/// How a file's turn ended.
enum Turn {
    /// All was read.
    Done,
    /// The file is done with.
    Gone,
    /// It is time to end.
    Ended,
}
