//! Compression by gzip (RFC 1952), piece by piece.

use bytes::Bytes;
use flate2::write::{GzEncoder, MultiGzDecoder};
use flate2::{Compression, GzBuilder};
use std::collections::VecDeque;
use std::io::{self, Write};

/// Compressed bytes that are decoded at once: deflate makes at most 1,032 bytes of one, so this is what bounds memory.
const DECODED_AT_ONCE_BYTES: usize = 1024;

/// The operating system in the header: Unix, as most servers write it, so that digests are the same.
const UNIX: u8 = 3;

/// Compresses.
#[derive(Debug)]
pub struct GzipEncoder(GzEncoder<Vec<u8>>);

impl GzipEncoder {
    /// An encoder of this level, 1 (fastest) to 9 (smallest).
    pub fn new(level: u32) -> GzipEncoder {
        let header = GzBuilder::new().operating_system(UNIX);
        GzipEncoder(header.write(Vec::new(), Compression::new(level)))
    }

    /// Takes bytes. Returns what they were compressed to, which may be nothing yet.
    ///
    /// # Errors
    /// Never in practice: the bytes go to memory.
    pub fn encode(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        self.0.write_all(bytes)?;
        Ok(std::mem::take(self.0.get_mut()))
    }

    /// What is left at the end.
    ///
    /// # Errors
    /// Those of [`GzipEncoder::encode`].
    pub fn finish(self) -> io::Result<Vec<u8>> {
        self.0.finish()
    }
}

/// Decompresses what was compressed here, or what a client said to be compressed: it may be anything.
#[derive(Debug)]
pub struct GzipDecoder {
    decoder: MultiGzDecoder<Vec<u8>>,
    /// What came and is not yet decoded.
    waiting: VecDeque<Bytes>,
}

impl Default for GzipDecoder {
    fn default() -> GzipDecoder {
        GzipDecoder::new()
    }
}

impl GzipDecoder {
    /// A decoder that has read nothing yet.
    pub fn new() -> GzipDecoder {
        GzipDecoder {
            decoder: MultiGzDecoder::new(Vec::new()),
            waiting: VecDeque::new(),
        }
    }

    /// Takes compressed bytes.
    pub fn feed(&mut self, bytes: Bytes) {
        self.waiting.push_back(bytes);
    }

    /// The next decoded bytes; `None` if more compressed ones are needed.
    ///
    /// # Errors
    /// The bytes are not compressed by gzip, or are damaged.
    pub fn decoded(&mut self) -> io::Result<Option<Bytes>> {
        while let Some(mut bytes) = self.waiting.pop_front() {
            let some = bytes.split_to(bytes.len().min(DECODED_AT_ONCE_BYTES));
            if !bytes.is_empty() {
                self.waiting.push_front(bytes);
            }
            self.decoder.write_all(&some)?;
            if let Some(decoded) = self.take() {
                return Ok(Some(decoded));
            }
        }
        Ok(None)
    }

    /// What is left at the end.
    ///
    /// # Errors
    /// The compressed bytes are not whole.
    pub fn finish(&mut self) -> io::Result<Option<Bytes>> {
        self.decoder.try_finish()?;
        Ok(self.take())
    }

    fn take(&mut self) -> Option<Bytes> {
        let decoded = std::mem::take(self.decoder.get_mut());
        (!decoded.is_empty()).then(|| Bytes::from(decoded))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(encoded: &[u8]) -> io::Result<(Vec<u8>, usize)> {
        let mut decoder = GzipDecoder::new();
        decoder.feed(Bytes::copy_from_slice(encoded));
        let (mut all, mut largest) = (Vec::new(), 0);
        while let Some(decoded) = decoder.decoded()? {
            largest = largest.max(decoded.len());
            all.extend_from_slice(&decoded);
        }
        all.extend_from_slice(&decoder.finish()?.unwrap_or_default());
        Ok((all, largest))
    }

    fn encode(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzipEncoder::new(8);
        let mut encoded = encoder.encode(bytes).expect("memory");
        encoded.extend(encoder.finish().expect("memory"));
        encoded
    }

    #[test]
    fn compressed_bytes_come_back_in_pieces_of_bounded_size() {
        let zeroes = vec![0; 10_000_000];
        let encoded = encode(&zeroes);
        assert!(encoded.len() < 20_000);
        let (decoded, largest) = decode(&encoded).expect("valid");
        assert!(decoded == zeroes);
        assert!(largest < 2_000_000, "{largest}");
        assert_eq!(decode(&encode(b"")).expect("valid").0, b"");
    }

    /// The bytes that zlib makes, which are the same each time: no name, no time.
    #[test]
    fn the_head_names_nothing_that_changes() {
        let encoded = encode(b"This is a base64 encoded text");
        assert_eq!(encoded[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
    }

    #[test]
    fn bytes_that_are_no_gzip_or_cut_off_are_an_error() {
        assert!(decode(b"not compressed").is_err());
        let encoded = encode(b"some text");
        assert!(decode(&encoded[..encoded.len() - 4]).is_err());
    }
}
