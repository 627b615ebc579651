//! Room for the terms that are made of a text beyond its own words.

use super::Token;

/// About the bytes of such terms of one text. A short text becomes gigabytes where each run of its letters is a term; then it is
/// found by the first of them alone.
const TERMS_BYTES_MAX: usize = 32 << 20;

/// What of the room is taken.
#[derive(Debug, Default)]
pub(super) struct Room {
    bytes: usize,
}

impl Room {
    /// Takes room for a term of this many bytes, before it is made; false where there is none.
    pub(super) fn takes(&mut self, bytes: usize) -> bool {
        self.grows(size_of::<Token>().saturating_add(bytes))
    }

    /// Takes room for `bytes` more of a term that is there.
    pub(super) fn grows(&mut self, bytes: usize) -> bool {
        let wanted = self.bytes.saturating_add(bytes);
        if wanted > TERMS_BYTES_MAX {
            tracing::warn!(
                limit_bytes = TERMS_BYTES_MAX,
                "a text becomes more terms than are kept; it is found by the first of them"
            );
            return false;
        }
        self.bytes = wanted;
        true
    }
}
