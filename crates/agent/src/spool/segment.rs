//! Reading a segment, which may be damaged or unfinished.

use super::frame::{self, Frame, HEAD_BYTES, Head};
use bytes::Bytes;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// What stands at a place of a segment.
#[derive(Debug)]
pub enum SegmentItem {
    /// A frame, and where the next thing begins.
    Frame(Frame, u64),
    /// Bytes that are no frame any more, and where the next frame begins.
    Damage(u64),
    /// Nothing whole is left: the end, or what a write left unfinished, with the bytes of that.
    End(u64),
}

/// How many bytes are searched at once for the next frame.
const SEARCHED_BYTES: usize = 64 << 10;

/// What stands at `offset`, within the first `length` bytes.
pub fn item_at(file: &File, offset: u64, length: u64) -> io::Result<SegmentItem> {
    if offset >= length {
        return Ok(SegmentItem::End(0));
    }
    match frame_at(file, offset, length)? {
        Some(Ok((frame, next))) => Ok(SegmentItem::Frame(frame, next)),
        // Its head is sound and its body is not; the next one is known.
        Some(Err(next)) => Ok(SegmentItem::Damage(next)),
        None => Ok(match next_frame(file, offset + 1, length)? {
            Some(next) => SegmentItem::Damage(next),
            None => SegmentItem::End(length - offset),
        }),
    }
}

/// The frame at `offset`, or, if its body is damaged, where it ends; `None` if there is no whole frame.
fn frame_at(file: &File, offset: u64, length: u64) -> io::Result<Option<Result<(Frame, u64), u64>>> {
    let mut head = [0; HEAD_BYTES];
    let Some(body) = offset
        .checked_add(HEAD_BYTES as u64)
        .filter(|body| *body <= length)
    else {
        return Ok(None);
    };
    file.read_exact_at(&mut head, offset)?;
    let Head::Frame {
        length: bytes,
        checksum,
    } = frame::head(&head)
    else {
        return Ok(None);
    };
    let end = body + bytes as u64;
    if end > length {
        return Ok(None);
    }
    let mut bytes = vec![0; bytes];
    file.read_exact_at(&mut bytes, body)?;
    let sound = crc32c::crc32c(&bytes) == checksum;
    let frame = sound.then(|| Frame::decode(Bytes::from(bytes))).flatten();
    Ok(Some(frame.map(|frame| (frame, end)).ok_or(end)))
}

/// Where the next sound head begins.
fn next_frame(file: &File, mut offset: u64, length: u64) -> io::Result<Option<u64>> {
    while offset + HEAD_BYTES as u64 <= length {
        let mut bytes = vec![0; SEARCHED_BYTES.min((length - offset) as usize)];
        file.read_exact_at(&mut bytes, offset)?;
        let found = bytes
            .windows(HEAD_BYTES)
            .position(|window| frame::head(window) != Head::Nothing);
        if let Some(found) = found {
            return Ok(Some(offset + found as u64));
        }
        // A head may begin in the last bytes of what was looked at.
        offset += (bytes.len() - HEAD_BYTES + 1) as u64;
    }
    Ok(None)
}
