//! The natural order of a clustered collection is that of its `_id`s. Its documents are stored in the order of insertion, as in all
//! collections, so the index on `_id` is read instead.

use super::find::FindSpec;
use crate::Result;
use crate::plan::{Hint, Ordering, SortPattern};
use store::{Collection, Order};
use value::doc;

/// Whether the collection has indexes besides those on `_id`.
fn has_others(collection: &Collection) -> bool {
    let indexes = collection.indexes();
    let mut others = indexes.iter().skip(1).map(|index| index.spec());
    others.any(|spec| !spec.is_id_under_collation())
}

/// The request with the order that a clustered collection has by itself; unchanged for other collections.
pub(super) fn in_order(collection: &Collection, mut spec: FindSpec) -> Result<FindSpec> {
    if !collection.options().kept.contains("clusteredIndex") {
        return Ok(spec);
    }
    let order = match (&spec.ordering, &spec.hint) {
        (Ordering::Natural(order), _) | (Ordering::Any, Some(Hint::Natural(order))) => *order,
        // If another index may be read, its order is used.
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
