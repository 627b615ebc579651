//! Sort keys: bytes by which documents are sorted.

use crate::plan::{IndexScan, SortPattern};
use crate::{Code, QueryError, Result};
use value::key::{self, Direction};
use value::path::extract::{self, ExtractError, IndexPath};
use value::{DocumentRef, Value, ValueRef};

/// Appends the document's sort key. Comparing the bytes of two keys compares the documents by the pattern. If there are
/// arrays on the paths, it is the first of the keys that an index on the pattern would have for the document, so
/// that the order is the same with and without an index.
pub fn sort_key(document: DocumentRef<'_>, pattern: &SortPattern, key: &mut Vec<u8>) -> Result<()> {
    put_part(document, pattern.paths(), pattern, key)
}

fn put_part(
    document: DocumentRef<'_>,
    paths: &[IndexPath],
    pattern: &SortPattern,
    key: &mut Vec<u8>,
) -> Result<()> {
    extract::put_least_key(document, paths, pattern.collation(), key).map_err(no_key)
}

fn no_key(error: ExtractError) -> QueryError {
    match error {
        ExtractError::ParallelArrays { .. } => {
            QueryError::bad_value("cannot sort with keys that are parallel arrays")
        }
        ExtractError::AmbiguousName(_) => QueryError::new(Code::location(16746), error.to_string()),
        ExtractError::TooManyKeys => QueryError::new(Code::CANNOT_BUILD_INDEX_KEYS, error.to_string()),
    }
}

/// As [`sort_key`], for a pattern that may include metadata of the document, which are numbers.
pub fn sort_key_with(
    document: DocumentRef<'_>,
    metadata: impl Fn(&str) -> Result<f64>,
    pattern: &SortPattern,
    key: &mut Vec<u8>,
) -> Result<()> {
    for (field, path) in pattern.fields().iter().zip(pattern.paths()) {
        match field.metadata {
            Some(name) => key::encode(ValueRef::Double(metadata(name)?), field.direction, key),
            None => put_part(document, std::slice::from_ref(path), pattern, key)?,
        }
    }
    Ok(())
}

/// The values that a document is sorted by; for an array, the element that decides.
pub fn sort_values(
    document: DocumentRef<'_>,
    metadata: impl Fn(&str) -> Result<f64>,
    pattern: &SortPattern,
) -> Result<Vec<Value>> {
    let (fields, paths) = (pattern.fields(), pattern.paths());
    if !pattern.by_metadata() {
        return least_values(document, paths, pattern);
    }
    let mut values = Vec::with_capacity(fields.len());
    for (field, path) in fields.iter().zip(paths) {
        match field.metadata {
            Some(name) => values.push(Value::Double(metadata(name)?)),
            None => values.extend(least_values(document, std::slice::from_ref(path), pattern)?),
        }
    }
    Ok(values)
}

/// The values of the least key that an index on these paths would have for the document.
fn least_values(document: DocumentRef<'_>, paths: &[IndexPath], pattern: &SortPattern) -> Result<Vec<Value>> {
    let keys = extract::keys_collated(document, paths, false, pattern.collation()).map_err(no_key)?;
    let Some(least) = keys.keys.first() else {
        return Ok(Vec::new());
    };
    let (mut key, mut bits) = (least.key.as_slice(), least.bits.0.as_slice());
    let values = paths
        .iter()
        .map_while(|path| key::decode(&mut key, &mut bits, path.direction));
    Ok(values.collect())
}

/// Makes sort keys from the keys of an index.
#[derive(Clone, Debug)]
pub struct KeySorter {
    /// For each field of the sort, its place in the index, and whether its direction there is the opposite.
    parts: Vec<(usize, bool)>,
    directions: Vec<Direction>,
}

impl KeySorter {
    /// A sorter of the keys of a scan whose index has all fields of the pattern.
    pub fn new(scan: &IndexScan, pattern: &SortPattern) -> KeySorter {
        let fields = &scan.facts.fields;
        let parts = pattern.fields().iter().filter_map(|wanted| {
            let at = fields.iter().position(|field| field.name == wanted.name)?;
            Some((at, fields[at].kind.direction() != wanted.direction))
        });
        KeySorter {
            parts: parts.collect(),
            directions: fields.iter().map(|field| field.kind.direction()).collect(),
        }
    }

    /// The sort key of an index key.
    pub fn sort_key(&self, index_key: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(index_key.len());
        self.put_sort_key(index_key, &mut bytes);
        bytes
    }

    /// Appends the sort key of an index key.
    pub fn put_sort_key(&self, index_key: &[u8], bytes: &mut Vec<u8>) {
        // Most sorts are by one field. For these, nothing after it is read, and no list of places is made.
        if let [(at, reversed)] = self.parts.as_slice() {
            if let Some(part) = self.part(index_key, *at) {
                put(part, *reversed, bytes);
            }
            return;
        }
        let mut ends = Vec::with_capacity(self.directions.len() + 1);
        ends.push(0);
        for direction in &self.directions {
            let begin = ends[ends.len() - 1];
            match key::skip(&index_key[begin..], *direction) {
                Some(length) => ends.push(begin + length),
                None => break,
            }
        }
        for (at, reversed) in &self.parts {
            if let (Some(begin), Some(end)) = (ends.get(*at), ends.get(at + 1)) {
                put(&index_key[*begin..*end], *reversed, bytes);
            }
        }
    }

    /// The bytes of one field of an index key.
    fn part<'k>(&self, index_key: &'k [u8], at: usize) -> Option<&'k [u8]> {
        let mut rest = index_key;
        for direction in self.directions.get(..at)? {
            rest = rest.get(key::skip(rest, *direction)?..)?;
        }
        rest.get(..key::skip(rest, *self.directions.get(at)?)?)
    }
}

fn put(part: &[u8], reversed: bool, bytes: &mut Vec<u8>) {
    match reversed {
        true => bytes.extend(part.iter().map(|byte| !byte)),
        false => bytes.extend_from_slice(part),
    }
}
