//! The cells of an index that conditions on places ask for.

use super::facts::FieldKind;
use super::interval::{Cut, Interval, Intervals};
use super::predicate::KeySet;
use geometry::cells::{self, Range};
use language::filter::Predicate;
use value::Value;

/// Whether a predicate is about places.
pub fn is_place(predicate: &Predicate) -> bool {
    matches!(predicate, Predicate::Geo(_) | Predicate::Near(_))
}

/// Whether an index that keeps places in this way finds all documents that satisfy the predicate.
pub fn asks(kind: FieldKind, predicate: &Predicate) -> bool {
    keys(kind, predicate).is_some()
}

/// The cells of a predicate's area; `None` if the area is not on the index's surface. Documents are always matched again, since a
/// cell is only roughly where a place is.
pub fn keys(kind: FieldKind, predicate: &Predicate) -> Option<KeySet> {
    let Predicate::Geo(condition) = predicate else {
        return None;
    };
    let ranges = match kind {
        FieldKind::Sphere => cells::on_sphere(&condition.area),
        FieldKind::Plane(grid) => cells::on_grid(grid, &condition.area),
        _ => None,
    };
    ranges.map(|ranges| KeySet {
        keys: intervals(&ranges),
        exact: false,
    })
}

/// Ranges of cells as intervals of an index's values.
pub fn intervals(ranges: &[Range]) -> Intervals {
    let interval = |(low, high): &Range| {
        let high = Cut::after(Value::Int64(*high));
        Interval::new(Cut::before(Value::Int64(*low)), high)
    };
    Intervals::from(ranges.iter().map(interval).collect::<Vec<_>>())
}
