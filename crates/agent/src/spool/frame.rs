//! A frame: what is written at once, and is there whole or not at all.
//!
//! `"LSPL" | length | crc32c of the body | crc32c of these 12 bytes | body`, numbers little-endian. The body: epoch and first
//! number of the records, how many were dropped until then, whether the positions are all there are, the target, positions
//! (key and value), records (BSON).

use bytes::Bytes;
use std::collections::BTreeMap;

const MAGIC: [u8; 4] = *b"LSPL";
/// The bytes before the body.
pub const HEAD_BYTES: usize = 16;
/// The most bytes of a body; a longer one is damage, since sources give less at once.
pub const BODY_BYTES_MAX: usize = 32 << 20;

/// The positions that a source has reached, by their keys; `None` for one that is no longer needed.
pub type Positions = BTreeMap<String, Option<String>>;

/// What is written at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Which start of the agent the numbers belong to.
    pub epoch: u64,
    /// The number of the first record.
    pub first: u64,
    /// Records dropped so far.
    pub dropped: u64,
    /// Whether the positions are all that there are.
    pub is_whole: bool,
    /// Where the records go.
    pub target: String,
    /// Positions that the records reach.
    pub positions: Positions,
    /// The records: BSON.
    pub records: Vec<Bytes>,
}

/// What stands at a place of a segment.
#[derive(Debug, PartialEq, Eq)]
pub enum Head {
    /// A frame, with the length and the checksum of its body.
    Frame {
        /// Bytes of the body.
        length: usize,
        /// Its checksum.
        checksum: u32,
    },
    /// Nothing that was written whole.
    Nothing,
}

/// Reads the bytes before a body.
pub fn head(bytes: &[u8]) -> Head {
    let Some(bytes) = bytes.get(..HEAD_BYTES) else {
        return Head::Nothing;
    };
    let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let length = word(4) as usize;
    if bytes[..4] != MAGIC || word(12) != crc32c::crc32c(&bytes[..12]) || length > BODY_BYTES_MAX {
        return Head::Nothing;
    }
    Head::Frame {
        length,
        checksum: word(8),
    }
}

impl Frame {
    /// The frame's bytes, without spare capacity, since they are kept until they are flushed.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.encoded_bytes());
        out.resize(HEAD_BYTES, 0);
        for number in [self.epoch, self.first, self.dropped] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.push(self.is_whole.into());
        put(&mut out, self.target.as_bytes());
        out.extend_from_slice(&(self.positions.len() as u32).to_le_bytes());
        for (key, value) in &self.positions {
            put(&mut out, key.as_bytes());
            out.push(value.is_some().into());
            put(&mut out, value.as_deref().unwrap_or_default().as_bytes());
        }
        out.extend_from_slice(&(self.records.len() as u32).to_le_bytes());
        for record in &self.records {
            put(&mut out, record);
        }
        let length = (out.len() - HEAD_BYTES) as u32;
        let checksum = crc32c::crc32c(&out[HEAD_BYTES..]);
        out[..4].copy_from_slice(&MAGIC);
        out[4..8].copy_from_slice(&length.to_le_bytes());
        out[8..12].copy_from_slice(&checksum.to_le_bytes());
        let checksum = crc32c::crc32c(&out[..12]);
        out[12..16].copy_from_slice(&checksum.to_le_bytes());
        out
    }

    fn encoded_bytes(&self) -> usize {
        let positions = self.positions.iter();
        let positions = positions.map(|(key, value)| 9 + key.len() + value.as_ref().map_or(0, String::len));
        let records = self.records.iter().map(|record| 4 + record.len());
        let numbers = 3 * size_of::<u64>() + 1 + 3 * size_of::<u32>();
        HEAD_BYTES + numbers + self.target.len() + positions.sum::<usize>() + records.sum::<usize>()
    }

    /// Reads a body whose checksum is right; `None` if it is not that of a frame all the same.
    pub fn decode(body: Bytes) -> Option<Frame> {
        let mut rest = Rest(body);
        let (epoch, first, dropped) = (rest.long()?, rest.long()?, rest.long()?);
        let is_whole = rest.byte()? != 0;
        let target = rest.text()?;
        let mut positions = Positions::new();
        for _ in 0..rest.word()? {
            let key = rest.text()?;
            let is_there = rest.byte()? != 0;
            let value = rest.text()?;
            positions.insert(key, is_there.then_some(value));
        }
        let count = rest.word()?;
        let records = (0..count).map(|_| rest.bytes()).collect::<Option<_>>()?;
        Some(Frame {
            epoch,
            first,
            dropped,
            is_whole,
            target,
            positions,
            records,
        })
    }
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(bytes);
}

/// What was not read yet.
struct Rest(Bytes);

impl Rest {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        if self.0.len() < N {
            return None;
        }
        self.0.split_to(N).as_ref().try_into().ok()
    }

    fn byte(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn word(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn long(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn bytes(&mut self) -> Option<Bytes> {
        let length = self.word()? as usize;
        (length <= self.0.len()).then(|| self.0.split_to(length))
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encoded_frame_takes_no_more_memory_than_its_bytes() {
        let positions = [("a", Some("12".to_owned())), ("bc", None)];
        let frame = Frame {
            target: "a.b".to_owned(),
            positions: positions
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect(),
            records: vec![Bytes::from_static(b"one"), Bytes::from_static(b"four")],
            ..Frame::default()
        };
        let encoded = frame.encode();
        assert_eq!(encoded.len(), frame.encoded_bytes());
        assert_eq!(
            Frame::decode(Bytes::from(encoded).slice(HEAD_BYTES..)),
            Some(frame)
        );
    }
}
