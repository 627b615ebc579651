//! Handing the engine terms that were made elsewhere: they are written one after the other, and read again by what it takes for
//! a tokenizer.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// The tokenizer's name in the schema.
pub(crate) const TOKENIZER: &str = "terms";

/// Appends a term with its place.
pub(crate) fn put(text: &str, place: u32, out: &mut String) {
    put_number(place, out);
    put_number(text.len() as u32, out);
    out.push_str(text);
}

/// The bits of a number that one character has; one bit more says that there are others, so that all are of ASCII.
const DIGIT_BITS: u32 = 6;
const MORE: u8 = 1 << DIGIT_BITS;

fn put_number(mut number: u32, out: &mut String) {
    while number >= u32::from(MORE) {
        out.push(char::from(MORE | (number as u8 & (MORE - 1))));
        number >>= DIGIT_BITS;
    }
    out.push(char::from(number as u8));
}

/// The number at the beginning, and what is after it.
fn number(text: &str) -> Option<(u32, &str)> {
    let (mut number, mut bits) = (0, 0);
    for (at, byte) in text.bytes().enumerate() {
        number |= u32::from(byte & (MORE - 1)).checked_shl(bits)?;
        bits += DIGIT_BITS;
        if byte & MORE == 0 {
            return Some((number, text.get(at + 1..)?));
        }
    }
    None
}

/// Reads terms that [`put`] has written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms;

pub(crate) struct TermStream<'t> {
    rest: &'t str,
    token: Token,
}

impl Tokenizer for Terms {
    type TokenStream<'t> = TermStream<'t>;

    fn token_stream<'t>(&'t mut self, text: &'t str) -> TermStream<'t> {
        TermStream {
            rest: text,
            token: Token::default(),
        }
    }
}

impl TermStream<'_> {
    fn read(&mut self) -> Option<()> {
        let (place, rest) = number(self.rest)?;
        let (length, rest) = number(rest)?;
        let (text, rest) = rest.split_at_checked(length as usize)?;
        self.token.position = place as usize;
        self.token.text.clear();
        self.token.text.push_str(text);
        self.rest = rest;
        Some(())
    }
}

impl TokenStream for TermStream<'_> {
    fn advance(&mut self) -> bool {
        self.read().is_some()
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_read_as_they_were_written() {
        let mut written = String::new();
        let long = "ä".repeat(16_000);
        let terms = [
            ("a:1 2", 0),
            ("", 3),
            ("\u{0}ß", 63),
            ("z", 64),
            (long.as_str(), 1 << 30),
            ("y", u32::MAX),
        ];
        for (text, place) in terms {
            put(text, place, &mut written);
        }
        let mut read = Vec::new();
        let mut tokenizer = Terms;
        let mut stream = tokenizer.token_stream(&written);
        while let Some(token) = stream.next() {
            read.push((token.text.clone(), token.position as u32));
        }
        assert_eq!(read, terms.map(|(text, place)| (text.to_owned(), place)).to_vec());
    }
}
