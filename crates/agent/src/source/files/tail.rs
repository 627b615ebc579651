//! One file that grows.

use super::mark::Mark;
use crate::config::Source;
use crate::processor::Processor;
use crate::source::{BYTES_MAX, Line, Lines, RECORDS_MAX};
use anyhow::Result;
use bytes::Bytes;
use logline::{Joined, Joiner};
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What is read at once.
const PIECE_BYTES: usize = 16 << 10;

/// Device and inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity(u64, u64);

impl Identity {
    /// The identity of a file.
    pub fn of(metadata: &Metadata) -> Identity {
        Identity(metadata.dev(), metadata.ino())
    }

    /// The name under which positions are kept.
    pub fn key(self) -> String {
        format!("{:x}:{:x}", self.0, self.1)
    }
}

/// One file that is read.
#[derive(Debug)]
pub struct Tail {
    /// The file itself, whatever its name.
    pub identity: Identity,
    /// Its present name.
    pub path: PathBuf,
    /// When its path became another file's, or nobody's.
    pub gone: Option<Instant>,
    /// When it last grew.
    pub grown: Instant,
    file: File,
    /// How far the file was given, which is its position once that is kept.
    pub mark: Mark,
    /// How far the file was read; some of that may wait for more lines.
    pub read: Mark,
    lines: Lines,
    line_max: usize,
    joiner: Option<Joiner<(u64, bool)>>,
    joined: Instant,
    join_wait: Duration,
}

/// What a file gave.
#[derive(Debug, Default)]
pub struct TailBatch {
    /// Records.
    pub records: Vec<Bytes>,
    /// Whether the position moved.
    pub is_moved: bool,
    /// Whether there may be more at once.
    pub has_more: bool,
}

impl Tail {
    /// Reads a file from a position.
    pub fn new(file: File, path: &Path, offset: u64, source: &Source) -> Result<Tail> {
        let mark = Mark::of(&file, path, offset)?;
        let line_max = source.line_max.0 as usize;
        Ok(Tail {
            identity: Identity::of(&file.metadata()?),
            path: path.to_owned(),
            gone: None,
            grown: Instant::now(),
            file,
            read: mark.clone(),
            mark,
            lines: Lines::new(line_max, offset),
            line_max,
            joiner: source.rule()?.map(Joiner::new),
            joined: Instant::now(),
            join_wait: source
                .multiline
                .as_ref()
                .map_or(Duration::ZERO, |multiline| multiline.wait.0),
        })
    }

    /// Whether the file no longer holds what was read of it, because it was cut short or written anew.
    pub fn is_replaced(&self) -> io::Result<bool> {
        let size = self.file.metadata()?.len();
        Ok(
            size < self.lines.offset()
                || (size > self.lines.offset() && !self.read.matches(&self.file, size)),
        )
    }

    /// Whether the file holds what was read of it.
    pub fn is_intact(&self) -> bool {
        self.holds(&self.read)
    }

    /// Whether this file is a copy of what was read of another one.
    pub fn is_copy_of(&self, other: &Tail) -> bool {
        self.holds(&other.read) && other.read.tells(&self.path)
    }

    fn holds(&self, mark: &Mark) -> bool {
        self.file
            .metadata()
            .is_ok_and(|metadata| mark.matches(&self.file, metadata.len()))
    }

    /// Begins anew with a file that was replaced.
    pub fn begin_anew(&mut self) -> io::Result<()> {
        self.mark = Mark::of(&self.file, &self.path, 0)?;
        self.read = self.mark.clone();
        self.lines = Lines::new(self.line_max, 0);
        Ok(())
    }

