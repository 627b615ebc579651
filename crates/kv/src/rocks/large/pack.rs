//! Compression of large values, if a sample shows that it pays.

use crate::Error;
use std::borrow::Cow;
use std::cell::RefCell;
use zstd::bulk::Compressor;

/// Bytes from the middle of a value that are tried first: most files are compressed already.
const SAMPLE_BYTES: usize = 8 << 10;

/// A saving below 1/8 of the value is not worth unpacking for.
const SAVING_MIN: usize = 8;

/// zstd's fast mode: as quick as the disk.
const LEVEL: i32 = 1;

/// The bytes to store for a value: fewer than it has, or itself.
pub(super) fn pack(value: &[u8]) -> Cow<'_, [u8]> {
    let start = value.len().saturating_sub(SAMPLE_BYTES) / 2;
    let sample = &value[start..value.len().min(start + SAMPLE_BYTES)];
    if packed(sample).is_none() {
        return Cow::Borrowed(value);
    }
    packed(value).map_or(Cow::Borrowed(value), Cow::Owned)
}

thread_local! {
    /// Made once a thread: to make one takes longer than to try a sample. `None` if there was no memory for it.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = RefCell::new(Compressor::new(LEVEL).ok());
}

fn packed(bytes: &[u8]) -> Option<Vec<u8>> {
    // It fails only for lack of memory; the bytes are then stored as they are.
    let packed = COMPRESSOR.with_borrow_mut(|compressor| compressor.as_mut()?.compress(bytes).ok())?;
    (packed.len() + bytes.len() / SAVING_MIN < bytes.len()).then_some(packed)
}

/// The value of this size that was packed into fewer bytes.
pub(super) fn unpack(stored: &[u8], value_bytes: usize) -> Result<Vec<u8>, Error> {
    let value = zstd::bulk::decompress(stored, value_bytes)
        .map_err(|error| Error::Corrupt(format!("a large value cannot be unpacked: {error}")))?;
    if value.len() != value_bytes {
        let what = format!("a large value has {} bytes, not {value_bytes}", value.len());
        return Err(Error::Corrupt(what));
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incompressible_values_stay_as_they_are() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        };
        let noise: Vec<u8> = (0..100_000).map(|_| random()).collect();
        assert!(matches!(pack(&noise), Cow::Borrowed(_)));
        let text = b"the same again and again ".repeat(4000);
        let stored = pack(&text).into_owned();
        assert!(stored.len() < text.len() / 10);
        assert_eq!(unpack(&stored, text.len()).unwrap(), text);
    }
}
