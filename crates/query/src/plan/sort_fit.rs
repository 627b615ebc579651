//! Whether an index scan is in the order that a query asks for.

use super::facts::{FieldKind, IndexFacts};
use super::index_bounds::first_part;
use super::interval::Intervals;
use super::leaves::has_number;
use super::sort::SortPattern;
use store::Order;

/// How an index scan meets a sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SortFit {
    /// Read this way, the keys come sorted.
    Sorted {
        /// The direction.
        order: Order,
    },
    /// The first fields have some single values each. The scans of all their combinations, merged by the fields after them, come
    /// sorted.
    Merged {
        /// The direction in which each is read.
        order: Order,
        /// The number of fields that are taken apart.
        fields: usize,
    },
    /// The results must be sorted.
    Unsorted,
}

/// No query is taken apart into more scans than this.
pub const MERGED_SCANS_MAX: usize = 200;

/// How a scan of the index within bounds meets the sort.
pub fn sort_fit(index: &IndexFacts, bounds: &[Intervals], sort: &SortPattern) -> SortFit {
    if index.collation.as_ref() != sort.collation() {
        return SortFit::Unsorted;
    }
    let mut wanted = sort.fields().iter().peekable();
    let mut order: Option<Order> = None;
    let (mut scans, mut taken_apart) = (1usize, 0);
    for (position, field) in index.fields.iter().enumerate() {
        let bound = &bounds[position];
        // A field with a single value does not affect the order. A multikey field never counts as one: a document is
        // sorted by its least element, which need not be the one within the bounds.
        while let Some(next) = wanted.peek() {
            if !is_constant(index, bounds, &next.name) {
                break;
            }
            wanted.next();
        }
        let Some(next) = wanted.peek() else { break };
        if next.name == field.name {
            let FieldKind::Ordered(direction) = field.kind else {
                return SortFit::Unsorted;
            };
            // A sparse index has no null key for an array element that lacks the path.
            let lacks_nulls = index.sparse && field.multikey && field.name.contains('.');
            if lacks_nulls || has_number(&field.name) {
                return SortFit::Unsorted;
            }
            let needed = match direction == next.direction {
                true => Order::Forward,
                false => Order::Backward,
            };
            if *order.get_or_insert(needed) != needed || !gives_least_element(index, bounds, position) {
                return SortFit::Unsorted;
            }
            wanted.next();
        } else if bound.is_points() && order.is_none() {
            // Several single values before the sorted fields: one scan for each keeps this field constant.
            scans = scans.saturating_mul(bound.as_slice().len());
            if bound.as_slice().len() > 1 {
                taken_apart = position + 1;
            }
        } else if !bound.is_point() {
            return SortFit::Unsorted;
        }
    }
    let rest_is_constant = wanted.all(|next| is_constant(index, bounds, &next.name));
    let order = order.unwrap_or(Order::Forward);
    match () {
        () if !rest_is_constant => SortFit::Unsorted,
        () if taken_apart == 0 => SortFit::Sorted { order },
        () if scans <= MERGED_SCANS_MAX => SortFit::Merged {
            order,
            fields: taken_apart,
        },
        () => SortFit::Unsorted,
    }
}

fn is_constant(index: &IndexFacts, bounds: &[Intervals], name: &str) -> bool {
    index.fields.iter().zip(bounds).any(|(field, bound)| {
        field.name == name
            && !field.multikey
            && matches!(field.kind, FieldKind::Ordered(_))
            && bound.is_point()
    })
}

/// A document is sorted by the least element of an array (the largest, if descending). The scan meets that one first
/// only if no bounds exclude it, neither on this field nor on another of the same array.
fn gives_least_element(index: &IndexFacts, bounds: &[Intervals], position: usize) -> bool {
    let field = &index.fields[position];
    if !field.multikey {
        return true;
    }
    let shares_array = |other: usize| {
        index.fields[other].multikey && first_part(&index.fields[other].name) == first_part(&field.name)
    };
    bounds[position].is_all() && (0..bounds.len()).all(|other| other == position || !shares_array(other))
}
