//! The order of hits.

use crate::given::given_value;
use crate::hit::{Hit, SortValue};
use crate::sort::{FieldSort, Mode, NumericType, Order, SortKey};
use jiff::tz::TimeZone;
use mapping::columns::{check_column, check_name};
use mapping::decimals::java_number;
use mapping::error::{ErrorKind, Result, SearchError};
use mapping::fields::{Term, View};
use mapping::java;
use mapping::json::{as_f64, scalar};
use mapping::short::{is_short, shortest};
use mapping::{Field, FieldKind, Mapping};
use serde_json::Value;
use std::cmp::Ordering;

fn order_of(key: &SortKey) -> Order {
    match key {
        SortKey::Score(order) | SortKey::Position(order) => *order,
        SortKey::Field(field) => field.order,
        SortKey::Distance(distance) => distance.order,
        SortKey::Script(script) => script.order,
    }
}

fn not_on_shard(reason: impl Into<String>) -> SearchError {
    SearchError::new(ErrorKind::QueryShard, reason)
}

/// Refuses a sort that the fields of an index do not have.
pub(crate) fn check(key: &SortKey, mapping: &Mapping) -> Result<()> {
    let sort = match key {
        SortKey::Field(sort) => sort,
        SortKey::Distance(distance) => return distance.check(mapping),
        SortKey::Score(_) | SortKey::Position(_) | SortKey::Script(_) => return Ok(()),
    };
    let name = &sort.name;
    if matches!(name.as_str(), "_id" | "_seq_no") {
        return Ok(());
    }
    check_name(name)?;
    let field = mapping.field(name).filter(|field| !field.is_object());
    let field = match field {
        None => match &sort.unmapped_type {
            Some(type_name) => return check_unmapped(sort, type_name),
            None => {
                return Err(not_on_shard(format!(
                    "No mapping found for [{name}] in order to sort on"
                )));
            }
        },
        Some(field) => field,
    };
    check_column(name, &field)?;
    check_kind(&field.kind, &field.type_name)?;
    if let Some(nested) = &sort.nested {
        nested.check(mapping)?;
        if sort.mode == Some(Mode::Median) && !field.is_textual() {
            return Err(SearchError::illegal("Unsupported sort mode: MEDIAN"));
        }
    }
    check_options(sort, &field)?;
    missing(sort, &field.type_name, Some(&field)).map(drop)
}

/// Refuses fields whose values have no order.
fn check_kind(kind: &FieldKind, type_name: &str) -> Result<()> {
    match kind {
        FieldKind::Point => Err(SearchError::illegal(
            "can't sort on geo_point field without using specific sorting feature, like geo_distance",
        )),
        FieldKind::Binary => Err(SearchError::illegal("can't sort on binary field")),
        FieldKind::Range(_) | FieldKind::Vector(_) => Err(SearchError::illegal(format!(
            "can't sort on a field of type [{type_name}]"
        ))),
        _ => Ok(()),
    }
}

/// Refuses what numbers alone have, of other fields.
fn check_options(sort: &FieldSort, field: &Field) -> Result<()> {
    let is_number = field.is_number() || matches!(field.kind, FieldKind::Date | FieldKind::Boolean);
    let is_made = matches!(sort.mode, Some(Mode::Sum | Mode::Avg | Mode::Median));
    match sort.numeric_type {
        _ if is_made && !is_number => Err(not_on_shard(
            "we only support AVG, MEDIAN and SUM on number based fields",
        )),
        Some(_) if !is_number => Err(not_on_shard(format!(
            "[numeric_type] option cannot be set on a non-numeric field, got {}",
            field.type_name
        ))),
        Some(NumericType::DateNanos) if !field.is_date() => Err(SearchError::illegal(
            "trying to convert a known date time formatter to a nanosecond one, wrong field used?",
        )),
        _ => Ok(()),
    }
}

/// Types whose values can be sorted by where no index has the field.
const SORTED_TYPES: [&str; 14] = [
    "keyword",
    "long",
    "integer",
    "short",
    "byte",
    "unsigned_long",
    "double",
    "float",
    "half_float",
    "date",
    "date_nanos",
    "boolean",
    "ip",
    "constant_keyword",
];

