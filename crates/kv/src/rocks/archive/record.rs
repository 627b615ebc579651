//! The records of an archive's file, each preceded by its length and checksum. Numbers are big-endian.

use crate::{Error, Head, ShardId};
use bytes::Bytes;
use std::collections::HashMap;
use std::io;

/// Length and CRC-32C of a record.
pub(super) const FRAME_BYTES: usize = 8;

/// The format of the records. Readers refuse others.
const FORMAT: u32 = 1;

const BEGIN: u8 = 1;
const COMMIT: u8 = 2;
const DROP: u8 = 3;
const UNDONE: u8 = 4;
const END: u8 = 5;

const PUT: u8 = 1;
const DELETE: u8 = 2;

/// The number of each shard's last change; shards without any are not in it.
pub(crate) type Heads = HashMap<ShardId, u64>;

/// The first record of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Begin {
    /// The archive's id; files of different archives are not continued.
    pub(super) archive: u64,
    /// The file's number.
    pub(super) number: u64,
    /// The heads of all shards, if this file is the first of a process. Otherwise it continues the one before.
    pub(super) heads: Option<Heads>,
}

/// Any other record.
#[derive(Clone, Debug)]
pub(super) enum Record {
    /// A commit that is about to be made.
    Commit {
        time_ms: u64,
        shard: ShardId,
        expected: u64,
        head: Head,
        /// Keys, with the values that they are set to; without one they are removed.
        entries: Vec<(Vec<u8>, Option<Vec<u8>>)>,
    },
    /// A shard that is about to be dropped.
    Drop { time_ms: u64, shard: ShardId },
    /// The record at this place of this file was not made after all.
    Undone { file: u64, offset: u64 },
    /// The archive ends: later changes are not in it.
    End { time_ms: u64 },
}

/// A commit, except its entries.
#[derive(Debug)]
pub(in crate::rocks) struct Made<'a> {
    pub(in crate::rocks) shard: ShardId,
    pub(in crate::rocks) expected: u64,
    pub(in crate::rocks) head: &'a Head,
    /// The approximate size of the record.
    pub(in crate::rocks) size_bytes: usize,
}

/// A key, and the beginning and the rest of its new value; without these it is removed.
pub(in crate::rocks) type ArchiveEntry<'a> = (&'a [u8], Option<(&'a [u8], Bytes)>);

/// A record without its frame.
pub(super) fn begin(begin: &Begin) -> Vec<u8> {
    let mut out = vec![BEGIN];
    put_u32(FORMAT, &mut out);
    put_u64(begin.archive, &mut out);
    put_u64(begin.number, &mut out);
    out.push(u8::from(begin.heads.is_some()));
    for (shard, sequence) in begin.heads.iter().flatten() {
        put_u64(shard.0, &mut out);
        put_u64(*sequence, &mut out);
    }
    out
}

/// Large values are in it as a whole, also those that were placed before.
pub(super) fn commit<'a>(
    made: &Made<'_>,
    entries: impl Iterator<Item = Result<ArchiveEntry<'a>, Error>>,
    time_ms: u64,
) -> Result<Vec<u8>, Error> {
    let mut out = Vec::with_capacity(made.size_bytes);
    out.push(COMMIT);
    put_u64(time_ms, &mut out);
    put_u64(made.shard.0, &mut out);
    put_u64(made.expected, &mut out);
    put_u64(made.head.sequence, &mut out);
    put_sized(&[&made.head.state], &mut out);
    for entry in entries {
        let (key, value) = entry?;
        match value {
            Some((head, rest)) => {
                out.push(PUT);
                put_sized(&[key], &mut out);
                put_sized(&[head, &rest], &mut out);
            }
            None => {
                out.push(DELETE);
                put_sized(&[key], &mut out);
            }
        }
    }
    Ok(out)
}

pub(super) fn dropped(shard: ShardId, time_ms: u64) -> Vec<u8> {
    let mut out = vec![DROP];
    put_u64(time_ms, &mut out);
    put_u64(shard.0, &mut out);
    out
}

