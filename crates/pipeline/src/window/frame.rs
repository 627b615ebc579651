//! Frames: the neighbours of a document that a function sees.

use super::partition::Partition;
use crate::stage::StageScope;
use crate::stages::accumulation::constant;
use crate::{Code, QueryError, Result};
use calendar::{Unit, Zone};
use language::expression::number::Number;
use std::ops::Range;
use value::{Document, Value, ValueRef};

/// Where a frame begins or ends, seen from its document.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Bound<T> {
    /// At the partition's end.
    Unbounded,
    /// At the document itself, and at none of those that are equal to it.
    Current,
    /// At this distance.
    Offset(T),
}

impl<T: Copy> Bound<T> {
    /// The distance, if one is given.
    fn distance(&self, none: T) -> Option<T> {
        match self {
            Bound::Unbounded => None,
            Bound::Current => Some(none),
            Bound::Offset(offset) => Some(*offset),
        }
    }
}

/// A parsed `window`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Frame {
    /// By how many documents away.
    Documents(Bound<i64>, Bound<i64>),
    /// By how far away in the value that is sorted by.
    Range(Bound<Number>, Bound<Number>, Option<Unit>),
}

fn wrong(message: impl Into<String>) -> QueryError {
    QueryError::failed_to_parse(message)
}

impl Frame {
    /// The whole partition.
    pub(super) const WHOLE: Frame = Frame::Documents(Bound::Unbounded, Bound::Unbounded);

    /// Parses `window`; `ascending` are the directions of the fields that are sorted by.
    pub(super) fn parse(spec: &Value, ascending: &[bool], scope: &StageScope<'_>) -> Result<Frame> {
        let Value::Document(spec) = spec else {
            return Err(wrong(format!(
                "'window' field must be an object, but found type {}",
                spec.type_of().alias()
            )));
        };
        let (mut documents, mut range, mut unit) = (None, None, None);
        for (name, value) in spec.iter() {
            match name {
                "documents" => documents = Some(value),
                "range" => range = Some(value),
                "unit" => unit = Some(value),
                unknown => {
                    return Err(wrong(format!(
                        "'window' field contains an unknown field: {unknown}"
                    )));
                }
            }
        }
        match (documents, range) {
            (Some(_), Some(_)) => Err(wrong(
                "Window bounds can specify either 'documents' or 'range', not both",
            )),
            (None, None) if unit.is_some() => Err(wrong(
                "Window bounds can only specify 'unit' with range-based bounds",
            )),
            (None, None) => Ok(Frame::WHOLE),
            (Some(_), None) if unit.is_some() => Err(wrong(
                "Window bounds can only specify 'unit' with range-based bounds",
            )),
            (Some(documents), None) => Frame::parse_documents(documents, ascending, scope),
            (None, Some(range)) => Frame::parse_range(range, unit, ascending, scope),
        }
    }

    fn parse_documents(bounds: &Value, ascending: &[bool], scope: &StageScope<'_>) -> Result<Frame> {
        let (lower, upper) = pair(bounds, "documents")?;
        let offset = |value: &Value| {
            Number::of(value.as_ref())
                .and_then(Number::to_i64)
                .filter(|offset| i32::try_from(*offset).is_ok())
                .ok_or_else(|| wrong("Numeric document-based bounds must be an integer"))
        };
        let (lower, upper) = (bound(lower, scope, offset)?, bound(upper, scope, offset)?);
        if let (Some(lower), Some(upper)) = (lower.distance(0), upper.distance(0))
            && lower > upper
        {
            return Err(not_ordered());
        }
        let frame = Frame::Documents(lower, upper);
        if frame != Frame::WHOLE && ascending.is_empty() {
            return Err(QueryError::new(
                Code::location(5_339_901),
                "Document-based bounds require a sortBy",
            ));
        }
        Ok(frame)
    }

    fn parse_range(
        bounds: &Value,
        unit: Option<&Value>,
        ascending: &[bool],
        scope: &StageScope<'_>,
    ) -> Result<Frame> {
        let unit = match unit {
            None => None,
            Some(Value::String(name)) => Some(name),
            Some(_) => return Err(wrong("'unit' must be a string")),
        };
        let (lower, upper) = pair(bounds, "range")?;
        let offset = |value: &Value| {
            let number = Number::of(value.as_ref())
                .ok_or_else(|| wrong("Range-based bounds expression must be a number"))?;
            if unit.is_some() && number.to_i32().is_none() {
                return Err(wrong("With 'unit', range-based bounds must be 32-bit integers"));
            }
            Ok(number)
        };
        let zero = Number::Int(0);
        let lower = bound(lower, scope, offset)?;
        let upper = bound(upper, scope, offset)?;
        if let (Some(lower), Some(upper)) = (lower.distance(zero), upper.distance(zero))
            && compare(lower, upper).is_gt()
        {
            return Err(not_ordered());
        }
        let unit = unit
            .map(|name| Unit::parse(name))
            .transpose()
            .map_err(language::Error::from)?;
        match ascending {
            [true] => Ok(Frame::Range(lower, upper, unit)),
            [false] => Err(QueryError::new(
                Code::location(8_947_401),
                "Range-based bounds require an ascending sortBy",
            )),
            _ => Err(QueryError::new(
                Code::location(5_339_902),
                "Range-based bounds require sortBy a single field",
            )),
        }
    }