    /// Reads on, as far as one batch goes.
    pub fn read(&mut self, processor: &Processor) -> io::Result<TailBatch> {
        let mut gave = TailBatch::default();
        let mut bytes = 0;
        let mut reached = self.mark.offset;
        let mut piece = vec![0; PIECE_BYTES];
        while gave.records.len() < RECORDS_MAX && bytes < BYTES_MAX {
            let read = match self.file.read_at(&mut piece, self.lines.offset()) {
                // What was read before is given first; the fault is met again.
                Err(_) if reached != self.mark.offset => return self.gave(gave, reached),
                read => read?,
            };
            if read == 0 {
                return self.gave(gave, reached);
            }
            self.grown = Instant::now();
            for line in self.lines.take(&piece[..read]) {
                if let Some((text, is_cut, end)) = self.joined(line) {
                    reached = end;
                    let record = (!text.is_empty())
                        .then(|| processor.text(&text, is_cut))
                        .flatten();
                    bytes += record.as_ref().map_or(0, Bytes::len);
                    gave.records.extend(record);
                }
            }
        }
        gave.has_more = true;
        self.gave(gave, reached)
    }

    /// The message that a line completes: the line itself if lines are not joined.
    fn joined(&mut self, line: Line) -> Option<(String, bool, u64)> {
        let Some(joiner) = &mut self.joiner else {
            return Some((line.text, line.is_cut, line.end));
        };
        self.joined = Instant::now();
        joiner.push(line.text, (line.end, line.is_cut)).map(apart)
    }

    /// The message that waits for more lines, if it has waited long enough or the file has ended.
    pub fn rest(&mut self, processor: &Processor, is_end: bool) -> io::Result<TailBatch> {
        let mut gave = TailBatch::default();
        let last = is_end.then(|| self.lines.rest()).flatten();
        if let Some((text, is_cut, end)) = last.and_then(|line| self.joined(line)) {
            gave.records.extend(processor.text(&text, is_cut));
            gave = self.gave(gave, end)?;
        }
        if is_end || self.joined.elapsed() >= self.join_wait {
            let pending = self.pending(processor)?;
            gave.records.extend(pending.records);
            gave.is_moved |= pending.is_moved;
        }
        Ok(gave)
    }

    /// What waits for more lines.
    pub fn pending(&mut self, processor: &Processor) -> io::Result<TailBatch> {
        let mut gave = TailBatch::default();
        match self.joiner.as_mut().and_then(Joiner::flush).map(apart) {
            None => Ok(gave),
            Some((text, is_cut, end)) => {
                gave.records.extend(processor.text(&text, is_cut));
                self.gave(gave, end)
            }
        }
    }

    /// All that waits, including a line without an end, when the file does not hold it any more.
    pub fn last(&mut self, processor: &Processor) -> Vec<Bytes> {
        let line = self.lines.rest();
        let joined = line.and_then(|line| self.joined(line));
        let pending = self.joiner.as_mut().and_then(Joiner::flush).map(apart);
        let texts = joined.into_iter().chain(pending);
        texts
            .filter_map(|(text, is_cut, _)| processor.text(&text, is_cut))
            .collect()
    }

    /// Reads again what was read and could not be given.
    fn go_back(&mut self) {
        self.lines = Lines::new(self.line_max, self.mark.offset);
        self.read = self.mark.clone();
        drop(self.joiner.as_mut().and_then(Joiner::flush));
    }

    /// Brings [`Tail::read`] up to date. A file that was cut short just now is known by less of what it held.
    fn know_what_was_read(&mut self) {
        let offset = self.lines.offset();
        if offset == self.read.offset {
            return;
        }
        if offset == self.mark.offset {
            self.read.clone_from(&self.mark);
        } else if let Ok(read) = Mark::of(&self.file, &self.path, offset) {
            self.read = read;
        }
    }

    fn gave(&mut self, mut gave: TailBatch, reached: u64) -> io::Result<TailBatch> {
        if reached != self.mark.offset {
            let mark = Mark::of(&self.file, &self.path, reached);
            self.mark = mark.inspect_err(|_| self.go_back())?;
            gave.is_moved = true;
        }
        self.know_what_was_read();
        Ok(gave)
    }
}

fn apart(joined: Joined<(u64, bool)>) -> (String, bool, u64) {
    (joined.text, joined.tag.1, joined.tag.0)
}