pub(super) fn undone(file: u64, offset: u64) -> Vec<u8> {
    let mut out = vec![UNDONE];
    put_u64(file, &mut out);
    put_u64(offset, &mut out);
    out
}

pub(super) fn end(time_ms: u64) -> Vec<u8> {
    let mut out = vec![END];
    put_u64(time_ms, &mut out);
    out
}

/// A record with its frame before it.
pub(super) fn framed(record: &[u8]) -> io::Result<Vec<u8>> {
    let length = u32::try_from(record.len()).map_err(|_| io::Error::other("a commit of 4 GiB or more"))?;
    let checksum = crc32c::crc32c(record);
    Ok([&length.to_be_bytes()[..], &checksum.to_be_bytes(), record].concat())
}

/// Reads what [`begin`] wrote. `None`: it is something else.
pub(super) fn read_begin(record: &[u8]) -> Option<Begin> {
    let mut fields = Fields(record);
    if fields.u8()? != BEGIN || fields.u32()? != FORMAT {
        return None;
    }
    let (archive, number, has_heads) = (fields.u64()?, fields.u64()?, fields.u8()? == 1);
    let mut heads = Heads::new();
    while !fields.0.is_empty() {
        heads.insert(ShardId(fields.u64()?), fields.u64()?);
    }
    Some(Begin {
        archive,
        number,
        heads: has_heads.then_some(heads),
    })
}

/// Reads any other record; `None` if it has an unknown form.
pub(super) fn read(record: &[u8]) -> Option<Record> {
    let mut fields = Fields(record);
    match fields.u8()? {
        COMMIT => {
            let (time_ms, shard, expected) = (fields.u64()?, ShardId(fields.u64()?), fields.u64()?);
            let head = Head {
                sequence: fields.u64()?,
                state: fields.sized()?.to_vec().into(),
            };
            let mut entries = Vec::new();
            while !fields.0.is_empty() {
                let kind = fields.u8()?;
                let key = fields.sized()?.to_vec();
                let value = match kind {
                    PUT => Some(fields.sized()?.to_vec()),
                    DELETE => None,
                    _ => return None,
                };
                entries.push((key, value));
            }
            Some(Record::Commit {
                time_ms,
                shard,
                expected,
                head,
                entries,
            })
        }
        DROP => Some(Record::Drop {
            time_ms: fields.u64()?,
            shard: ShardId(fields.u64()?),
        }),
        UNDONE => Some(Record::Undone {
            file: fields.u64()?,
            offset: fields.u64()?,
        }),
        END => Some(Record::End {
            time_ms: fields.u64()?,
        }),
        _ => None,
    }
}

fn put_u32(number: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(&number.to_be_bytes());
}

fn put_u64(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(&number.to_be_bytes());
}

/// Parts of one value, after the length of all.
fn put_sized(parts: &[&[u8]], out: &mut Vec<u8>) {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    put_u64(length as u64, out);
    parts.iter().for_each(|part| out.extend_from_slice(part));
}

struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn u8(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn u32(&mut self) -> Option<u32> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_be_bytes(*first))
    }

    fn u64(&mut self) -> Option<u64> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_be_bytes(*first))
    }

    fn sized(&mut self) -> Option<&'a [u8]> {
        let bytes = usize::try_from(self.u64()?).ok()?;
        let (taken, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(taken)
    }
}

impl Record {
    /// When it was made; `None` for one that undoes another.
    pub(super) fn time_ms(&self) -> Option<u64> {
        match self {
            Record::Commit { time_ms, .. } | Record::Drop { time_ms, .. } | Record::End { time_ms } => {
                Some(*time_ms)
            }
            Record::Undone { .. } => None,
        }
    }

    /// The shard that it changes and the number of its last change afterwards.
    pub(super) fn result(&self) -> Option<(ShardId, u64)> {
        match self {
            Record::Commit { shard, head, .. } => Some((*shard, head.sequence)),
            Record::Drop { shard, .. } => Some((*shard, 0)),
            Record::Undone { .. } | Record::End { .. } => None,
        }
    }
}
