//! Checksums in front of small values.

/// Sets the checksum in the first four bytes to that of the others.
pub(crate) fn seal(bytes: &mut [u8]) {
    if let Some((sum, rest)) = bytes.split_first_chunk_mut::<4>() {
        *sum = crc32c::crc32c(rest).to_le_bytes();
    }
}

/// What follows the checksum, if it is right.
pub(crate) fn unseal(bytes: &[u8]) -> Option<&[u8]> {
    let (sum, rest) = bytes.split_first_chunk::<4>()?;
    (u32::from_le_bytes(*sum) == crc32c::crc32c(rest)).then_some(rest)
}
