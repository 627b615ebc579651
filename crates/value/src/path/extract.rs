//! The keys under which an index holds a document.
//!
//! Each path gives the value that it reaches; where it passes an array, there is one key for each element, and
//! paths through the same array go through its elements together. A missing field counts as null, an empty array
//! in the last place as undefined. A part that is a number takes that element of an array alone.
//! Two different arrays in one compound index would multiply, and are refused as MongoDB refuses them.

use super::{FieldPath, array_position};
use crate::collation::{Collation, has_text};
use crate::key::{self, Direction, TypeBits};
use crate::{ArrayRef, DocumentRef, RawArray, RawDocument, ValueRef};

/// One part of a compound index.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IndexPath {
    /// Which value.
    pub path: FieldPath,
    /// In which order.
    pub direction: Direction,
}

/// One key of a document in an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexKey {
    /// The keys of all parts, concatenated.
    pub key: Vec<u8>,
    /// What the key forgets of the values; see [`TypeBits`].
    pub bits: TypeBits,
}

/// All keys of a document in an index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexKeys {
    /// In order, each once. `None` if the index is sparse and the document has none of its fields.
    pub keys: Vec<IndexKey>,
    /// For each path the places of those of its parts that reached an array with many elements, in order; the
    /// path is multikey if there are any.
    pub array_parts: Vec<Vec<usize>>,
}

/// Why a document cannot be in an index.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtractError {
    /// Two paths reach different arrays (MongoDB's error 171).
    #[error("cannot index parallel arrays [{second}] [{first}]")]
    ParallelArrays {
        /// The name of the array met first.
        first: String,
        /// The name of the other.
        second: String,
    },
    /// A number could be a position and a field (MongoDB's error 16746).
    #[error(
        "Ambiguous field name found in array (do not use numeric field names in embedded elements in an array), field: '{0}'"
    )]
    AmbiguousName(String),
    /// Its keys take more than [`KEYS_BYTES_MAX`]: each element of an array comes with all that the other paths lead to.
    #[error("Maximum number of generated keys exceeded.")]
    TooManyKeys,
}

/// The bytes that the keys of one document in one index may take.
pub const KEYS_BYTES_MAX: usize = 64 << 20;

/// Appends the least of the keys of the document in an index on these paths: what it is sorted by.
pub fn put_least_key(
    document: DocumentRef<'_>,
    paths: &[IndexPath],
    collation: Option<&Collation>,
    out: &mut Vec<u8>,
) -> Result<(), ExtractError> {
    let begin = out.len();
    for index in paths {
        let Some(value) = single_value(document, index.path.parts()) else {
            let all = keys_collated(document, paths, false, collation)?;
            out.truncate(begin);
            out.extend(all.keys.first().into_iter().flat_map(|least| &least.key));
            return Ok(());
        };
        let value = value.unwrap_or(ValueRef::Null);
        match collation.filter(|_| has_text(value)) {
            None => key::encode(value, index.direction, out),
            Some(collation) => key::encode(collation.key_value(value).as_ref(), index.direction, out),
        }
    }
    Ok(())
}

/// The value that a path reaches without passing or ending in an array; `None` if there is one.
fn single_value<'a>(document: DocumentRef<'a>, parts: &[Box<str>]) -> Option<Option<ValueRef<'a>>> {
    let mut value = ValueRef::Document(document);
    for part in parts {
        let ValueRef::Document(inner) = value else {
            return Some(None);
        };
        match inner.get(part) {
            Some(ValueRef::Array(_)) => return None,
            Some(next) => value = next,
            None => return Some(None),
        }
    }
    Some(Some(value))
}

/// The keys of the document in an index on these paths. A sparse index leaves out keys none of whose paths
/// reaches anything.
pub fn keys(document: DocumentRef<'_>, paths: &[IndexPath], sparse: bool) -> Result<IndexKeys, ExtractError> {
    keys_collated(document, paths, sparse, None)
}

/// [`keys`] with what stands for each string in this collation in the string's place.
pub fn keys_collated(
    document: DocumentRef<'_>,
    paths: &[IndexPath],
    sparse: bool,
    collation: Option<&Collation>,
) -> Result<IndexKeys, ExtractError> {
    match document {
        DocumentRef::Raw(document) => raw_keys(document, paths, sparse, collation),
        // Arrays are distinguished by the address of their bytes, which others do not have.
        other => raw_keys(other.to_buf().as_raw(), paths, sparse, collation),
    }
}

