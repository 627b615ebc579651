//! Sets of values as disjoint intervals: the bounds of one field of an index.

use std::cmp::Ordering;
use value::{Value, compare};

/// A place between two values: just before or just after a value.
#[derive(Clone, Debug)]
pub struct Cut {
    /// The value before or after which it cuts.
    pub value: Value,
    /// Whether the place is after the value (and all that equal it).
    pub after: bool,
}

impl Cut {
    /// Just before the value.
    pub fn before(value: impl Into<Value>) -> Cut {
        Cut {
            value: value.into(),
            after: false,
        }
    }

    /// Just after the value.
    pub fn after(value: impl Into<Value>) -> Cut {
        Cut {
            value: value.into(),
            after: true,
        }
    }

    fn order(&self, other: &Cut) -> Ordering {
        compare(self.value.as_ref(), other.value.as_ref()).then(self.after.cmp(&other.after))
    }
}

/// The values between two cuts. [`Intervals`] holds no empty ones.
#[derive(Clone, Debug)]
pub struct Interval {
    /// Where it begins.
    pub low: Cut,
    /// Where it ends.
    pub high: Cut,
}

impl Interval {
    /// The values between two cuts.
    pub fn new(low: Cut, high: Cut) -> Interval {
        Interval { low, high }
    }

    /// One value.
    pub fn point(value: Value) -> Interval {
        Interval {
            low: Cut::before(value.clone()),
            high: Cut::after(value),
        }
    }

    /// Whether it holds one value only.
    pub fn is_point(&self) -> bool {
        !self.low.after
            && self.high.after
            && compare(self.low.value.as_ref(), self.high.value.as_ref()).is_eq()
    }

    fn is_empty(&self) -> bool {
        self.low.order(&self.high).is_ge()
    }
}

/// A set of values: intervals in ascending order that neither overlap nor touch.
#[derive(Clone, Debug)]
pub struct Intervals(Vec<Interval>);

impl Intervals {
    /// No value.
    pub fn none() -> Intervals {
        Intervals(Vec::new())
    }

    /// Every value.
    pub fn all() -> Intervals {
        Intervals(vec![Interval::new(
            Cut::before(Value::MinKey),
            Cut::after(Value::MaxKey),
        )])
    }

    /// One value.
    pub fn point(value: Value) -> Intervals {
        Intervals(vec![Interval::point(value)])
    }

    /// The values between two cuts.
    pub fn between(low: Cut, high: Cut) -> Intervals {
        Intervals::from(vec![Interval::new(low, high)])
    }

    /// The intervals in ascending order.
    pub fn as_slice(&self) -> &[Interval] {
        &self.0
    }

    /// Whether every value is in the set.
    pub fn is_all(&self) -> bool {
        matches!(self.0.as_slice(), [one]
        if matches!((&one.low, &one.high), (
            Cut { value: Value::MinKey, after: false },
            Cut { value: Value::MaxKey, after: true },
        )))
    }

    /// Whether no value is in the set.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the set is exactly one value.
    pub fn is_point(&self) -> bool {
        matches!(self.0.as_slice(), [one] if one.is_point())
    }

    /// Whether the set is one or more single values.
    pub fn is_points(&self) -> bool {
        !self.0.is_empty() && self.0.iter().all(Interval::is_point)
    }

    /// The values that are in both.
    #[must_use]
    pub fn intersect(&self, other: &Intervals) -> Intervals {
        let (mut a, mut b) = (0, 0);
        let mut both = Vec::new();
        while let (Some(x), Some(y)) = (self.0.get(a), other.0.get(b)) {
            let low = if x.low.order(&y.low).is_ge() {
                &x.low
            } else {
                &y.low
            };
            let x_ends_first = x.high.order(&y.high).is_le();
            let high = if x_ends_first { &x.high } else { &y.high };
            let shared = Interval::new(low.clone(), high.clone());
            if !shared.is_empty() {
                both.push(shared);
            }
            if x_ends_first {
                a += 1;
            } else {
                b += 1;
            }
        }
        Intervals(both)
    }

    /// The values that are in either.
    #[must_use]
    pub fn union(mut self, other: Intervals) -> Intervals {
        self.0.extend(other.0);
        Intervals::from(self.0)
    }

    /// The values that are not in the set.
    #[must_use]
    pub fn complement(&self) -> Intervals {
        let mut low = Cut::before(Value::MinKey);
        let mut rest = Vec::with_capacity(self.0.len() + 1);
        for interval in &self.0 {
            rest.push(Interval::new(low, interval.low.clone()));
            low = interval.high.clone();
        }
        rest.push(Interval::new(low, Cut::after(Value::MaxKey)));
        rest.retain(|interval| !interval.is_empty());
        Intervals(rest)
    }
}

/// Sorts intervals, and merges those that overlap.
impl From<Vec<Interval>> for Intervals {
    fn from(mut intervals: Vec<Interval>) -> Intervals {
        intervals.retain(|interval| !interval.is_empty());
        intervals.sort_by(|a, b| a.low.order(&b.low));
        let mut merged: Vec<Interval> = Vec::with_capacity(intervals.len());
        for interval in intervals {
            match merged.last_mut() {
                // Only intervals that overlap or share a cut merge: the points 1 and 2 stay apart.
                Some(last) if interval.low.order(&last.high).is_le() => {
                    if interval.high.order(&last.high).is_gt() {
                        last.high = interval.high;
                    }
                }
                _ => merged.push(interval),
            }
        }
        Intervals(merged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(low: i32, high: i32) -> Intervals {
        Intervals::between(Cut::before(low), Cut::after(high))
    }

    fn shown(set: &Intervals) -> Vec<String> {
        crate::plan::display::intervals(set, false)
    }

    #[test]
    fn overlapping_intervals_merge_and_others_stay_apart() {
        let set = range(5, 9).union(range(1, 3)).union(range(8, 12));
        assert_eq!(shown(&set), ["[1, 3]", "[5, 12]"]);
    }

    #[test]
    fn intersection_keeps_what_both_hold() {
        let set = range(1, 5).union(range(7, 9)).intersect(&range(4, 8));
        assert_eq!(shown(&set), ["[4, 5]", "[7, 8]"]);
        assert!(range(1, 2).intersect(&range(3, 4)).is_none());
    }

    #[test]
    fn the_complement_of_a_point_is_everything_around_it() {
        let set = Intervals::point(Value::Int32(5)).complement();
        assert_eq!(shown(&set), ["[MinKey, 5)", "(5, MaxKey]"]);
        assert!(set.complement().is_point());
        assert!(Intervals::none().complement().is_all());
    }
}