fn check_unmapped(sort: &FieldSort, type_name: &str) -> Result<()> {
    match type_name {
        known if SORTED_TYPES.contains(&known) => missing(sort, known, None).map(drop),
        "geo_point" => check_kind(&FieldKind::Point, type_name),
        "scaled_float" => Err(SearchError::illegal("Field [scaling_factor] is required")),
        other => Err(SearchError::illegal(format!(
            "No mapper found for type [{other}]"
        ))),
    }
}

/// Whether a sort puts the latest of a field of time first, and of those that are alike the one that was changed first.
pub(crate) fn is_newest(sort: &[SortKey], time: &str, mapping: &Mapping) -> bool {
    let Some((SortKey::Field(first), rest)) = sort.split_first() else {
        return false;
    };
    let is_usual = match &first.missing {
        None => true,
        Some(given) => given.as_str() == Some("_last"),
    };
    let is_plain = mapping.field(&first.name).is_some_and(|field| !field.is_nanos());
    let is_rest_plain = matches!(rest, [] | [SortKey::Position(Order::Ascending)]);
    first.name == time
        && first.order == Order::Descending
        && matches!(first.mode, None | Some(Mode::Max))
        && first.nested.is_none()
        && first.numeric_type.is_none()
        && is_usual
        && is_plain
        && is_rest_plain
}

/// The values that a document is sorted by.
pub(crate) fn sort_values(
    sort: &[SortKey],
    view: &View<'_>,
    score: Option<f32>,
    sequence: u64,
) -> Result<Vec<SortValue>> {
    let value = |key: &SortKey| {
        Ok(match key {
            // As decimal digits show it, so that it comes back as it was.
            SortKey::Score(_) => SortValue::Term(Term::Float(shortest(score.unwrap_or(0.0)))),
            SortKey::Position(_) => SortValue::Term(Term::Integer(sequence as i64)),
            SortKey::Field(field) => field_value(field, view)?,
            SortKey::Distance(distance) => SortValue::Term(Term::Float(distance.value(view))),
            SortKey::Script(script) => SortValue::Term(script.value(view, score)?),
        })
    };
    sort.iter().map(value).collect()
}

fn field_value(sort: &FieldSort, view: &View<'_>) -> Result<SortValue> {
    match sort.name.as_str() {
        "_id" => return Ok(SortValue::Term(Term::Text(view.id.to_owned()))),
        "_seq_no" => return Ok(SortValue::Term(Term::Integer(view.sequence as i64))),
        _ => {}
    }
    let Some(field) = view.mapping.field(&sort.name) else {
        return missing(sort, sort.unmapped_type.as_deref().unwrap_or("long"), None);
    };
    let terms: Vec<Term> = match &sort.nested {
        None => terms(sort, &field, view),
        Some(nested) => {
            let views = nested.views(view);
            views.iter().flat_map(|view| terms(sort, &field, view)).collect()
        }
    };
    let Some(term) = pick(terms, sort.mode()) else {
        return missing(sort, &field.type_name, Some(&field));
    };
    let is_nanos = match sort.numeric_type {
        Some(NumericType::DateNanos) => true,
        Some(_) => false,
        None => field.is_nanos(),
    };
    Ok(match (&sort.formats, term) {
        (Some(formats), Term::Integer(nanos)) if is_nanos => {
            SortValue::FormattedNanos(nanos, formats.write_nanos(nanos, &TimeZone::UTC))
        }
        (Some(formats), Term::Date(ms)) => SortValue::Formatted(ms, formats.write(ms, &TimeZone::UTC)),
        (_, Term::Float(number)) => SortValue::Term(Term::Float(sort.number(&field.type_name, number))),
        (_, term) => SortValue::Term(term),
    })
}

/// The values of a field as they are compared: dates that have nanoseconds by all of them.
fn terms(sort: &FieldSort, field: &Field, view: &View<'_>) -> Vec<Term> {
    const NANOS: i64 = 1_000_000;
    if field.is_nanos() {
        let found = view.raw(field).into_iter();
        let nanos = found.filter_map(|value| mapping::fields::nanos(field, value));
        let wanted = |nanos: i64| match sort.numeric_type {
            Some(NumericType::Date) => Term::Date(nanos.div_euclid(NANOS)),
            Some(NumericType::Double) => Term::Float(nanos as f64),
            _ => Term::Integer(nanos),
        };
        return nanos.map(wanted).collect();
    }
    let mut terms = view.terms(field);
    if field.kind == FieldKind::Text {
        let tokens = terms.iter().filter_map(|term| match term {
            Term::Text(text) => Some(field.analyzer.tokens(text)),
            _ => None,
        });
        terms = tokens.flatten().map(|token| Term::Text(token.text)).collect();
    }
    if let Some(numeric_type) = sort.numeric_type {
        for term in &mut terms {
            let number = term.as_f64().unwrap_or(0.0);
            let whole = match term {
                Term::Integer(whole) | Term::Date(whole) => *whole,
                _ => number as i64,
            };
            *term = match numeric_type {
                NumericType::Long if matches!(term, Term::Unsigned(_)) => continue,
                NumericType::Long => Term::Integer(whole),
                NumericType::Double => Term::Float(number),
                NumericType::Date => Term::Date(whole),
                NumericType::DateNanos => Term::Integer(whole.saturating_mul(NANOS)),
            };
        }
    }
    terms
}