fn raw_keys<'p>(
    document: RawDocument<'_>,
    paths: &'p [IndexPath],
    sparse: bool,
    collation: Option<&'p Collation>,
) -> Result<IndexKeys, ExtractError> {
    let found = IndexKeys {
        keys: Vec::with_capacity(1),
        array_parts: vec![Vec::new(); paths.len()],
    };
    let mut extraction = Extraction {
        paths,
        sparse,
        collation,
        found,
        bytes: 0,
    };
    let progress = paths
        .iter()
        .map(|index| Progress::Pending(index.path.parts()))
        .collect();
    extraction.expand(Some(DocumentRef::Raw(document)), progress, &[])?;
    let mut found = extraction.found;
    found.keys.sort_by(|a, b| a.key.cmp(&b.key));
    found.keys.dedup_by(|a, b| a.key == b.key);
    for parts in &mut found.array_parts {
        parts.sort_unstable();
        parts.dedup();
    }
    Ok(found)
}

/// How far a path has been followed.
#[derive(Clone, Copy)]
enum Progress<'a, 'p> {
    /// These parts are left.
    Pending(&'p [Box<str>]),
    /// It reached this, or nothing.
    Done(Option<ValueRef<'a>>),
}

/// Where a path goes on that names one element of an array by its number.
#[derive(Clone, Copy)]
struct Positioned<'a, 'p> {
    element_is_array: bool,
    step: Step<'a, 'p>,
}

/// What a path reaches first: its end, an array on the way, or nothing; and the parts then left.
#[derive(Clone, Copy)]
struct Step<'a, 'p> {
    value: Option<ValueRef<'a>>,
    name: &'p str,
    rest: &'p [Box<str>],
}

/// The one array that is expanded on a level, and the paths that go through it.
struct Crossing<'a, 'p> {
    array: RawArray<'a>,
    name: &'p str,
    paths: Vec<usize>,
    /// Not where a path names an array within the array by its number: such an array is indexed whole.
    expands: bool,
}

struct Extraction<'p> {
    paths: &'p [IndexPath],
    sparse: bool,
    collation: Option<&'p Collation>,
    found: IndexKeys,
    /// Those of the keys that were found.
    bytes: usize,
}

impl<'p> Extraction<'p> {
    /// Follows all pending paths from one document, or from an element that is none.
    fn expand<'a>(
        &mut self,
        document: Option<DocumentRef<'a>>,
        mut progress: Vec<Progress<'a, 'p>>,
        positions: &[Option<Positioned<'a, 'p>>],
    ) -> Result<(), ExtractError> {
        let mut crossing: Option<Crossing<'a, 'p>> = None;
        for (index, progress) in progress.iter_mut().enumerate() {
            let Progress::Pending(parts) = *progress else {
                continue;
            };
            let positioned = positions.get(index).copied().flatten();
            let (step, within_array) = next_step(document, parts, positioned)?;
            let Some(ValueRef::Array(ArrayRef::Raw(array))) = step.value else {
                *progress = Progress::Done(step.value);
                continue;
            };
            *progress = Progress::Pending(step.rest);
            let crossing = crossing.get_or_insert_with(|| Crossing {
                array,
                name: step.name,
                paths: Vec::new(),
                expands: true,
            });
            if crossing.array.as_bytes().as_ptr() != array.as_bytes().as_ptr() {
                let (first, second) = (crossing.name.to_owned(), step.name.to_owned());
                return Err(ExtractError::ParallelArrays { first, second });
            }
            crossing.paths.push(index);
            crossing.expands &= !within_array;
        }
        match crossing {
            Some(crossing) => self.cross(&crossing, &progress),
            None => self.emit(&progress),
        }
    }

