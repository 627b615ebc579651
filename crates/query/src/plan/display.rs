//! Writing bounds as `explain` does (`[1.0, 5.0)`), and plans as the profiler does (`IXSCAN { a: 1 }`).

use super::interval::{Interval, Intervals};
use super::tree::{Access, Plan};
use std::fmt;
use value::shell;

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.access {
            Access::Nothing => return f.write_str("EOF"),
            Access::Collection { .. } => return f.write_str("COLLSCAN"),
            Access::Id(_) => return f.write_str("IDHACK"),
            Access::Near(near) => {
                let key = shell::document((&near.scan.facts.key).into());
                return write!(f, "{} {key}", near.stage_name());
            }
            Access::Index(_) | Access::Union(_) | Access::Merge(..) => {}
        }
        let mut scans: Vec<String> = Vec::new();
        for scan in self.scans() {
            let shown = format!("IXSCAN {}", shell::document((&scan.facts.key).into()));
            if !scans.contains(&shown) {
                scans.push(shown);
            }
        }
        f.write_str(&scans.join(", "))
    }
}

/// All intervals in the order in which they are read.
pub fn intervals(set: &Intervals, reversed: bool) -> Vec<String> {
    let shown = set
        .as_slice()
        .iter()
        .map(|interval| self::interval(interval, reversed));
    if reversed {
        shown.rev().collect()
    } else {
        shown.collect()
    }
}

fn interval(interval: &Interval, reversed: bool) -> String {
    let low_included = !interval.low.after;
    let high_included = interval.high.after;
    let (low, high) = (
        shell::value(interval.low.value.as_ref()),
        shell::value(interval.high.value.as_ref()),
    );
    let ((from, from_included), (to, to_included)) = if reversed {
        ((high, high_included), (low, low_included))
    } else {
        ((low, low_included), (high, high_included))
    };
    let open = if from_included { '[' } else { '(' };
    let close = if to_included { ']' } else { ')' };
    format!("{open}{from}, {to}{close}")
}
