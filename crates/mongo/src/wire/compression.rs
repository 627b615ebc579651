//! OP_COMPRESSED: another message's payload, compressed.
//!
//! Decompression trusts nothing: the size that a client claims is checked before memory is taken, and no more
//! than that is ever unpacked.

use super::header::{HEADER_BYTES, Header, MESSAGE_BYTES_MAX, OpCode};
use super::{WireError, split_i32};
use bytes::Bytes;
use std::io::{Read, Write};

/// A way to compress that both sides agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compressor {
    /// Not compressed at all, in the form of a compressed message.
    Noop,
    /// Snappy.
    Snappy,
    /// Deflate with zlib's header.
    Zlib,
    /// Zstandard.
    Zstd,
}

const ZSTD_LEVEL: i32 = 3;

impl Compressor {
    /// Those that a hello may name, in the server's order.
    pub const NEGOTIABLE: [Compressor; 3] = [Compressor::Snappy, Compressor::Zstd, Compressor::Zlib];

    /// The name in a hello.
    pub fn name(self) -> &'static str {
        match self {
            Compressor::Noop => "noop",
            Compressor::Snappy => "snappy",
            Compressor::Zlib => "zlib",
            Compressor::Zstd => "zstd",
        }
    }

    fn from_id(id: u8) -> Option<Compressor> {
        match id {
            0 => Some(Compressor::Noop),
            1 => Some(Compressor::Snappy),
            2 => Some(Compressor::Zlib),
            3 => Some(Compressor::Zstd),
            _ => None,
        }
    }

    fn id(self) -> u8 {
        match self {
            Compressor::Noop => 0,
            Compressor::Snappy => 1,
            Compressor::Zlib => 2,
            Compressor::Zstd => 3,
        }
    }

    /// Appends the payload of an OP_COMPRESSED message: original opcode, size, compressor, data.
    pub fn compress(self, opcode: OpCode, payload: &[u8], out: &mut Vec<u8>) -> std::io::Result<()> {
        out.extend_from_slice(&opcode.number().to_le_bytes());
        // Payloads are far below 2 GB: documents end at 16 MB and batches too.
        out.extend_from_slice(&(payload.len() as i32).to_le_bytes());
        out.push(self.id());
        match self {
            Compressor::Noop => out.extend_from_slice(payload),
            Compressor::Snappy => {
                let data = snap::raw::Encoder::new().compress_vec(payload);
                out.extend_from_slice(&data.map_err(std::io::Error::other)?);
            }
            Compressor::Zlib => {
                let mut encoder = flate2::write::ZlibEncoder::new(out, flate2::Compression::default());
                encoder.write_all(payload)?;
                encoder.finish()?;
            }
            Compressor::Zstd => out.extend_from_slice(&zstd::bulk::compress(payload, ZSTD_LEVEL)?),
        }
        Ok(())
    }

    /// Appends what the data unpacks to, which must be `size` bytes.
    fn decompress_into(self, data: &[u8], size: usize, out: &mut Vec<u8>) -> Result<(), WireError> {
        let broken = || WireError::Framing(format!("{} data that cannot be decompressed", self.name()));
        let start = out.len();
        match self {
            Compressor::Noop => out.extend_from_slice(data),
            Compressor::Snappy => {
                let claimed = snap::raw::decompress_len(data).map_err(|_| broken())?;
                if claimed != size || claimed > data.len().saturating_mul(SNAPPY_RATIO_MAX) {
                    return Err(broken());
                }
                let unpacked = snap::raw::Decoder::new()
                    .decompress_vec(data)
                    .map_err(|_| broken())?;
                out.extend_from_slice(&unpacked);
            }
            Compressor::Zlib => {
                read_up_to(flate2::read::ZlibDecoder::new(data), size, out).map_err(|_| broken())?;
            }
            Compressor::Zstd => {
                let decoder = zstd::stream::read::Decoder::new(data).map_err(|_| broken())?;
                read_up_to(decoder, size, out).map_err(|_| broken())?;
            }
        }
        if out.len() - start == size {
            Ok(())
        } else {
            Err(broken())
        }
    }
}

/// Snappy packs at most this many bytes into one: a larger claim is a lie, found before memory is taken.
const SNAPPY_RATIO_MAX: usize = 64;

/// Reads one byte more than expected at most: enough to see that a size was a lie. The buffer grows with the data.
fn read_up_to(reader: impl Read, size: usize, out: &mut Vec<u8>) -> std::io::Result<()> {
    reader.take(size as u64 + 1).read_to_end(out)?;
    Ok(())
}

/// A compressed message up to where its data begins: header, original opcode, size, compressor.
pub const HEAD_BYTES: usize = HEADER_BYTES + 9;

/// The bytes that a compressed message says it unpacks to; `None` for a lie that [`decompress`] refuses.
pub fn claimed_bytes(message: &[u8]) -> Option<usize> {
    let (_, payload) = message.split_at_checked(HEADER_BYTES)?;
    let (_, rest) = split_i32(payload)?;
    let (size, _) = split_i32(rest)?;
    let size = usize::try_from(size).ok()?;
    (size <= MESSAGE_BYTES_MAX).then_some(size)
}

/// A message that came compressed.
#[derive(Clone, Debug)]
pub struct Decompressed {
    /// Its own header.
    pub header: Header,
    /// How it was compressed.
    pub compressor: Compressor,
    /// All its bytes, header included.
    pub message: Bytes,
}

/// Unpacks the message that an OP_COMPRESSED carries.
pub fn decompress(header: &Header, message: &Bytes) -> Result<Decompressed, WireError> {
    let broken = || WireError::Framing("a truncated OP_COMPRESSED".into());
    let (_, payload) = message.split_at_checked(HEADER_BYTES).ok_or_else(broken)?;
    let (opcode, rest) = split_i32(payload).ok_or_else(broken)?;
    let (size, rest) = split_i32(rest).ok_or_else(broken)?;
    let (id, data) = rest.split_first().ok_or_else(broken)?;
    let opcode = OpCode::from_number(opcode);
    if opcode == OpCode::Compressed {
        return Err(WireError::Framing(
            "a compressed message within a compressed message".into(),
        ));
    }
    let size = usize::try_from(size)
        .ok()
        .filter(|size| *size <= MESSAGE_BYTES_MAX - HEADER_BYTES)
        .ok_or_else(|| WireError::Framing(format!("a decompressed size of {size} bytes")))?;
    let compressor =
        Compressor::from_id(*id).ok_or_else(|| WireError::Framing(format!("unknown compressor {id}")))?;
    let header = Header {
        length: HEADER_BYTES + size,
        opcode,
        ..*header
    };
    let mut unpacked = vec![0; HEADER_BYTES];
    header.write_at_front(&mut unpacked);
    compressor.decompress_into(data, size, &mut unpacked)?;
    Ok(Decompressed {
        header,
        compressor,
        message: unpacked.into(),
    })
}