    /// Goes on with each element of an array.
    fn cross<'a>(
        &mut self,
        crossing: &Crossing<'a, 'p>,
        progress: &[Progress<'a, 'p>],
    ) -> Result<(), ExtractError> {
        if crossing.array.iter().next().is_none() {
            if crossing.expands {
                crossing
                    .paths
                    .iter()
                    .for_each(|&index| self.note_array(index, progress));
            }
            let progress = finish_last(progress, ValueRef::Undefined);
            return self.expand(None, progress, &[]);
        }
        let mut positions = vec![None; progress.len()];
        for &index in &crossing.paths {
            let Some(Progress::Pending(rest)) = progress.get(index) else {
                continue;
            };
            let positioned = position(crossing.array, rest);
            if positioned.is_none() && (crossing.expands || !rest.is_empty()) {
                self.note_array(index, progress);
            }
            if let Some(slot) = positions.get_mut(index) {
                *slot = positioned;
            }
        }
        let ends_here = |&index: &usize| matches!(progress.get(index), Some(Progress::Pending([])));
        let differ = crossing.expands && crossing.paths.iter().any(ends_here);
        let is_positioned = positions.iter().any(Option::is_some);
        let mut has_plain = false;
        for element in crossing.array.iter() {
            let inner = element.as_document();
            // Elements from which no path goes on by a name have the same keys, unless a path ends at them. Those may be large,
            // where a path leads to one element by its number.
            let is_plain = !differ
                && inner.is_none_or(|inner| {
                    (is_positioned || !crossing.expands) && !goes_on(inner, crossing, progress)
                });
            if is_plain && std::mem::replace(&mut has_plain, true) {
                continue;
            }
            let last = if crossing.expands {
                element
            } else {
                ValueRef::Array(ArrayRef::Raw(crossing.array))
            };
            self.expand(inner, finish_last(progress, last), &positions)?;
        }
        Ok(())
    }

    /// Notes which part of the path reached an array: the one before those that are left.
    fn note_array(&mut self, index: usize, progress: &[Progress<'_, '_>]) {
        if let (Some(Progress::Pending(rest)), Some(path), Some(noted)) = (
            progress.get(index),
            self.paths.get(index),
            self.found.array_parts.get_mut(index),
        ) {
            let part = path.path.parts().len() - rest.len() - 1;
            if noted.last() != Some(&part) {
                noted.push(part);
            }
        }
    }

    /// Adds the key of paths that all have ended.
    fn emit(&mut self, progress: &[Progress<'_, '_>]) -> Result<(), ExtractError> {
        let ends = || {
            progress.iter().map(|progress| match progress {
                Progress::Done(value) => *value,
                Progress::Pending(_) => None,
            })
        };
        if self.sparse && ends().all(|end| end.is_none()) {
            return Ok(());
        }
        let mut key = IndexKey {
            key: Vec::with_capacity(16),
            bits: TypeBits::default(),
        };
        for (end, index) in ends().zip(self.paths) {
            let value = end.unwrap_or(ValueRef::Null);
            match self.collation.filter(|_| has_text(value)) {
                None => key::encode_with_bits(value, index.direction, &mut key.key, &mut key.bits),
                Some(collation) => {
                    let value = collation.key_value(value);
                    key::encode_with_bits(value.as_ref(), index.direction, &mut key.key, &mut key.bits);
                }
            }
        }
        key.bits.trim();
        if self.found.keys.last().is_none_or(|last| last.key != key.key) {
            self.bytes += key.key.len();
            self.found.keys.push(key);
        }
        match self.bytes > KEYS_BYTES_MAX {
            true => Err(ExtractError::TooManyKeys),
            false => Ok(()),
        }
    }
}

/// Whether a path goes on from an element of the array by the name of one of its fields.
fn goes_on(element: DocumentRef<'_>, crossing: &Crossing<'_, '_>, progress: &[Progress<'_, '_>]) -> bool {
    crossing.paths.iter().any(|&index| match progress.get(index) {
        Some(Progress::Pending([name, ..])) => element.get(name).is_some(),
        _ => false,
    })
}

/// The progress with the paths that ended at the array given its element.
fn finish_last<'a, 'p>(progress: &[Progress<'a, 'p>], element: ValueRef<'a>) -> Vec<Progress<'a, 'p>> {
    let finish = |progress: &Progress<'a, 'p>| match progress {
        Progress::Pending([]) => Progress::Done(Some(element)),
        other => *other,
    };
    progress.iter().map(finish).collect()
}

/// The next step of a path, and whether it starts at an array within an array.
fn next_step<'a, 'p>(
    document: Option<DocumentRef<'a>>,
    parts: &'p [Box<str>],
    positioned: Option<Positioned<'a, 'p>>,
) -> Result<(Step<'a, 'p>, bool), ExtractError> {
    let name = parts.first().map_or("", |part| part);
    let field = document.and_then(|document| document.get(name));
    match (field, positioned) {
        (Some(_), Some(_)) => Err(ExtractError::AmbiguousName(name.to_owned())),
        (Some(value), None) => Ok((follow(value, parts), false)),
        (None, Some(positioned)) => Ok((positioned.step, positioned.element_is_array)),
        (None, None) => Ok((
            Step {
                value: None,
                name,
                rest: &[],
            },
            false,
        )),
    }
}

/// The step to the element of the array that the first of the parts names by its number.
fn position<'a, 'p>(array: RawArray<'a>, parts: &'p [Box<str>]) -> Option<Positioned<'a, 'p>> {
    let element = array.iter().nth(array_position(parts.first()?)?)?;
    let element_is_array = matches!(element, ValueRef::Array(_));
    Some(Positioned {
        element_is_array,
        step: follow(element, parts),
    })
}

/// Follows a path whose first part is `value`, up to its end or the first array.
fn follow<'a, 'p>(mut value: ValueRef<'a>, mut parts: &'p [Box<str>]) -> Step<'a, 'p> {
    while let Some((name, rest)) = parts.split_first() {
        let inner = match value {
            _ if rest.is_empty() => {
                return Step {
                    value: Some(value),
                    name,
                    rest,
                };
            }
            ValueRef::Array(_) => {
                return Step {
                    value: Some(value),
                    name,
                    rest,
                };
            }
            ValueRef::Document(inner) => rest.first().and_then(|next| inner.get(next)),
            _ => None,
        };
        match inner {
            Some(inner) => value = inner,
            None => break,
        }
        parts = rest;
    }
    Step {
        value: None,
        name: "",
        rest: &[],
    }
}