impl FieldSort {
    /// Which of several values counts.
    fn mode(&self) -> Mode {
        self.mode.unwrap_or(match self.order {
            Order::Ascending => Mode::Min,
            Order::Descending => Mode::Max,
        })
    }

    /// A number as it is compared and shown: those of short types as numbers of 32 bits.
    pub(crate) fn number(&self, type_name: &str, number: f64) -> f64 {
        match is_short(type_name) && self.numeric_type.is_none() {
            true => shortest(number as f32),
            false => number,
        }
    }
}

/// One of several values, or what is made of them.
fn pick(mut terms: Vec<Term>, mode: Mode) -> Option<Term> {
    terms.sort_by(Term::compare);
    match mode {
        Mode::Max => terms.pop(),
        Mode::Min => terms.into_iter().next(),
        Mode::Sum | Mode::Avg | Mode::Median => made(&terms, mode),
    }
}

/// What is made of sorted values. Whole numbers are added exactly, and what is between two of them is rounded as Java rounds it.
fn made(terms: &[Term], mode: Mode) -> Option<Term> {
    let whole = |term: &Term| match term {
        Term::Integer(number) | Term::Date(number) => Some(*number),
        Term::Boolean(flag) => Some(i64::from(*flag)),
        _ => None,
    };
    let first = terms.first()?;
    let middle = (terms.get((terms.len() - 1) / 2)?, terms.get(terms.len() / 2)?);
    if whole(first).is_some() {
        let total = terms.iter().filter_map(whole).fold(0, i64::wrapping_add);
        let number = match (mode, whole(middle.0)?, whole(middle.1)?) {
            (Mode::Median, low, high) if terms.len().is_multiple_of(2) => {
                java::round((low as f64 + high as f64) / 2.0) as i64
            }
            (Mode::Median, number, _) => number,
            (Mode::Avg, ..) if terms.len() > 1 => java::round(total as f64 / terms.len() as f64) as i64,
            _ => total,
        };
        return Some(match first {
            Term::Date(_) => Term::Date(number),
            _ => Term::Integer(number),
        });
    }
    let total: f64 = terms.iter().filter_map(Term::as_f64).sum();
    let number = match mode {
        Mode::Median => f64::midpoint(middle.0.as_f64()?, middle.1.as_f64()?),
        Mode::Avg => total / terms.len() as f64,
        _ => total,
    };
    Some(match first {
        Term::Unsigned(_) => Term::Unsigned(java::round(number) as u64),
        _ => Term::Float(number),
    })
}

