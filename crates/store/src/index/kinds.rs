//! Keys of wildcard, geospatial and text indexes, which are made of more than the values at their paths.
//!
//! The key of an entry has a part for each field, as in other indexes; a wildcard has two, the path and the value. The part of a
//! geospatial field is a cell (`places`), that of a text field a term.

use super::places::{self, Cells};
use super::{FieldKind, Index, Wildcard};
use crate::StoreError;
use code::Code;
use std::sync::Arc;
use text::TextFields;
use value::key::{self, Direction, TypeBits};
use value::path::extract::{self, ExtractError, IndexKey, IndexKeys, IndexPath, KEYS_BYTES_MAX};
use value::{DocumentRef, Value, ValueRef};

/// MongoDB's code for an array in another field of a compound wildcard index, where only the wildcard's values may be arrays.
const ARRAY_BESIDE_WILDCARD: Code = Code::location(7_246_301);

/// How the fields of an index are filled that is not made of values alone.
#[derive(Clone, Debug)]
pub(super) struct Kinds {
    /// The fields that hold values.
    plain: Vec<IndexPath>,
    wildcard: Option<Wildcard>,
    text: Option<Arc<TextFields>>,
}

impl Kinds {
    /// `None` if all fields hold values.
    pub(super) fn of(
        index_fields: &[super::IndexField],
        spec: &super::IndexSpec,
    ) -> Result<Option<Kinds>, StoreError> {
        let is_plain = |kind| {
            matches!(
                kind,
                FieldKind::Ascending | FieldKind::Descending | FieldKind::Hashed
            )
        };
        if index_fields.iter().all(|field| is_plain(field.kind)) {
            return Ok(None);
        }
        let projection = match spec.kept.get("wildcardProjection") {
            Some(Value::Document(projection)) => Some(projection),
            _ => None,
        };
        let wildcard = index_fields
            .iter()
            .find(|field| matches!(field.kind, FieldKind::Wildcard(_)))
            .map(|field| Wildcard::parse(&field.path.to_string(), projection))
            .transpose()?;
        let plain = index_fields.iter().filter(|field| is_plain(field.kind));
        Ok(Some(Kinds {
            plain: plain
                .map(|field| IndexPath {
                    path: field.path.clone(),
                    direction: field.kind.direction(),
                })
                .collect(),
            wildcard,
            text: spec
                .is_text()
                .then(|| Arc::new(TextFields::of_options(&spec.kept))),
        }))
    }

    /// The paths that the wildcard field holds.
    pub(super) fn wildcard(&self) -> Option<&Wildcard> {
        self.wildcard.as_ref()
    }

    /// The strings that a text index holds.
    pub(super) fn text(&self) -> Option<&Arc<TextFields>> {
        self.text.as_ref()
    }

    pub(super) fn keys(&self, index: &Index, document: DocumentRef<'_>) -> Result<IndexKeys, Refused> {
        if index.is_collated() {
            return Ok(super::collated::keys(
                &index.fields,
                index.spec.is_partitioned(),
                document,
            ));
        }
        let specials = self.specials(index, document)?;
        if specials.is_none() && self.wildcard.is_none() {
            return Ok(IndexKeys::default());
        }
        let plain = self.plain_keys(index, document)?;
        let Some(specials) = specials else {
            return Ok(IndexKeys::default());
        };
        let mut found = IndexKeys {
            keys: Vec::new(),
            array_parts: array_parts(index, &plain, &specials.several),
        };
        places::check_product(plain.keys.len(), specials.sets.len())?;
        let mut bytes = 0;
        for key in &plain.keys {
            let values = self.decoded(key);
            for special in &specials.sets {
                let key = join(index, &values, special);
                bytes += key.key.len();
                if bytes > KEYS_BYTES_MAX {
                    return Err(Refused::Extract(ExtractError::TooManyKeys));
                }
                found.keys.push(key);
            }
        }
        found.keys.sort_by(|a, b| a.key.cmp(&b.key));
        found.keys.dedup_by(|a, b| a.key == b.key);
        Ok(found)
    }

    /// The values of the plain fields. Beside a wildcard, which has many entries already, none may be an array.
    fn plain_keys(&self, index: &Index, document: DocumentRef<'_>) -> Result<IndexKeys, Refused> {
        let plain = extract::keys_collated(document, &self.plain, false, index.collation.as_ref());
        let with_array = match &plain {
            Ok(found) => found.array_parts.iter().position(|parts| !parts.is_empty()),
            Err(ExtractError::ParallelArrays { .. }) => Some(0),
            Err(_) => None,
        };
        let with_array = with_array.and_then(|place| self.plain.get(place));
        if self.wildcard.is_some() && with_array.is_some() {
            let why = "the fields beside the wildcard of a compound index cannot be arrays".to_owned();
            return Err(Refused::Value(ARRAY_BESIDE_WILDCARD, why));
        }
        if let (Some(_), Some(IndexPath { path, .. })) = (&self.text, with_array) {
            let why = format!("Field '{path}' of text index contains an array in document");
            return Err(Refused::Value(Code::CANNOT_BUILD_INDEX_KEYS, why));
        }
        plain.map_err(Refused::Extract)
    }

