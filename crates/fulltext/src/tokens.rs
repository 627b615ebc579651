//! Handing the engine terms that were made elsewhere: they are written one behind the other, and read again by what it takes for
//! a tokenizer.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// The tokenizer's name in the schema.
pub(crate) const TOKENIZER: &str = "terms";

/// Appends a term with its place.
pub(crate) fn put(text: &str, place: u32, out: &mut String) {
    use std::fmt::Write;
    // Writing to a string cannot fail.
    let _ = write!(out, "{place} {}:{text}", text.len());
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
        let (head, rest) = self.rest.split_once(':')?;
        let (place, length) = head.split_once(' ')?;
        let (text, rest) = rest.split_at_checked(length.parse().ok()?)?;
        self.token.position = place.parse().ok()?;
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
        let terms = [("a:1 2", 0), ("", 3), ("\u{0}ß", 3), ("z", 107)];
        for (text, place) in terms {
            put(text, place, &mut written);
        }
        let mut read = Vec::new();
        let mut tokenizer = Terms;
        let mut stream = tokenizer.token_stream(&written);
        while let Some(token) = stream.next() {
            read.push((token.text.clone(), token.position as u32));
        }
        assert_eq!(read, terms.map(|(text, place)| (text.to_owned(), place)));
    }
}
