//! Sequences as clients see them: the number of a change, a dash, and a mark of the database, so that one of a database that
//! was deleted and made again is known.

use crate::error::{CouchError, Result};
use engine::RevisionedCollection;

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
    pub fn write(&self, number: u64, out: &mut String) {
        out.push_str(itoa::Buffer::new().format(number));
        out.push('-');
        for byte in self.0 {
            for digit in [byte >> 4, byte & 15] {
                out.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
            }
        }
    }

    /// A sequence as text.
    pub fn text(&self, number: u64) -> String {
        let mut text = String::new();
        self.write(number, &mut text);
        text
    }

    /// The number of a sequence that a client gives back; 0, from where everything is new, for one of another database.
    pub fn parse(&self, text: &str) -> Result<u64> {
        let text = text.trim_matches('"');
        let malformed = || {
            CouchError::bad_request(format!(
                "Malformed sequence supplied in 'since' parameter: {text}"
            ))
        };
        match text.split_once('-') {
            None => text.parse().map_err(|_| malformed()),
            Some((number, _)) => {
                let number: u64 = number.parse().map_err(|_| malformed())?;
                Ok(if self.text(number) == text { number } else { 0 })
            }
        }
    }
}
