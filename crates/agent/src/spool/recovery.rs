//! What an earlier start left in the folder.

use super::segment::{SegmentItem, item_at};
use super::{Frame, Segment, SpoolPosition, path_of, take_positions};
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The file that says what the server has.
const SENT: &str = "sent";

/// What was found when a folder was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Records that wait for the server.
    pub waiting: u64,
    /// Bytes at the ends of segments that a crash left unfinished: nothing that was acknowledged.
    pub torn_bytes: u64,
    /// Places within segments whose bytes are no frame any more.
    pub damaged_places: u64,
    /// Bytes of those.
    pub damaged_bytes: u64,
    /// Records dropped by earlier starts.
    pub dropped: u64,
}

pub(super) struct FoundSegments {
    pub segments: VecDeque<Segment>,
    /// Where the last frame of the newest segment ends.
    pub newest_end: u64,
    pub positions: BTreeMap<String, String>,
    pub epoch: u64,
    pub acknowledged: SpoolPosition,
    pub acknowledged_records: u64,
    pub recovery: Recovery,
}

/// Reads all segments of a folder.
pub(super) fn read(folder: &Path) -> io::Result<FoundSegments> {
    let mut found = FoundSegments {
        segments: VecDeque::new(),
        newest_end: 0,
        positions: BTreeMap::new(),
        epoch: 0,
        acknowledged: sent(folder),
        acknowledged_records: 0,
        recovery: Recovery::default(),
    };
    for number in numbers(folder)? {
        found.segment(folder, number)?;
    }
    let all: u64 = found.segments.iter().map(|segment| segment.records).sum();
    let gone = found
        .segments
        .iter()
        .take_while(|segment| segment.number < found.acknowledged.segment);
    let gone: u64 = gone.map(|segment| segment.records).sum();
    found.recovery.waiting = all.saturating_sub(gone + found.acknowledged_records);
    Ok(found)
}

impl FoundSegments {
    fn segment(&mut self, folder: &Path, number: u64) -> io::Result<()> {
        let file = File::open(path_of(folder, number))?;
        let bytes = file.metadata()?.len();
        let (mut offset, mut records) = (0, 0);
        loop {
            match item_at(&file, offset, bytes)? {
                SegmentItem::Frame(frame, next) => {
                    records += frame.records.len() as u64;
                    let place = SpoolPosition {
                        segment: number,
                        offset: next,
                    };
                    if number == self.acknowledged.segment && place <= self.acknowledged {
                        self.acknowledged_records += frame.records.len() as u64;
                    }
                    self.frame(frame);
                    offset = next;
                }
                SegmentItem::Damage(next) => {
                    self.recovery.damaged_places += 1;
                    self.recovery.damaged_bytes += next - offset;
                    offset = next;
                }
                SegmentItem::End(torn) => {
                    self.recovery.torn_bytes += torn;
                    break;
                }
            }
        }
        self.newest_end = offset;
        self.segments.push_back(Segment {
            number,
            bytes,
            begun: 0,
            records,
        });
        Ok(())
    }

    fn frame(&mut self, frame: Frame) {
        self.epoch = self.epoch.max(frame.epoch);
        self.recovery.dropped = self.recovery.dropped.max(frame.dropped);
        if frame.is_whole {
            self.positions.clear();
        }
        take_positions(&mut self.positions, frame.positions);
    }
}

fn numbers(folder: &Path) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.strip_suffix(".segment"));
        numbers.extend(number.and_then(|number| u64::from_str_radix(number, 16).ok()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// An epoch that no earlier start had: seconds since 1970 and two random bytes, so that ids differ although the folder was
/// removed, or copied with the device's name; above the last one, although a clock went back.
pub(super) fn epoch_after(last: u64) -> io::Result<u64> {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let mut random = [0; 2];
    getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
    let random = u64::from(u16::from_le_bytes(random));
    let seconds = seconds.max((last >> 16) + 1);
    Ok((seconds << 16) | random)
}

/// What the server has, as far as it was written down. Records beyond that are sent again; their ids make that harmless.
fn sent(folder: &Path) -> SpoolPosition {
    let text = std::fs::read_to_string(folder.join(SENT)).unwrap_or_default();
    let mut words = text.split_whitespace().map(str::parse);
    match (words.next(), words.next(), words.next()) {
        (Some(Ok(segment)), Some(Ok(offset)), None) => SpoolPosition { segment, offset },
        _ => SpoolPosition::default(),
    }
}

/// Writes down what the server has. It is not flushed: it may be old after a crash, not wrong.
pub(super) fn write_sent(folder: &Path, place: SpoolPosition) -> io::Result<()> {
    let path = folder.join("sent.new");
    std::fs::write(&path, format!("{} {}\n", place.segment, place.offset))?;
    std::fs::rename(path, folder.join(SENT))
}
