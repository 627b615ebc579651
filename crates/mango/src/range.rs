//! The values that a field may have, as far as a conjunction bounds them (`mango_idx_view.erl`, `range`).

use super::{Node, Selector, Test};
use std::cmp::Ordering;
use value::{Value, collated};

/// The values that a field may have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Range {
    /// The least value; `None` if there is no bound.
    pub low: Option<Side>,
    /// The greatest value; `None` if there is no bound.
    pub high: Option<Side>,
}

/// One end of a range.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// The bound.
    pub value: Value,
    /// Whether the bound itself is in the range.
    pub inclusive: bool,
}

/// Where a value is relative to a range.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    Below,
    AtLow,
    Between,
    AtHigh,
    Above,
}

impl Selector {
    /// The range of each field that an index could be bounded by, in the order of the fields. A field that can have
    /// no value has none, and is the only one then.
    pub fn ranges(&self) -> Vec<(&str, Option<Range>)> {
        let mut ranges = Vec::new();
        for field in self.indexable_fields() {
            match self.root.narrow(field, Range::default()) {
                None => return vec![(field, None)],
                range => ranges.push((field, range)),
            }
        }
        ranges
    }
}

impl Node {
    fn narrow(&self, name: &str, range: Range) -> Option<Range> {
        match self {
            Node::All(parts) => parts
                .iter()
                .try_fold(range, |range, part| part.narrow(name, range)),
            Node::Field(field) if field.name == name && !field.negated => range.narrowed(&field.test),
            _ => Some(range),
        }
    }
}

impl Range {
    fn exactly(value: &Value) -> Range {
        let side = Some(Side {
            value: value.clone(),
            inclusive: true,
        });
        Range {
            low: side.clone(),
            high: side,
        }
    }

    fn position(&self, value: &Value) -> Position {
        let against = |side: &Side| collated::compare(value.as_ref(), side.value.as_ref());
        match (self.low.as_ref().map(against), self.high.as_ref().map(against)) {
            (Some(Ordering::Less), _) => Position::Below,
            (Some(Ordering::Equal), _) => Position::AtLow,
            (_, Some(Ordering::Equal)) => Position::AtHigh,
            (_, Some(Ordering::Greater)) => Position::Above,
            _ => Position::Between,
        }
    }

    /// The part of the range that passes a test; `None` if no value does.
    fn narrowed(self, test: &Test) -> Option<Range> {
        match test {
            Test::Lt(value) => match self.position(value) {
                Position::Below | Position::AtLow => None,
                Position::Between | Position::AtHigh => Some(self.up_to(value, false)),
                Position::Above => Some(self),
            },
            Test::Lte(value) => match self.position(value) {
                Position::Below => None,
                Position::AtLow => includes(&self.low).then(|| Range::exactly(value)),
                Position::Between => Some(self.up_to(value, true)),
                Position::AtHigh | Position::Above => Some(self),
            },
            Test::Eq(value) => match self.position(value) {
                Position::Below | Position::Above => None,
                Position::AtLow => includes(&self.low).then(|| Range::exactly(value)),
                Position::AtHigh => includes(&self.high).then(|| Range::exactly(value)),
                Position::Between => Some(Range::exactly(value)),
            },
            Test::Gte(value) => match self.position(value) {
                Position::Below | Position::AtLow => Some(self),
                Position::Between => Some(self.from(value, true)),
                Position::AtHigh => includes(&self.high).then(|| Range::exactly(value)),
                Position::Above => None,
            },
            Test::Gt(value) => match self.position(value) {
                Position::Below => Some(self),
                Position::AtLow | Position::Between => Some(self.from(value, false)),
                Position::AtHigh | Position::Above => None,
            },
            Test::BeginsWith(prefix) => {
                // U+FFFF is the last character of the collation.
                let last = Value::from(format!("{prefix}\u{ffff}"));
                self.narrowed(&Test::Gte(Value::from(prefix.as_str())))?
                    .narrowed(&Test::Lte(last))
            }
            _ => Some(self),
        }
    }

    fn up_to(self, value: &Value, inclusive: bool) -> Range {
        let high = Some(Side {
            value: value.clone(),
            inclusive,
        });
        Range { high, ..self }
    }

    fn from(self, value: &Value, inclusive: bool) -> Range {
        let low = Some(Side {
            value: value.clone(),
            inclusive,
        });
        Range { low, ..self }
    }
}

fn includes(side: &Option<Side>) -> bool {
    side.as_ref().is_some_and(|side| side.inclusive)
}
