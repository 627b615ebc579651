//! Compression of stored attachments (RFC 1952), piece by piece.

use bytes::Bytes;
use flate2::write::{GzEncoder, MultiGzDecoder};
use flate2::{Compression, GzBuilder};
use std::collections::VecDeque;
use std::io::{self, Write};

/// Compressed bytes that are decoded at once: deflate makes at most 1,032 bytes of one, so this is what bounds memory.
const DECODED_AT_ONCE_BYTES: usize = 1024;

/// The operating system in the header: Unix, as where CouchDB compresses, so that digests are the same.
const UNIX: u8 = 3;

/// Compresses.
#[derive(Debug)]
pub(super) struct Encoder(GzEncoder<Vec<u8>>);

impl Encoder {
    /// One of this level, 1 (fastest) to 9 (smallest).
    pub(super) fn new(level: u32) -> Encoder {
        let header = GzBuilder::new().operating_system(UNIX);
        Encoder(header.write(Vec::new(), Compression::new(level)))
    }

    /// Takes bytes; what they gave, which may be nothing yet.
    pub(super) fn encode(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        self.0.write_all(bytes)?;
        Ok(std::mem::take(self.0.get_mut()))
    }

    /// What is left at the end.
    pub(super) fn finish(self) -> io::Result<Vec<u8>> {
        self.0.finish()
    }
}

/// Decompresses what was compressed here, or what a client said to be compressed: it may be anything.
#[derive(Debug)]
pub(crate) struct Decoder {
    decoder: MultiGzDecoder<Vec<u8>>,
    /// What came and is not yet decoded.
    waiting: VecDeque<Bytes>,
}

impl Decoder {
    pub(crate) fn new() -> Decoder {
        Decoder {
            decoder: MultiGzDecoder::new(Vec::new()),
            waiting: VecDeque::new(),
        }
    }

    /// Takes compressed bytes.
    pub(crate) fn feed(&mut self, bytes: Bytes) {
        self.waiting.push_back(bytes);
    }

    /// The next decoded bytes; `None` if more compressed ones are needed.
    pub(crate) fn decoded(&mut self) -> io::Result<Option<Bytes>> {
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

    /// What is left at the end; an error where the compressed bytes are not whole.
    pub(crate) fn finish(&mut self) -> io::Result<Option<Bytes>> {
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
    use md5::Digest;

    fn decode(encoded: &[u8]) -> io::Result<(Vec<u8>, usize)> {
        let mut decoder = Decoder::new();
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
        let mut encoder = Encoder::new(8);
        let mut encoded = encoder.encode(bytes).expect("memory");
        encoded.extend(encoder.finish().expect("memory"));
        encoded
    }

    #[test]
    fn what_is_encoded_comes_back_in_pieces_of_bounded_size() {
        let zeroes = vec![0; 10_000_000];
        let encoded = encode(&zeroes);
        assert!(encoded.len() < 20_000);
        let (decoded, largest) = decode(&encoded).expect("valid");
        assert!(decoded == zeroes);
        assert!(largest < 2_000_000, "{largest}");
        assert_eq!(decode(&encode(b"")).expect("valid").0, b"");
    }

    /// The bytes that zlib makes of the text, of which CouchDB shows the digest.
    #[test]
    fn short_texts_are_the_same_bytes_as_in_couchdb() {
        let encoded = encode(b"This is a base64 encoded text");
        assert_eq!(encoded[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
        let digest = md5::Md5::digest(&encoded);
        assert_eq!(value::hex(&digest), "a94518a92e35461c05d13ac2b1303116");
    }

    #[test]
    fn what_is_not_compressed_or_is_cut_off_is_an_error() {
        assert!(decode(b"not compressed").is_err());
        let encoded = encode(b"some text");
        assert!(decode(&encoded[..encoded.len() - 4]).is_err());
    }
}
