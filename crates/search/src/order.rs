//! The order of hits.

use crate::hit::{Hit, SortValue};
use crate::sort::{FieldSort, Order, SortKey};
use jiff::tz::TimeZone;
use mapping::dates::{DateFormats, Rounding, parse_math};
use mapping::error::{Kind, Result, SearchError};
use mapping::fields::{Term, View};
use mapping::json::{as_f64, scalar};
use mapping::{Field, FieldKind, Mapping};
use serde_json::Value;
use std::cmp::Ordering;

fn order_of(key: &SortKey) -> Order {
    match key {
        SortKey::Score(order) | SortKey::Position(order) => *order,
        SortKey::Field(field) => field.order,
    }
}

/// Refuses a sort that the fields of an index do not have.
pub(crate) fn check(key: &SortKey, mapping: &Mapping) -> Result<()> {
    let SortKey::Field(sort) = key else { return Ok(()) };
    match sort.mode.as_deref() {
        None | Some("min" | "max" | "sum" | "avg" | "median") => {}
        Some(other) => return Err(SearchError::illegal(format!("Unknown SortMode [{other}]"))),
    }
    if matches!(sort.name.as_str(), "_id" | "_seq_no") {
        return Ok(());
    }
    match mapping.field(&sort.name).as_deref() {
        None if sort.unmapped_type.is_some() => Ok(()),
        None => Err(SearchError::new(
            Kind::QueryShard,
            format!("No mapping found for [{}] in order to sort on", sort.name),
        )),
        Some(field) if field.is_object() => Err(SearchError::illegal(format!(
            "it is not possible to sort by the object [{}]",
            sort.name
        ))),
        Some(field) if !field.doc_values && field.kind == FieldKind::Text => {
            Err(SearchError::illegal(format!(
                "Text fields are not optimised for operations that require per-document field data like aggregations and sorting, so these \
             operations are disabled by default. Please use a keyword field instead. Alternatively, set fielddata=true on [{}] in order \
             to load field data by uninverting the inverted index. Note that this can use significant memory.",
                sort.name
            )))
        }
        Some(field) if !field.doc_values => Err(SearchError::illegal(format!(
            "Can't load fielddata on [{}] because fielddata is unsupported on fields of type [{}]. Use doc values instead.",
            sort.name, field.type_name
        ))),
        Some(_) => Ok(()),
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
        && matches!(first.mode.as_deref(), None | Some("max"))
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
) -> Vec<SortValue> {
    let value = |key: &SortKey| match key {
        // As decimal digits show it, so that it comes back as it was.
        SortKey::Score(_) => SortValue::Term(Term::Float(shortest(score.unwrap_or(0.0)))),
        SortKey::Position(_) => SortValue::Term(Term::Integer(sequence as i64)),
        SortKey::Field(field) => field_value(field, view),
    };
    sort.iter().map(value).collect()
}

fn shortest(score: f32) -> f64 {
    score.to_string().parse().unwrap_or(f64::from(score))
}

fn field_value(sort: &FieldSort, view: &View<'_>) -> SortValue {
    match sort.name.as_str() {
        "_id" => return SortValue::Term(Term::Text(view.id.to_owned())),
        "_seq_no" => return SortValue::Term(Term::Integer(view.sequence as i64)),
        _ => {}
    }
    let Some(field) = view.mapping.field(&sort.name) else {
        return missing(
            sort,
            sort.unmapped_type.as_deref().unwrap_or("long"),
            view.mapping,
        );
    };
    if field.is_nanos() {
        return nanos_value(sort, &field, view);
    }
    let mut terms = view.terms(&field);
    if field.kind == FieldKind::Text {
        let tokens = terms.iter().filter_map(|term| match term {
            Term::Text(text) => Some(field.analyzer.tokens(text)),
            _ => None,
        });
        terms = tokens.flatten().map(|token| Term::Text(token.text)).collect();
    }
    match pick(terms, sort.mode()) {
        None => missing(sort, &field.type_name, view.mapping),
        Some(Term::Date(ms)) => match sort.formats() {
            Some(formats) => SortValue::Formatted(ms, formats.write(ms, &TimeZone::UTC)),
            None => SortValue::Term(Term::Date(ms)),
        },
        Some(term) => SortValue::Term(term),
    }
}

impl FieldSort {
    /// Which of several values counts.
    fn mode(&self) -> &str {
        let default = match self.order {
            Order::Ascending => "min",
            Order::Descending => "max",
        };
        self.mode.as_deref().unwrap_or(default)
    }

    /// In which form dates are shown, where not as numbers.
    fn formats(&self) -> Option<DateFormats> {
        self.format
            .as_deref()
            .and_then(|format| DateFormats::parse(format).ok())
    }
}

/// A date with nanoseconds, which is sorted by all of them.
fn nanos_value(sort: &FieldSort, field: &Field, view: &View<'_>) -> SortValue {
    let found = view.raw(field).into_iter();
    let terms = found
        .filter_map(|value| mapping::fields::nanos(field, value))
        .map(Term::Integer)
        .collect();
    match pick(terms, sort.mode()) {
        Some(Term::Integer(nanos)) => match sort.formats() {
            Some(formats) => SortValue::FormattedNanos(nanos, formats.write_nanos(nanos, &TimeZone::UTC)),
            None => SortValue::Term(Term::Integer(nanos)),
        },
        _ => missing(sort, &field.type_name, view.mapping),
    }
}

/// One of several values.
fn pick(mut terms: Vec<Term>, mode: &str) -> Option<Term> {
    terms.sort_by(Term::compare);
    let numbers: Vec<f64> = terms.iter().filter_map(Term::as_f64).collect();
    let like = |number: f64| match terms.first() {
        Some(Term::Date(_)) => Some(Term::Date(number.round() as i64)),
        Some(Term::Integer(_)) => Some(Term::Integer(number.round() as i64)),
        Some(_) => Some(Term::Float(number)),
        None => None,
    };
    match mode {
        "max" => terms.pop(),
        "sum" => like(numbers.iter().sum()),
        "avg" => like(numbers.iter().sum::<f64>() / numbers.len().max(1) as f64),
        "median" => match numbers.len() {
            0 => None,
            odd if odd % 2 == 1 => like(numbers[odd / 2]),
            even => like((numbers[even / 2 - 1] + numbers[even / 2]) / 2.0),
        },
        _ => terms.into_iter().next(),
    }
}

fn missing(sort: &FieldSort, type_name: &str, mapping: &Mapping) -> SortValue {
    let is_text = matches!(type_name, "keyword" | "text" | "ip");
    let is_float = matches!(type_name, "double" | "float" | "half_float" | "scaled_float");
    let is_first = match &sort.missing {
        Some(Value::String(first)) if first == "_first" => true,
        Some(Value::String(last)) if last == "_last" => false,
        None => false,
        Some(given) => {
            return match mapping.field(&sort.name).and_then(|field| {
                let text = scalar(given)?;
                mapping::fields::term(&field, value::ValueRef::String(&text))
            }) {
                Some(term) => SortValue::Term(term),
                None => SortValue::Last,
            };
        }
    };
    let least = is_first == (sort.order == Order::Ascending);
    match (is_text || is_float, is_first) {
        (true, true) => SortValue::First,
        (true, false) => SortValue::Last,
        (false, is_first) => {
            let number = if least { i64::MIN } else { i64::MAX };
            if is_first {
                SortValue::FirstNumber(number)
            } else {
                SortValue::LastNumber(number)
            }
        }
    }
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

fn given_value(key: &SortKey, given: &Value, mapping: &Mapping) -> Result<SortValue> {
    let SortKey::Field(sort) = key else {
        let number = as_f64(given)
            .ok_or_else(|| SearchError::illegal(format!("[search_after] has no number but {given}")))?;
        return Ok(SortValue::Term(Term::Float(number)));
    };
    let is_first = sort.missing.as_ref().and_then(Value::as_str) == Some("_first");
    let none = if is_first {
        SortValue::First
    } else {
        SortValue::Last
    };
    if given.is_null() || matches!(given.as_i64(), Some(i64::MIN | i64::MAX)) {
        return Ok(none);
    }
    let Some(field) = mapping.field(&sort.name) else {
        return Ok(match given {
            Value::String(text) => SortValue::Term(Term::Text(text.clone())),
            other => as_f64(other).map_or(none, |number| SortValue::Term(Term::Float(number))),
        });
    };
    let failed = || {
        let name = &sort.name;
        SearchError::illegal(format!("Failed to parse search_after value for field [{name}]."))
    };
    if field.is_nanos() {
        let nanos = match given.as_i64() {
            Some(nanos) => Some(nanos),
            None => {
                let formats = sort
                    .format
                    .as_deref()
                    .map_or(Ok(field.formats.clone()), DateFormats::parse)?;
                let text = scalar(given).unwrap_or_default();
                let read = |field: &Field| mapping::fields::nanos(field, value::ValueRef::String(&text));
                read(&Field {
                    formats,
                    ..Field::clone(&field)
                })
            }
        };
        return nanos
            .map(|nanos| SortValue::Term(Term::Integer(nanos)))
            .ok_or_else(failed);
    }
    if field.kind == FieldKind::Date {
        if let Some(ms) = given.as_i64() {
            return Ok(SortValue::Term(Term::Date(ms)));
        }
        let formats = sort
            .format
            .as_deref()
            .map_or(Ok(field.formats.clone()), DateFormats::parse)?;
        let text = scalar(given).unwrap_or_default();
        let ms = parse_math(&text, &formats, &TimeZone::UTC, 0, Rounding::Down).map_err(|_| failed())?;
        return Ok(SortValue::Term(Term::Date(ms)));
    }
    if field.kind == FieldKind::Boolean {
        let flag = given
            .as_bool()
            .or_else(|| as_f64(given).map(|number| number != 0.0));
        return flag
            .map(|flag| SortValue::Term(Term::Boolean(flag)))
            .ok_or_else(failed);
    }
    let text = scalar(given).ok_or_else(failed)?;
    if field.kind == FieldKind::Text {
        return Ok(SortValue::Term(Term::Text(text)));
    }
    let term = match given.as_i64() {
        Some(number) if field.is_number() => mapping::fields::term(&field, value::ValueRef::Int64(number)),
        _ => mapping::fields::term(&field, value::ValueRef::String(&text)),
    };
    term.map(SortValue::Term).ok_or_else(failed)
}
