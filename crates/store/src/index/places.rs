//! The cells in the geospatial fields of an index.
//!
//! A field's part of a key is the number of a cell that the document's place lies in, as a 64-bit integer, or null if the document
//! has no place there. A line or polygon has several cells, with an entry for each.

use super::kinds::Refused;
use super::{FieldKind, Index, IndexSpec};
use code::Code;
use geometry::cells::{self, Grid};
use geometry::{Stored, holds_nothing, planar_points};
use value::path::extract::ExtractError;
use value::path::{self, FieldPath, Reached};
use value::{DocumentRef, Value, ValueRef};

/// The plane of a 2d index by default: degrees, to about a metre.
const PLANE: Grid = Grid {
    min: -180.0,
    max: 180.0,
    bits: 26,
};

/// The number of entries that one document may have if two fields have many values each, all of which are combined (MongoDB's default
/// of `indexMaxNumGeneratedKeysPerDocument`).
const PRODUCT_MAX: usize = 100_000;

/// The cells of one entry: one for each geospatial field, in order.
pub(super) type Cells = Vec<Option<i64>>;

/// The geospatial fields' parts of a document's entries.
pub(super) struct Places {
    /// The cells of each entry.
    pub(super) sets: Vec<Cells>,
    /// For each geospatial field, whether the document has several cells there.
    pub(super) several: Vec<bool>,
}

impl IndexSpec {
    /// The part of the plane that a 2d index covers.
    pub fn grid(&self) -> Grid {
        let number = |name: &str| self.kept.get(name).and_then(|bound| bound.as_ref().as_f64());
        Grid {
            min: number("min").unwrap_or(PLANE.min),
            max: number("max").unwrap_or(PLANE.max),
            bits: number("bits").map_or(PLANE.bits, |bits| bits.clamp(1.0, 32.0) as u8),
        }
    }

    /// Whether it has a geospatial field.
    pub(crate) fn has_places(&self) -> bool {
        self.key
            .iter()
            .any(|(_, kind)| matches!(kind, Value::String(kind) if kind == "2d" || kind == "2dsphere"))
    }
}

/// Fails if there would be too many entries: one for each pair of these values.
pub(super) fn check_product(one: usize, other: usize) -> Result<(), Refused> {
    match one > 1 && other > 1 && one.saturating_mul(other) > PRODUCT_MAX {
        true => Err(Refused::Extract(ExtractError::TooManyKeys)),
        false => Ok(()),
    }
}

/// The places of a document in an index; `None` if it has none, and therefore no entry.
pub(super) fn places(index: &Index, document: DocumentRef<'_>) -> Result<Option<Places>, Refused> {
    let mut places = Places {
        sets: vec![Vec::new()],
        several: Vec::new(),
    };
    let mut any = false;
    for field in index.fields() {
        let found = match field.kind {
            FieldKind::Geo2dSphere => on_sphere(document, &field.path)?,
            FieldKind::Geo2d => on_plane(index.spec().grid(), document, &field.path)?,
            _ => continue,
        };
        any |= !found.is_empty();
        places.several.push(found.len() > 1);
        let choices: Vec<Option<i64>> = match found.is_empty() {
            true => vec![None],
            false => found.into_iter().map(Some).collect(),
        };
        // With several fields, each place of one is combined with each place of the others.
        check_product(places.sets.len(), choices.len())?;
        let longer = |set: &Cells| -> Vec<Cells> {
            let with = |choice: &Option<i64>| set.iter().copied().chain([*choice]).collect();
            choices.iter().map(with).collect()
        };
        places.sets = places.sets.iter().flat_map(longer).collect();
    }
    Ok(any.then_some(places))
}

fn on_plane(grid: Grid, document: DocumentRef<'_>, path: &FieldPath) -> Result<Vec<i64>, Refused> {
    each_place(document, path, |value, cells| {
        let points =
            planar_points(value).map_err(|why| Refused::Value(Code::location(16_804), why.message))?;
        for point in points {
            if point.iter().any(|place| !(grid.min..=grid.max).contains(place)) {
                let why = format!("point not in interval of [ {}, {} ]", grid.min, grid.max);
                return Err(Refused::Value(Code::location(13_027), why));
            }
            cells.push(cells::of_point(grid, point));
        }
        Ok(())
    })
}

fn on_sphere(document: DocumentRef<'_>, path: &FieldPath) -> Result<Vec<i64>, Refused> {
    each_place(document, path, |value, cells| {
        let stored = Stored::parse(value);
        let geometry = stored.as_ref().map_err(Clone::clone).and_then(Stored::on_sphere);
        match geometry {
            Ok(geometry) => cells.extend(cells::of_geometry(&geometry)),
            Err(why) => {
                let mut shown = String::new();
                value::json::write(value, value::json::Mode::Relaxed, &mut shown);
                let message = format!("Can't extract geo keys: {shown} {why}");
                return Err(Refused::Value(Code::location(16_755), message));
            }
        }
        Ok(())
    })
}

/// The cells of every value that a path reaches, except null and what is empty.
fn each_place(
    document: DocumentRef<'_>,
    path: &FieldPath,
    mut add: impl FnMut(ValueRef<'_>, &mut Vec<i64>) -> Result<(), Refused>,
) -> Result<Vec<i64>, Refused> {
    let (mut cells, mut outcome) = (Vec::new(), Ok(()));
    path::visit(document, path, &mut |reached: Reached<'_>| {
        if let Some(value) = reached
            .value
            .filter(|value| !matches!(value, ValueRef::Null | ValueRef::Undefined) && !holds_nothing(*value))
        {
            outcome = add(value, &mut cells);
        }
        outcome.is_err()
    });
    cells.sort_unstable();
    cells.dedup();
    outcome.map(|()| cells)
}
