//! Sequences as clients see them, made and read here alone: a position in the change log, a dash, and a mark of the
//! database, so that one of a database that was deleted and made again is known.

use crate::error::{CouchError, Result};
use engine::{RevisionedCollection, Sequence};
use std::fmt::Write as _;

/// The sequences of one database.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sequences([u8; 8]);

impl Sequences {
    /// Those of this database.
    pub fn of(collection: &RevisionedCollection) -> Sequences {
        let [a, b, c, d, e, f, g, h, ..] = collection.uuid();
        Sequences([a, b, c, d, e, f, g, h])
    }

    /// Appends a sequence without quotes.
    pub fn write(&self, sequence: &Sequence, out: &mut String) {
        // Writing to a String cannot fail.
        let _ = write!(out, "{sequence}-");
        for byte in self.0 {
            for digit in [byte >> 4, byte & 15] {
                out.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
            }
        }
    }

    /// A sequence as text.
    pub fn text(&self, sequence: &Sequence) -> String {
        let mut text = String::new();
        self.write(sequence, &mut text);
        text
    }

    /// The sequence that a client gives back; the start, from where everything is new, for one of another database.
    pub fn parse(&self, text: &str) -> Result<Sequence> {
        let text = text.trim_matches('"');
        let malformed = || {
            CouchError::bad_request(format!(
                "Malformed sequence supplied in 'since' parameter: {text}"
            ))
        };
        match text.split_once('-') {
            None => text.parse().map_err(|_| malformed()),
            Some((position, _)) => {
                let sequence: Sequence = position.parse().map_err(|_| malformed())?;
                let is_own = self.text(&sequence) == text;
                Ok(if is_own { sequence } else { Sequence::START })
            }
        }
    }
}
