//! Taking a key's bytes off its front, inverted where the part is descending.

/// What is left of a key.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
    mask: u8,
}

impl<'a> Reader<'a> {
    pub(super) fn new(key: &'a [u8], mask: u8) -> Reader<'a> {
        Reader { rest: key, mask }
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Inverts what follows: negative numbers do so within any direction.
    pub(super) fn invert(&mut self) {
        self.mask = !self.mask;
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.rest.first().map(|byte| byte ^ self.mask)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.rest = self.rest.get(1..)?;
        Some(byte)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        Some(array.map(|byte| byte ^ self.mask))
    }

    /// A big-endian number of up to 8 bytes.
    pub(super) fn integer(&mut self, bytes: usize) -> Option<u64> {
        let mut integer = 0;
        for _ in 0..bytes {
            integer = integer << 8 | u64::from(self.byte()?);
        }
        Some(integer)
    }

    /// The lowest bit of the number in the next `bytes`, which are not taken.
    pub(super) fn last_bit(&self, bytes: usize) -> Option<bool> {
        let last = self.rest.get(bytes.checked_sub(1)?)?;
        Some((last ^ self.mask) & 1 == 1)
    }

    pub(super) fn bytes(&mut self, count: usize) -> Option<Vec<u8>> {
        let (bytes, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(bytes.iter().map(|byte| byte ^ self.mask).collect())
    }

    pub(super) fn skip(&mut self, count: usize) -> Option<()> {
        self.rest = self.rest.get(count..)?;
        Some(())
    }

    /// A length as the encoder writes it.
    pub(super) fn length(&mut self) -> Option<usize> {
        match self.byte()? {
            0xFF => self.array().map(|bytes| u32::from_be_bytes(bytes) as usize),
            length => Some(usize::from(length)),
        }
    }

    /// An escaped text with its terminator.
    pub(super) fn text(&mut self) -> Option<String> {
        let end = self.text_end()?;
        let mut text = Vec::with_capacity(end);
        loop {
            match self.byte()? {
                0 => return String::from_utf8(text).ok(),
                1 => text.push(self.byte()?.checked_sub(1).filter(|byte| *byte <= 1)?),
                byte => text.push(byte),
            }
        }
    }

    pub(super) fn skip_text(&mut self) -> Option<()> {
        self.skip(self.text_end()? + 1)
    }

    /// Where the terminator stands: escapes hold no 0x00.
    fn text_end(&self) -> Option<usize> {
        memchr::memchr(self.mask, self.rest)
    }
}
