//! What a request of `_bulk_docs` brings, portion by portion: a tiny document takes a thousand times its bytes on its way into the
//! store.

use crate::incoming::Incoming;
use access::error::{CouchError, Result};
use bytes::Bytes;
use json::Reader;
use std::ops::Range;
use value::Value;

/// The documents of a portion.
const PORTION_DOCUMENTS: usize = 5_000;

/// The bytes of a portion past which it takes no further document.
const PORTION_BYTES: usize = 8 * 1024 * 1024;

/// What is asked.
pub(super) struct Batch {
    text: Bytes,
    /// Where the portions are.
    portions: std::vec::IntoIter<Range<usize>>,
    /// The first portion, which is read already.
    first: Option<Vec<Incoming>>,
    /// Whether the revisions were made by another store.
    pub(super) given: bool,
    /// Whether all are to be written or none.
    pub(super) all_or_nothing: bool,
}

impl Batch {
    /// Reads the whole, of which nothing is written where a document cannot be read, and keeps the first portion.
    pub(super) fn parse(text: Bytes) -> Result<Batch> {
        let mut documents = None;
        let (mut new_edits, mut all_or_nothing) = (true, false);
        let mut reader = Reader::new(&text)?;
        reader.object(|reader, name| {
            match name.as_ref() {
                "docs" => documents = Some(Portions::read(reader)?),
                "new_edits" => match reader.value()? {
                    Value::Bool(flag) => new_edits = flag,
                    _ => {
                        return Err(CouchError::bad_request(
                            "`new_edits` parameter must be a boolean.",
                        ));
                    }
                },
                "all_or_nothing" => all_or_nothing = reader.value()? == Value::Bool(true),
                _ => drop(reader.value()?),
            }
            Ok(())
        })?;
        reader.end()?;
        let documents =
            documents.ok_or_else(|| CouchError::bad_request("POST body must include `docs` parameter."))?;
        Ok(Batch {
            text,
            portions: documents.places.into_iter(),
            first: Some(documents.first),
            given: !new_edits,
            all_or_nothing,
        })
    }

    /// The next portion; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<Vec<Incoming>>> {
        let place = self.portions.next();
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        let Some(part) = place.and_then(|place| self.text.get(place)) else {
            return Ok(None);
        };
        let mut documents = Vec::new();
        Reader::new(part)?.part_of_array(|reader| -> Result<()> {
            documents.push(Incoming::read(reader)?);
            Ok(())
        })?;
        Ok(Some(documents))
    }

    /// Whether all portions were taken.
    pub(super) fn is_over(&self) -> bool {
        self.portions.len() == 0
    }
}

/// Where the portions of an array of documents are.
#[derive(Default)]
struct Portions {
    places: Vec<Range<usize>>,
    first: Vec<Incoming>,
}

impl Portions {
    fn read(reader: &mut Reader<'_>) -> Result<Portions> {
        if reader.peek() != Some(b'[') {
            return Err(CouchError::bad_request("`docs` parameter must be an array."));
        }
        let mut portions = Portions::default();
        // Of the last portion.
        let mut documents = PORTION_DOCUMENTS;
        reader.array(|reader| -> Result<()> {
            reader.peek();
            let start = reader.offset();
            let document = Incoming::read(reader)?;
            let end = reader.offset();
            let is_full = |place: &Range<usize>| place.end - place.start >= PORTION_BYTES;
            if documents == PORTION_DOCUMENTS || portions.places.last().is_some_and(is_full) {
                portions.places.push(start..end);
                documents = 0;
            }
            documents += 1;
            if let Some(last) = portions.places.last_mut() {
                last.end = end;
            }
            if portions.places.len() == 1 {
                portions.first.push(document);
            }
            Ok(())
        })?;
        Ok(portions)
    }
}