/// What stands for a document without a value.
fn missing(sort: &FieldSort, type_name: &str, field: Option<&Field>) -> Result<SortValue> {
    let is_text = matches!(
        type_name,
        "keyword" | "text" | "ip" | "constant_keyword" | "flattened"
    ) || field.is_some_and(Field::is_textual);
    let is_float = match sort.numeric_type {
        Some(numeric_type) => numeric_type == NumericType::Double,
        None => matches!(type_name, "double" | "float" | "half_float" | "scaled_float"),
    };
    let is_unsigned = sort.is_unsigned(type_name);
    let given = sort
        .missing
        .as_ref()
        .map(|given| scalar(given).unwrap_or_default());
    let is_first = match given.as_deref() {
        Some("_first") => true,
        None | Some("_last") => false,
        Some(text) if type_name == "ip" => {
            let invalid = || SearchError::illegal(format!("'{text}' is not an IP string literal."));
            let ip = mapping::fields::ip(text).ok_or_else(invalid)?;
            return Ok(SortValue::Term(Term::Ip(ip)));
        }
        Some(text) if is_text => return Ok(SortValue::Term(Term::Text(text.to_owned()))),
        Some(text) if is_unsigned => {
            let invalid = || SearchError::illegal(format!("For input string: \"{text}\""));
            let number = text.parse().map_err(|_| invalid())?;
            return Ok(SortValue::Term(Term::Unsigned(number)));
        }
        Some(text) => {
            let number = java_number(text)?;
            let whole = text.parse().unwrap_or(number as i64);
            let is_date = type_name == "date" && sort.numeric_type.is_none();
            return Ok(SortValue::Term(match (is_float, is_date) {
                (true, _) => Term::Float(sort.number(type_name, number)),
                (false, true) => Term::Date(whole),
                (false, false) => Term::Integer(whole),
            }));
        }
    };
    let is_least = is_first == (sort.order == Order::Ascending);
    Ok(match (is_text, is_float) {
        (true, _) if is_first => SortValue::First,
        (true, _) => SortValue::Last,
        // The least or the greatest number stands for none.
        (false, true) => {
            let end = if is_least {
                f64::NEG_INFINITY
            } else {
                f64::INFINITY
            };
            SortValue::Term(Term::Float(end))
        }
        (false, false) if is_unsigned => SortValue::Term(Term::Unsigned(if is_least { 0 } else { u64::MAX })),
        (false, false) => SortValue::Term(Term::Integer(if is_least { i64::MIN } else { i64::MAX })),
    })
}

fn compare_values(order: Order, a: &SortValue, b: &SortValue) -> Ordering {
    match (a.term(), b.term()) {
        (Some(a), Some(b)) => match order {
            Order::Ascending => a.compare(&b),
            Order::Descending => b.compare(&a),
        },
        _ => a.rank().cmp(&b.rank()),
    }
}

/// Which of two hits comes first; those that are alike, by index and by their changes.
pub(crate) fn compare(sort: &[SortKey], a: &Hit, b: &Hit) -> Ordering {
    let mut order = match sort.is_empty() {
        true => b.score.unwrap_or(0.0).total_cmp(&a.score.unwrap_or(0.0)),
        false => Ordering::Equal,
    };
    for (key, (a, b)) in sort.iter().zip(a.sort.iter().zip(&b.sort)) {
        order = order.then_with(|| compare_values(order_of(key), a, b));
    }
    order
        .then_with(|| a.index.cmp(&b.index))
        .then_with(|| a.sequence.cmp(&b.sequence))
}

/// Whether a hit comes after one with these sort values.
pub(crate) fn after(hit: &Hit, values: &[Value], sort: &[SortKey], mapping: &Mapping) -> Result<bool> {
    if sort.is_empty() {
        let score = values.first().and_then(as_f64).unwrap_or(f64::MAX);
        return Ok(shortest(hit.score.unwrap_or(0.0)) < score);
    }
    for ((key, own), given) in sort.iter().zip(&hit.sort).zip(values) {
        let given = given_value(key, given, mapping)?;
        match compare_values(order_of(key), own, &given) {
            Ordering::Equal => {}
            order => return Ok(order.is_gt()),
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_on_whole_numbers_is_exact_and_rounded_as_in_java() {
        let of = |numbers: &[i64], mode| pick(numbers.iter().copied().map(Term::Integer).collect(), mode);
        for (numbers, mode, wanted) in [
            (&[-3, -2][..], Mode::Avg, -2),
            (&[2, 3], Mode::Avg, 3),
            (&[-3, -2], Mode::Median, -2),
            (&[5, -3, 1], Mode::Median, 1),
            (&[1, 1 << 53], Mode::Sum, (1 << 53) + 1),
            (&[(1 << 53) + 1], Mode::Avg, (1 << 53) + 1),
            (&[3, 1, 2], Mode::Max, 3),
        ] {
            assert_eq!(
                of(numbers, mode),
                Some(Term::Integer(wanted)),
                "{numbers:?} {mode:?}"
            );
        }
        assert_eq!(of(&[], Mode::Sum), None);
        let floats = [Term::Float(0.5), Term::Float(1.0)];
        assert_eq!(pick(floats.to_vec(), Mode::Median), Some(Term::Float(0.75)));
        let dates = [Term::Date(1), Term::Date(2)];
        assert_eq!(pick(dates.to_vec(), Mode::Avg), Some(Term::Date(2)));
    }
}
