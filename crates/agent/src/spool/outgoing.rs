//! What is sent next, and what the server has of it.

use super::recovery::write_sent;
use super::segment::{SegmentItem, item_at};
use super::{Spool, SpoolError, SpoolPosition, path_of};
use bytes::Bytes;
use std::fs::File;

/// A record with its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Which start of the agent it is of.
    pub epoch: u64,
    /// Its number.
    pub number: u64,
    /// Where it goes.
    pub target: String,
    /// What it is: BSON.
    pub document: Bytes,
}

/// Records that are sent together.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The records, in the order in which they came.
    pub records: Vec<Record>,
    /// Where they end.
    pub end: SpoolPosition,
}

impl Spool {
    /// The next records: at least one frame, then more until a limit is reached. `None` if nothing waits.
    pub fn outgoing(&mut self, records_max: usize, bytes_max: usize) -> Result<Option<Outgoing>, SpoolError> {
        let mut records = Vec::new();
        let mut bytes = 0;
        let mut place = self.acknowledged;
        while let Some(number) = self.segment_from(place.segment) {
            if number != place.segment {
                place = SpoolPosition {
                    segment: number,
                    offset: 0,
                };
            }
            let is_newest = number == self.newest().number;
            let file = File::open(path_of(&self.folder, number)).map_err(|error| self.failed(error))?;
            let length = match is_newest {
                true => self.durable.offset,
                false => file.metadata().map_err(|error| self.failed(error))?.len(),
            };
            loop {
                match item_at(&file, place.offset, length).map_err(|error| self.failed(error))? {
                    SegmentItem::Frame(frame, next) => {
                        let size: usize = frame.records.iter().map(Bytes::len).sum();
                        let is_full =
                            records.len() + frame.records.len() > records_max || bytes + size > bytes_max;
                        if is_full && !records.is_empty() {
                            return Ok(self.send(records, place));
                        }
                        bytes += size;
                        records.extend(frame.records.into_iter().zip(frame.first..).map(
                            |(document, number)| Record {
                                epoch: frame.epoch,
                                number,
                                target: frame.target.clone(),
                                document,
                            },
                        ));
                        place.offset = next;
                    }
                    SegmentItem::Damage(next) => place.offset = next,
                    SegmentItem::End(_) => break,
                }
            }
            if is_newest {
                break;
            }
            place = SpoolPosition {
                segment: number + 1,
                offset: 0,
            };
        }
        if records.is_empty() {
            // Frames of positions alone, and what is damaged, are done with.
            if place != self.acknowledged {
                self.acknowledge(place);
            }
            return Ok(None);
        }
        Ok(self.send(records, place))
    }

    fn send(&mut self, records: Vec<Record>, end: SpoolPosition) -> Option<Outgoing> {
        self.in_flight = Some(end);
        Some(Outgoing { records, end })
    }

    fn segment_from(&self, number: u64) -> Option<u64> {
        let numbers = self.segments.iter().map(|segment| segment.number);
        numbers.into_iter().find(|present| *present >= number)
    }

    /// Tells that the server has all before this place.
    pub fn acknowledge(&mut self, place: SpoolPosition) {
        self.in_flight = None;
        let place = place.max(self.acknowledged);
        if let Some(records) = self.records_before(place) {
            self.acknowledged_records = records;
        }
        self.acknowledged = place;
        self.leave_full_segment();
        let place = self.acknowledged;
        if let Err(error) = write_sent(&self.folder, place) {
            tracing::debug!(%error, "what was sent cannot be written down: it may be sent again after a restart");
        }
        while self.segments.len() > 1
            && self
                .segments
                .front()
                .is_some_and(|oldest| oldest.number < place.segment)
        {
            if let Some(done) = self.segments.pop_front() {
                self.remove(done.number);
            }
        }
        if !self.is_short {
            self.keep_reserve();
        }
    }

    /// How many records of the place's segment are before it; `None` if they cannot be counted.
    fn records_before(&self, place: SpoolPosition) -> Option<u64> {
        if self.segment_from(place.segment) != Some(place.segment) {
            return Some(0);
        }
        let from = match self.acknowledged.segment == place.segment {
            true => self.acknowledged.offset,
            false => 0,
        };
        let mut records = if from == 0 { 0 } else { self.acknowledged_records };
        let file = File::open(path_of(&self.folder, place.segment)).ok()?;
        let mut offset = from;
        while offset < place.offset {
            match item_at(&file, offset, place.offset).ok()? {
                SegmentItem::Frame(frame, next) => {
                    records += frame.records.len() as u64;
                    offset = next;
                }
                SegmentItem::Damage(next) => offset = next,
                SegmentItem::End(_) => break,
            }
        }
        Some(records)
    }
}