    /// Whether each frame has its own document.
    pub(super) fn holds_current(&self) -> bool {
        match self {
            Frame::Documents(lower, upper) => {
                !matches!(lower, Bound::Offset(1..)) && !matches!(upper, Bound::Offset(..=-1))
            }
            Frame::Range(lower, upper, _) => {
                !matches!(lower, Bound::Offset(offset) if offset.is_positive())
                    && !matches!(upper, Bound::Offset(offset) if offset.is_negative())
            }
        }
    }

    /// Whether all frames begin where the partition does.
    pub(super) fn begins_with_partition(&self) -> bool {
        matches!(
            self,
            Frame::Documents(Bound::Unbounded, _) | Frame::Range(Bound::Unbounded, ..)
        )
    }

    /// The frames of all documents of a partition, in order.
    pub(super) fn of_all(&self, partition: &Partition) -> Result<Vec<Range<usize>>> {
        let count = partition.len();
        match self {
            Frame::Documents(lower, upper) => {
                let place = |at: usize, offset: i64| {
                    (at as i64).saturating_add(offset).clamp(0, count as i64) as usize
                };
                let frames = (0..count).map(|at| {
                    let begin = lower.distance(0).map_or(0, |offset| place(at, offset));
                    let end = upper
                        .distance(0)
                        .map_or(count, |offset| place(at, offset.saturating_add(1)));
                    begin..end.max(begin)
                });
                Ok(frames.collect())
            }
            Frame::Range(lower, upper, unit) => by_range(partition, lower, upper, *unit),
        }
    }
}

fn by_range(
    partition: &Partition,
    lower: &Bound<Number>,
    upper: &Bound<Number>,
    unit: Option<Unit>,
) -> Result<Vec<Range<usize>>> {
    let values = partition.sort_values();
    for value in values {
        check_type(value, unit)?;
    }
    let (mut begin, mut end) = (0, 0);
    let mut frames = Vec::with_capacity(values.len());
    for (at, value) in values.iter().enumerate() {
        match lower {
            Bound::Unbounded => {}
            Bound::Current => begin = at,
            Bound::Offset(offset) => {
                let limit = moved(value, *offset, unit)?;
                while begin < values.len() && order(&values[begin], &limit).is_lt() {
                    begin += 1;
                }
            }
        }
        match upper {
            Bound::Unbounded => end = values.len(),
            Bound::Current => end = at + 1,
            Bound::Offset(offset) => {
                let limit = moved(value, *offset, unit)?;
                while end < values.len() && order(&values[end], &limit).is_le() {
                    end += 1;
                }
            }
        }
        frames.push(begin..end.max(begin));
    }
    Ok(frames)
}

fn order(a: &Value, b: &Value) -> std::cmp::Ordering {
    value::compare(a.as_ref(), b.as_ref())
}

fn check_type(value: &Value, unit: Option<Unit>) -> Result<()> {
    let found = value.type_of();
    match unit {
        Some(_) if found != value::Type::DateTime => Err(QueryError::new(
            Code::location(5_429_513),
            format!(
                "Invalid range: Expected the sortBy field to be a Date, but it was {}",
                found.alias()
            ),
        )),
        None if found == value::Type::DateTime => Err(QueryError::new(
            Code::location(5_429_413),
            "Invalid range: windows over dates want a 'unit'",
        )),
        None if !found.is_number() => Err(QueryError::new(
            Code::location(5_429_414),
            format!(
                "Invalid range: Expected the sortBy field to be a number, but it was {}",
                found.alias()
            ),
        )),
        _ => Ok(()),
    }
}

/// The value so far from another.
fn moved(value: &Value, offset: Number, unit: Option<Unit>) -> Result<Value> {
    match (value.as_ref(), unit) {
        (ValueRef::DateTime(ms), Some(unit)) => {
            let amount = offset.to_i64().unwrap_or(0);
            let moved = calendar::add(ms, unit, amount, &Zone::UTC).unwrap_or(if amount < 0 {
                i64::MIN
            } else {
                i64::MAX
            });
            Ok(Value::DateTime(moved))
        }
        (number, _) => Ok(Number::of(number).map_or(Value::Null, |number| number.add(offset).into())),
    }
}

fn compare(a: Number, b: Number) -> std::cmp::Ordering {
    order(&a.into(), &b.into())
}

fn pair<'v>(bounds: &'v Value, name: &str) -> Result<(&'v Value, &'v Value)> {
    match bounds {
        Value::Array(bounds) => match bounds.as_slice() {
            [lower, upper] => Ok((lower, upper)),
            _ => Err(wrong(format!("Window bounds must be a 2-element array: {name}"))),
        },
        _ => Err(wrong(format!("Window bounds must be a 2-element array: {name}"))),
    }
}

/// One end of a frame: a word, or a constant expression.
fn bound<T>(value: &Value, scope: &StageScope<'_>, offset: impl Fn(&Value) -> Result<T>) -> Result<Bound<T>> {
    match value {
        Value::String(word) => match word.as_str() {
            "unbounded" => Ok(Bound::Unbounded),
            "current" => Ok(Bound::Current),
            _ => Err(wrong(
                "Window bounds must be 'unbounded', 'current', or a number.",
            )),
        },
        other => {
            let not_constant = || wrong("Window bounds expression must be a constant.");
            let value = constant(other, scope, not_constant)?.unwrap_or(Value::Null);
            offset(&value).map(Bound::Offset)
        }
    }
}

fn not_ordered() -> QueryError {
    QueryError::new(
        Code::location(5_339_900),
        "Lower bound must not exceed upper bound",
    )
}

/// The frame's own field in an output, if it has one.
pub(super) fn field(output: &Document) -> Option<&Value> {
    output.get("window")
}
