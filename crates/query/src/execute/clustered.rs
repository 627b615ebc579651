//! The natural order of a clustered collection: that of its `_id`s. Here its documents are kept in the order of insertion as
//! all others are, so the index on `_id` is read in its place.

use super::find::FindSpec;
use crate::Result;
use crate::plan::{Hint, Ordering, SortPattern};
use store::{Collection, Order};
use value::doc;

/// Whether there are indexes besides those on `_id`.
fn has_others(collection: &Collection) -> bool {
    let indexes = collection.indexes();
    let mut others = indexes.iter().skip(1).map(|index| index.spec());
    others.any(|spec| !spec.is_id_under_collation())
}

/// What is asked of a collection, in the order that a clustered one has by itself.
pub(super) fn in_order(collection: &Collection, mut spec: FindSpec) -> Result<FindSpec> {
    if !collection.options().kept.contains("clusteredIndex") {
        return Ok(spec);
    }
    let order = match (&spec.ordering, &spec.hint) {
        (Ordering::Natural(order), _) | (Ordering::Any, Some(Hint::Natural(order))) => *order,
        // Where another index may be read, the order is that index's.
        (Ordering::Any, None) if spec.filter.is_empty() || !has_others(collection) => Order::Forward,
        _ => return Ok(spec),
    };
    if matches!(spec.hint, Some(Hint::Natural(_))) {
        spec.hint = None;
    }
    let by_id = match order {
        Order::Forward => doc! {"_id": 1},
        Order::Backward => doc! {"_id": -1},
    };
    spec.ordering = Ordering::By(SortPattern::parse(&by_id)?);
    Ok(spec)
}
