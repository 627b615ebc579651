//! Keys of indexes that hold more of a document than the values at their paths: wildcard and geospatial ones.
//!
//! The key of an entry has a part for each field, as in other indexes; a wildcard has two, the path and the value. A
//! geospatial field's part is `true` where the document has a geometry there and null where it has none: the index
//! names the documents that have one, whatever its place. A text index has no entries.

use super::{FieldKind, Index, Wildcard};
use crate::StoreError;
use code::Code;
use value::geometry::{Geometry, planar_points};
use value::key::{self, Direction, TypeBits};
use value::path::extract::{self, ExtractError, IndexKey, IndexKeys, IndexPath};
use value::path::{self, FieldPath, Reached};
use value::{DocumentRef, Value, ValueRef};

/// MongoDB's code for an array in a compound wildcard index where only the wildcard's values may be arrays.
const ARRAY_BESIDE_WILDCARD: Code = Code::location(7_246_301);

/// What stands in a geospatial field's part of a key where there is a geometry.
const PRESENT: ValueRef<'static> = ValueRef::Bool(true);

/// How the fields of an index that is not made of values alone are filled.
#[derive(Clone, Debug)]
pub(super) struct Kinds {
    /// The fields that are values.
    plain: Vec<IndexPath>,
    wildcard: Option<Wildcard>,
    /// The range of a 2d index's coordinates.
    planar_range: (f64, f64),
}

impl Kinds {
    /// `None` if all fields are values.
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
        let bound = |name: &str| spec.kept.get(name).and_then(|bound| bound.as_ref().as_f64());
        Ok(Some(Kinds {
            plain: plain
                .map(|field| IndexPath {
                    path: field.path.clone(),
                    direction: field.kind.direction(),
                })
                .collect(),
            wildcard,
            planar_range: (bound("min").unwrap_or(-180.0), bound("max").unwrap_or(180.0)),
        }))
    }

    /// Which paths the wildcard among the fields holds.
    pub(super) fn wildcard(&self) -> Option<&Wildcard> {
        self.wildcard.as_ref()
    }

    /// The keys of a document.
    pub(super) fn keys(&self, index: &Index, document: DocumentRef<'_>) -> Result<IndexKeys, Refused> {
        if index.fields.iter().any(|field| field.kind == FieldKind::Text) {
            return Ok(IndexKeys::default());
        }
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
            keys: Vec::with_capacity(plain.keys.len() * specials.sets.len()),
            array_parts: array_parts(index, &plain, specials.arrays),
        };
        for key in &plain.keys {
            let values = self.decoded(key);
            for special in &specials.sets {
                found.keys.push(join(index, &values, special));
            }
        }
        found.keys.sort_by(|a, b| a.key.cmp(&b.key));
        found.keys.dedup_by(|a, b| a.key == b.key);
        Ok(found)
    }

    /// What stands in the fields that are values. Beside a wildcard, whose entries are many already, there may be no
    /// arrays.
    fn plain_keys(&self, index: &Index, document: DocumentRef<'_>) -> Result<IndexKeys, Refused> {
        let plain = extract::keys_collated(document, &self.plain, false, index.collation.as_ref());
        let has_arrays = match &plain {
            Ok(found) => found.array_parts.iter().any(|parts| !parts.is_empty()),
            Err(error) => matches!(error, ExtractError::ParallelArrays { .. }),
        };
        if self.wildcard.is_some() && has_arrays {
            let why = "the fields beside the wildcard of a compound index cannot be arrays".to_owned();
            return Err(Refused::Value(ARRAY_BESIDE_WILDCARD, why));
        }
        plain.map_err(Refused::Extract)
    }

    /// What stands in the fields that are no values, once for each entry; `None` if the document has no entry.
    fn specials<'a>(
        &self,
        index: &Index,
        document: DocumentRef<'a>,
    ) -> Result<Option<Specials<'a>>, Refused> {
        if let Some(wildcard) = &self.wildcard {
            let found = wildcard.entries(document);
            let sets = found
                .values
                .into_iter()
                .map(|(path, value)| Special::Path(path, value));
            let sets: Vec<Special<'a>> = sets.collect();
            return Ok((!sets.is_empty()).then_some(Specials {
                sets,
                arrays: found.arrays,
            }));
        }
        let mut present = Vec::new();
        for field in index.fields.iter() {
            match field.kind {
                FieldKind::Geo2dSphere => present.push(has_geometry(document, &field.path)?),
                FieldKind::Geo2d => present.push(self.has_points(document, &field.path)?),
                _ => {}
            }
        }
        Ok(present.contains(&true).then(|| Specials {
            sets: vec![Special::Geometries(present)],
            arrays: false,
        }))
    }

    fn has_points(&self, document: DocumentRef<'_>, path: &FieldPath) -> Result<bool, Refused> {
        let (low, high) = self.planar_range;
        each_geometry(document, path, |value| {
            let points = planar_points(value).map_err(|why| Refused::Value(Code::location(16_804), why))?;
            match points
                .iter()
                .flatten()
                .find(|place| !(low..=high).contains(*place))
            {
                Some(_) => {
                    let why = format!("point not in interval of [ {low}, {high} ]");
                    Err(Refused::Value(Code::location(13_027), why))
                }
                None => Ok(()),
            }
        })
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
    /// MongoDB's code, and what is wrong with a value.
    Value(Code, String),
}