    /// The parts of the special fields, one for each entry; `None` if the document has no entry.
    fn specials<'a>(
        &self,
        index: &Index,
        document: DocumentRef<'a>,
    ) -> Result<Option<Specials<'a>>, Refused> {
        if let Some(wildcard) = &self.wildcard {
            let found = wildcard.entries(document);
            if found.path_bytes > KEYS_BYTES_MAX {
                return Err(Refused::Extract(ExtractError::TooManyKeys));
            }
            let sets = found
                .values
                .into_iter()
                .map(|(path, value)| Special::Path(path, value));
            let sets: Vec<Special<'a>> = sets.collect();
            return Ok((!sets.is_empty()).then_some(Specials {
                sets,
                several: vec![found.arrays],
            }));
        }
        if let Some(text) = &self.text {
            let weighed = |(term, weight): (String, f64)| text::weighed(&term, weight);
            let terms: Result<Vec<String>, _> = match index.has_weighed_terms() {
                true => text
                    .weighed_terms(document)
                    .map(|terms| terms.into_iter().map(weighed).collect()),
                false => text.terms(document).map(Vec::from_iter),
            };
            let terms = terms.map_err(|error| Refused::Value(error.code, error.message))?;
            let several = vec![terms.len() > 1];
            let sets: Vec<Special<'a>> = terms.into_iter().map(Special::Term).collect();
            return Ok((!sets.is_empty()).then_some(Specials { sets, several }));
        }
        let places = places::places(index, document)?;
        Ok(places.map(|places| Specials {
            sets: places.sets.into_iter().map(Special::Cells).collect(),
            several: places.several,
        }))
    }

    fn decoded(&self, key: &IndexKey) -> Vec<Value> {
        let (mut rest, mut bits) = (key.key.as_slice(), key.bits.0.as_slice());
        self.plain
            .iter()
            .map_while(|path| key::decode(&mut rest, &mut bits, path.direction))
            .collect()
    }
}

/// Why a document cannot be in the index.
pub(super) enum Refused {
    Extract(ExtractError),
    /// MongoDB's code and message for a value that is wrong.
    Value(Code, String),
}

struct Specials<'a> {
    sets: Vec<Special<'a>>,
    /// For the wildcard, the texts, or each geospatial field, whether one document has several values in it.
    several: Vec<bool>,
}

enum Special<'a> {
    /// A wildcard's path and value.
    Path(String, ValueRef<'a>),
    /// A cell for each geospatial field.
    Cells(Cells),
    /// A term of a text; with its weight in an index of weighed terms.
    Term(String),
}

/// A key made of the values of the plain fields and the parts of the special ones.
fn join(index: &Index, values: &[Value], special: &Special<'_>) -> IndexKey {
    let mut key = IndexKey {
        key: Vec::new(),
        bits: TypeBits::default(),
    };
    let (mut values, mut place) = (values.iter(), 0);
    let mut put = |value: ValueRef<'_>, direction| {
        key::encode_with_bits(value, direction, &mut key.key, &mut key.bits);
    };
    for field in index.fields.iter() {
        match (field.kind, special) {
            (FieldKind::Wildcard(direction), Special::Path(path, value)) => {
                put(ValueRef::String(path), Direction::Ascending);
                match &index.collation {
                    Some(collation) => put(collation.key_value(*value).as_ref(), direction),
                    None => put(*value, direction),
                }
            }
            (FieldKind::Geo2d | FieldKind::Geo2dSphere, Special::Cells(cells)) => {
                let cell = cells.get(place).copied().flatten();
                put(cell.map_or(ValueRef::Null, ValueRef::Int64), Direction::Ascending);
                place += 1;
            }
            (FieldKind::Text, Special::Term(term)) => put(ValueRef::String(term), Direction::Ascending),
            (kind, _) => {
                let value = values.next().map_or(ValueRef::Null, Value::as_ref);
                match kind {
                    FieldKind::Hashed => put(ValueRef::Int64(key::hash_of_value(value)), kind.direction()),
                    _ => put(value, kind.direction()),
                }
            }
        }
    }
    key.bits.trim();
    key
}

/// For each field of the index, the parts of its path that reached arrays; a wildcard and a place have one part.
fn array_parts(index: &Index, plain: &IndexKeys, several: &[bool]) -> Vec<Vec<usize>> {
    let (mut plain, mut several) = (plain.array_parts.iter(), several.iter());
    let parts = |field: &super::IndexField| match field.kind {
        FieldKind::Wildcard(_) | FieldKind::Geo2d | FieldKind::Geo2dSphere | FieldKind::Text => {
            match several.next() {
                Some(true) => vec![0],
                _ => Vec::new(),
            }
        }
        FieldKind::Collated => Vec::new(),
        _ => plain.next().cloned().unwrap_or_default(),
    };
    index.fields.iter().map(parts).collect()
}
