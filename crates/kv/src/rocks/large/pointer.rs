//! Pointers, which take the place of large values.

use super::files::aligned;
use crate::Error;

/// The first bytes of every pointer. A caller's value that begins with them is kept in the files too, so that only
/// pointers are taken for pointers.
const MARK: [u8; 8] = [0x00, 0xB5, 0x4C, 0x61, 0x72, 0x67, 0x65, 0x00];

const POINTER_BYTES: usize = 36;

/// A part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::rocks) struct Extent {
    /// The file's number.
    pub(in crate::rocks) file: u64,
    /// Where it begins.
    pub(in crate::rocks) offset: u64,
    /// Bytes that it takes.
    pub(in crate::rocks) stored_bytes: u32,
}

impl Extent {
    /// The bytes of the blocks that it takes.
    pub(in crate::rocks) fn disk_bytes(&self) -> u64 {
        aligned(u64::from(self.stored_bytes))
    }
}

/// Where a value lies and what it is: 36 bytes, numbers big-endian. Bytes that follow a pointer are the beginning of
/// the value; those that it points to come after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::rocks) struct Pointer {
    /// Where its bytes are.
    pub(in crate::rocks) extent: Extent,
    /// Bytes that it points to; where they are more than those stored, these are zstd's.
    pub(in crate::rocks) value_bytes: u32,
    /// CRC-32C of the bytes stored.
    pub(in crate::rocks) checksum: u32,
}

impl Pointer {
    /// Whether a value begins as pointers do.
    pub(in crate::rocks) fn is_like(value: &[u8]) -> bool {
        value.starts_with(&MARK)
    }

    /// The pointer that a stored value is, and the bytes of the value before those that it points to; `None` if it is a
    /// plain value.
    pub(in crate::rocks) fn decode(stored: &[u8]) -> Result<Option<(Pointer, &[u8])>, Error> {
        if !Pointer::is_like(stored) {
            return Ok(None);
        }
        let Some((bytes, head)) = stored.split_first_chunk::<POINTER_BYTES>() else {
            let what = format!("a pointer to a large value of {} bytes", stored.len());
            return Err(Error::Corrupt(what));
        };
        let pointer = Pointer {
            extent: Extent {
                file: u64_at(bytes, 8),
                offset: u64_at(bytes, 16),
                stored_bytes: u32_at(bytes, 24),
            },
            value_bytes: u32_at(bytes, 28),
            checksum: u32_at(bytes, 32),
        };
        Ok(Some((pointer, head)))
    }

    /// The bytes that stand in the value's place.
    pub(in crate::rocks) fn encode(&self) -> [u8; POINTER_BYTES] {
        let mut bytes = [0; POINTER_BYTES];
        bytes[..8].copy_from_slice(&MARK);
        bytes[8..16].copy_from_slice(&self.extent.file.to_be_bytes());
        bytes[16..24].copy_from_slice(&self.extent.offset.to_be_bytes());
        bytes[24..28].copy_from_slice(&self.extent.stored_bytes.to_be_bytes());
        bytes[28..32].copy_from_slice(&self.value_bytes.to_be_bytes());
        bytes[32..].copy_from_slice(&self.checksum.to_be_bytes());
        bytes
    }
}

fn u64_at(bytes: &[u8; POINTER_BYTES], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..at + 8]);
    u64::from_be_bytes(number)
}

fn u32_at(bytes: &[u8; POINTER_BYTES], at: usize) -> u32 {
    let mut number = [0; 4];
    number.copy_from_slice(&bytes[at..at + 4]);
    u32::from_be_bytes(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_reads_back() {
        let pointer = Pointer {
            extent: Extent {
                file: 3,
                offset: 1 << 40,
                stored_bytes: 70_000,
            },
            value_bytes: 261_120,
            checksum: 0xDEAD_BEEF,
        };
        let stored = [&pointer.encode()[..], b"head"].concat();
        assert_eq!(
            Pointer::decode(&stored).unwrap(),
            Some((pointer, b"head".as_slice()))
        );
        assert_eq!(Pointer::decode(b"a value").unwrap(), None);
        assert!(Pointer::decode(&MARK).is_err());
    }
}