struct Specials<'a> {
    sets: Vec<Special<'a>>,
    arrays: bool,
}

enum Special<'a> {
    /// A wildcard's path and value.
    Path(String, ValueRef<'a>),
    /// For each geospatial field whether it has a geometry.
    Geometries(Vec<bool>),
}

/// A key out of the values of the plain fields and what stands in the others.
fn join(index: &Index, values: &[Value], special: &Special<'_>) -> IndexKey {
    let mut key = IndexKey {
        key: Vec::new(),
        bits: TypeBits::default(),
    };
    let (mut values, mut geometry) = (values.iter(), 0);
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
            (FieldKind::Geo2d | FieldKind::Geo2dSphere, Special::Geometries(present)) => {
                let value = match present.get(geometry) {
                    Some(true) => PRESENT,
                    _ => ValueRef::Null,
                };
                put(value, Direction::Ascending);
                geometry += 1;
            }
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

/// For each field of the index the parts of its path that reached arrays; a wildcard has one part.
fn array_parts(index: &Index, plain: &IndexKeys, wildcard_arrays: bool) -> Vec<Vec<usize>> {
    let mut plain = plain.array_parts.iter();
    let parts = |field: &super::IndexField| match field.kind {
        FieldKind::Wildcard(_) if wildcard_arrays => vec![0],
        FieldKind::Wildcard(_)
        | FieldKind::Geo2d
        | FieldKind::Geo2dSphere
        | FieldKind::Text
        | FieldKind::Collated => Vec::new(),
        _ => plain.next().cloned().unwrap_or_default(),
    };
    index.fields.iter().map(parts).collect()
}

fn has_geometry(document: DocumentRef<'_>, path: &FieldPath) -> Result<bool, Refused> {
    each_geometry(document, path, |value| match Geometry::parse(value) {
        Ok(_) => Ok(()),
        Err(why) => {
            let mut shown = String::new();
            value::json::write(value, value::json::Mode::Relaxed, &mut shown);
            Err(Refused::Value(
                Code::location(16_755),
                format!("Can't extract geo keys: {shown} {why}"),
            ))
        }
    })
}

/// Checks every value that a path reaches but null; whether there was one.
fn each_geometry(
    document: DocumentRef<'_>,
    path: &FieldPath,
    mut check: impl FnMut(ValueRef<'_>) -> Result<(), Refused>,
) -> Result<bool, Refused> {
    let (mut any, mut outcome) = (false, Ok(()));
    path::visit(document, path, &mut |reached: Reached<'_>| {
        if let Some(value) = reached
            .value
            .filter(|value| !matches!(value, ValueRef::Null | ValueRef::Undefined))
        {
            any = true;
            outcome = check(value);
        }
        outcome.is_err()
    });
    outcome.map(|()| any)
}
