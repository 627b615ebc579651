//! Covering an area with few cells.

use super::Relation;
use std::collections::VecDeque;

/// A square that is divided in four.
pub(super) trait Cell: Copy {
    /// The four in it; `None` if it is of the smallest.
    fn children(self) -> Option<[Self; 4]>;
}

/// Cells that together hold all of an area, as small as can be with no more than about `count_max` of them.
pub(super) fn cover<C: Cell>(
    roots: impl IntoIterator<Item = C>,
    count_max: usize,
    relation: impl Fn(C) -> Relation,
) -> Vec<C> {
    let mut done = Vec::new();
    // First in, first out: the larger cells are divided before the smaller ones.
    let mut open: VecDeque<C> = VecDeque::new();
    let sort = |cells: &mut dyn Iterator<Item = C>, done: &mut Vec<C>| {
        let mut overlapping = Vec::new();
        for cell in cells {
            match relation(cell) {
                Relation::Outside => {}
                Relation::Inside => done.push(cell),
                Relation::Overlaps => overlapping.push(cell),
            }
        }
        overlapping
    };
    open.extend(sort(&mut roots.into_iter(), &mut done));
    while let Some(cell) = open.pop_front() {
        let Some(children) = cell.children() else {
            done.push(cell);
            continue;
        };
        let mut inside = Vec::new();
        let overlapping = sort(&mut children.into_iter(), &mut inside);
        let count = done.len() + open.len() + inside.len() + overlapping.len();
        // A cell of which one part alone is wanted is always divided.
        if count > count_max && inside.len() + overlapping.len() > 1 {
            done.push(cell);
        } else {
            done.append(&mut inside);
            open.extend(overlapping);
        }
    }
    done
}
