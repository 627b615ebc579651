//! Messages out of bytes that somebody writes: a pipe, a connection, a device.

use super::collected::Collected;
use super::syslog::Framed;
use super::{Intake, Line, Lines};
use crate::config::Source;
use crate::processor::Processor;
use anyhow::Result;
use bytes::Bytes;
use logline::Joiner;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::{Instant, sleep_until};

const PIECE_BYTES: usize = 16 << 10;

/// How messages are told from each other.
#[derive(Debug)]
pub enum Splitter {
    /// By line feeds.
    Lines(Lines),
    /// As syslog frames them on connections.
    Framed(Framed),
}

/// What a line becomes: a record, if it is to be kept, and where its source is after it.
pub struct LineRecord {
    /// The record.
    pub record: Option<Bytes>,
    /// The position.
    pub position: Option<String>,
}

/// Messages out of bytes.
pub struct Stream {
    splitter: Splitter,
    joiner: Option<Joiner<bool>>,
    join_wait: Duration,
    joined: Instant,
    make: fn(&Processor, &Line) -> LineRecord,
    collected: Collected,
    /// The last position that was given.
    reached: Option<String>,
}

/// How a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The writer has ended.
    Closed,
    /// It is time to end.
    Stopped,
}

/// The key of a stream's position.
pub const POSITION: &str = "position";

impl Stream {
    /// Lines of a source, by its format.
    pub fn of_lines(source: &Source) -> Result<Stream> {
        Ok(Stream {
            splitter: Splitter::Lines(Lines::new(source.line_max.0 as usize, 0)),
            joiner: source.rule()?.map(Joiner::new),
            join_wait: source
                .multiline
                .as_ref()
                .map_or(Duration::ZERO, |multiline| multiline.wait.0),
            joined: Instant::now(),
            make: |processor, line| LineRecord {
                record: processor.text(&line.text, line.is_cut),
                position: None,
            },
            collected: Collected::default(),
            reached: None,
        })
    }

    /// Messages that are told from each other in another way.
    pub fn split_by(mut self, splitter: Splitter) -> Stream {
        self.splitter = splitter;
        self
    }

    /// Records made in another way.
    pub fn made_by(mut self, make: fn(&Processor, &Line) -> LineRecord) -> Stream {
        self.make = make;
        self
    }

    /// The position after the last message.
    pub fn reached(&self) -> Option<String> {
        self.reached.clone()
    }

    /// Reads until either side ends.
    pub async fn run(
        &mut self,
        reader: &mut (impl AsyncRead + Unpin),
        intake: &mut Intake,
    ) -> io::Result<End> {
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            let waiting = self.joiner.as_ref().is_some_and(Joiner::is_waiting);
            let joined = self.joined + self.join_wait;
            tokio::select! {
                read = reader.read(&mut piece) => match read {
                    Ok(0) => return Ok(self.closed(intake).await),
                    Ok(count) => self.take(&piece[..count], intake),
                    Err(error) => {
                        // Messages that came before the error are whole, and kept.
                        self.closed(intake).await;
                        return Err(error);
                    }
                },
                () = sleep_until(joined), if waiting => self.unjoined(intake),
                () = self.collected.due() => if !self.collected.give(intake).await {
                    return Ok(End::Stopped);
                },
                () = intake.stopped() => {
                    self.unjoined(intake);
                    self.collected.give_last(intake).await;
                    return Ok(End::Stopped);
                }
            }
            if self.collected.is_full() && !self.collected.give(intake).await {
                return Ok(End::Stopped);
            }
        }
    }

    async fn closed(&mut self, intake: &mut Intake) -> End {
        let rest = match &mut self.splitter {
            Splitter::Lines(lines) => lines.rest(),
            Splitter::Framed(framed) => framed.rest(),
        };
        if let Some(line) = rest {
            self.line(line, intake);
        }
        self.unjoined(intake);
        match self.collected.give(intake).await {
            true => End::Closed,
            false => End::Stopped,
        }
    }

    fn take(&mut self, piece: &[u8], intake: &Intake) {
        let lines = match &mut self.splitter {
            Splitter::Lines(lines) => lines.take(piece),
            Splitter::Framed(framed) => framed.take(piece),
        };
        for line in lines {
            self.line(line, intake);
        }
    }

    fn line(&mut self, line: Line, intake: &Intake) {
        let Some(joiner) = &mut self.joiner else {
            return self.message(&line, intake);
        };
        self.joined = Instant::now();
        if let Some(joined) = joiner.push(line.text, line.is_cut) {
            let line = Line {
                text: joined.text,
                is_cut: joined.tag,
                end: 0,
            };
            self.message(&line, intake);
        }
    }

    fn unjoined(&mut self, intake: &Intake) {
        if let Some(joined) = self.joiner.as_mut().and_then(Joiner::flush) {
            let line = Line {
                text: joined.text,
                is_cut: joined.tag,
                end: 0,
            };
            self.message(&line, intake);
        }
    }

    fn message(&mut self, line: &Line, intake: &Intake) {
        if line.text.is_empty() {
            return;
        }
        let made = (self.make)(&intake.processor, line);
        if let Some(record) = made.record {
            self.collected.push(record);
        }
        if let Some(position) = made.position {
            self.reached = Some(position.clone());
            self.collected.reached(POSITION, position);
        }
    }
}
