//! The values of fields in documents.

use crate::completion;
use crate::geo::Point;
use crate::intervals::Interval;
use crate::java;
use crate::json::{scalar, whole};
use crate::mapping::{Field, FieldKind, Mapping, Meta};
use crate::rows::{Row, RowValues, Summary};
use crate::short;
use crate::unsigned;
use crate::value_kind::ValueKind;
use jiff::tz::TimeZone;
use std::borrow::Cow;
use std::net::{IpAddr, Ipv6Addr};
use value::{DocumentRef, ValueRef};

pub use crate::term::Term;

/// A document, or a nested object of it, as queries see it.
#[derive(Clone, Copy, Debug)]
pub struct View<'d> {
    /// The mapping of its index.
    pub mapping: &'d Mapping,
    /// What is seen: the document, or the nested object.
    pub document: DocumentRef<'d>,
    /// The path of the nested object that this is.
    pub scope: Option<&'d str>,
    /// Which one of the nested objects at this path.
    pub offset: usize,
    /// The whole document.
    pub root: DocumentRef<'d>,
    /// The place of its index among those that are searched.
    pub index_at: usize,
    /// How often it was changed.
    pub version: u64,
    /// The document's `_id` as text.
    pub id: &'d str,
    /// The name of its index.
    pub index: &'d str,
    /// The number of the document's last change.
    pub sequence: u64,
    /// The values of fields where they come from an index; there is no document then.
    pub row: Option<&'d Row>,
    /// The score that it has, where scripts may ask for it.
    pub score: Option<f32>,
}

impl<'d> View<'d> {
    /// A document alone, whose index does not matter.
    pub fn of_document(mapping: &'d Mapping, document: DocumentRef<'d>) -> View<'d> {
        View {
            mapping,
            document,
            scope: None,
            offset: 0,
            root: document,
            index_at: 0,
            version: 0,
            id: "",
            index: "",
            sequence: 0,
            row: None,
            score: None,
        }
    }

    /// The same with a score that scripts may ask for.
    #[must_use]
    pub fn scored(self, score: f32) -> View<'d> {
        View {
            score: Some(score),
            ..self
        }
    }

    /// The values at a field's place, as they lie there; with those that are copied to it.
    pub fn raw(&self, field: &Field) -> Vec<ValueRef<'d>> {
        self.at(field, &field.copied_from)
    }

    /// The values at a field's place alone.
    pub fn own(&self, field: &Field) -> Vec<ValueRef<'d>> {
        self.at(field, &[])
    }

    fn at(&self, field: &Field, copied_from: &[String]) -> Vec<ValueRef<'d>> {
        let mut found = Vec::new();
        let is_seen = field.nested.as_deref() == self.scope || (field.in_root && self.scope.is_none());
        if !is_seen {
            return found;
        }
        for path in std::iter::once(&field.path).chain(copied_from) {
            let path = match self.scope {
                None => Some(path.as_str()),
                Some(scope) => path.strip_prefix(scope).and_then(|rest| rest.strip_prefix('.')),
            };
            if let Some(path) = path {
                values_at(self.document, path, &mut found);
            }
        }
        if let Some(only) = field.only {
            found.retain(|value| ValueKind::of(*value) == Some(only));
        }
        found
    }

    /// The values of a field; what cannot be one of its values is left out.
    pub fn terms(&self, field: &Field) -> Vec<Term> {
        if let Some(meta) = field.meta {
            return self.meta_terms(meta, field);
        }
        if let Some(row) = self.row {
            let found = row.iter().find(|(name, _)| *name == field.name);
            return match found {
                Some((_, RowValues::Each(terms))) => terms.clone(),
                Some((_, RowValues::Summary(_))) | None => Vec::new(),
            };
        }
        if field.kind == FieldKind::Point {
            let points = Point::all(&self.raw(field));
            return points.into_iter().map(Term::Point).collect();
        }
        if field.flattened.is_some() {
            return self.held(field).into_iter().map(|(_, term)| term).collect();
        }
        let mut terms = Vec::new();
        for value in self.raw(field) {
            let term = match value {
                ValueRef::Null | ValueRef::Undefined if field.only.is_none() => null_term(field),
                value => document_term(field, value),
            };
            terms.extend(term);
        }
        terms
    }

    /// What an object that is this field holds, with the keys; or what it holds at a key, where the field is that.
    pub fn held(&self, field: &Field) -> Vec<(String, Term)> {
        let mut found = Vec::new();
        for object in self.raw(field) {
            let objects = field.flattened.iter().filter(|_| object.as_document().is_some());
            for flattened in objects {
                flattened.each(object, &mut |key, value| {
                    let term = match value {
                        ValueRef::Null | ValueRef::Undefined => null_term(field),
                        value => term(field, value),
                    };
                    found.extend(term.map(|term| (key.to_owned(), term)));
                });
            }
        }
        found
    }

    /// What the values of a field add up to, where that is all that a row has of it.
    pub fn summary(&self, field: &Field) -> Option<&'d Summary> {
        let (_, values) = self.row?.iter().find(|(name, _)| *name == field.name)?;
        match values {
            RowValues::Summary(summary) => Some(summary),
            RowValues::Each(_) => None,
        }
    }

    fn meta_terms(&self, meta: Meta, field: &Field) -> Vec<Term> {
        match meta {
            Meta::Index => vec![Term::Text(self.index.to_owned())],
            Meta::Constant => field.constant.iter().cloned().map(Term::Text).collect(),
            Meta::Id => vec![Term::Text(self.id.to_owned())],
            Meta::Routing => match self.root.get("_routing") {
                Some(ValueRef::String(routing)) => vec![Term::Text(routing.to_owned())],
                _ => Vec::new(),
            },
            Meta::Ignored => self.ignored().into_iter().map(Term::Text).collect(),
            Meta::Sequence => vec![Term::Integer(self.sequence as i64)],
        }
    }

    /// The fields some values of which are not found, since they are too long or malformed.
    pub fn ignored(&self) -> Vec<String> {
        let mut ignored = Vec::new();
        for (name, field) in self.mapping.fields() {
            let may_be = field.ignore_malformed || field.ignore_above != usize::MAX;
            let may_be = may_be && field.flattened.is_none() && field.meta.is_none();
            if may_be && has_ignored(field, &self.raw(field)) {
                ignored.push(name.to_owned());
            }
        }
        ignored
    }

    /// The whole document of a nested object.
    pub fn whole(&self) -> View<'d> {
        View {
            document: self.root,
            offset: 0,
            scope: None,
            ..*self
        }
    }

    /// How many nested objects there are, those within others among them.
    pub fn objects(&self) -> usize {
        let nested = self
            .mapping
            .fields()
            .filter(|(_, field)| field.kind == FieldKind::Nested);
        nested.map(|(path, _)| self.nested(path).len()).sum()
    }

    /// The nested objects at a path below this view.
    pub fn nested(&self, path: &'d str) -> Vec<View<'d>> {
        let within = match self.scope {
            None => Some(path),
            Some(scope) => path.strip_prefix(scope).and_then(|rest| rest.strip_prefix('.')),
        };
        let mut found = Vec::new();
        if let Some(within) = within {
            values_at(self.document, within, &mut found);
        }
        let objects = found.into_iter().filter_map(ValueRef::as_document);
        objects
            .enumerate()
            .map(|(offset, document)| View {
                document,
                offset,
                scope: Some(path),
                ..*self
            })
            .collect()
    }
}

/// Whether some of the values at a field's place are none that it can have.
fn has_ignored(field: &Field, values: &[ValueRef<'_>]) -> bool {
    let is_null = |value: &&ValueRef<'_>| matches!(value, ValueRef::Null | ValueRef::Undefined);
    if field.kind != FieldKind::Point {
        let mut given = values.iter().filter(|value| !is_null(value));
        return given.any(|value| term(field, *value).is_none());
    }
    // Two numbers are one point, wherever the list of them ended.
    let (nulls, numbers) = (
        values.iter().filter(is_null).count(),
        values.iter().filter(|value| value.is_number()).count(),
    );
    let given = values.len() - nulls - numbers + (numbers / 2).max(numbers.min(1));
    Point::all(values).len() < given
}

/// What stands at a path, whose dots may be of names; arrays are gone through.
pub fn values_at<'d>(document: DocumentRef<'d>, path: &str, out: &mut Vec<ValueRef<'d>>) {
    each_at(document, path, &mut |value| flatten(value, out));
}

/// Shows what stands at a path, whose dots may be of names; arrays on the way are gone through.
pub(crate) fn each_at<'d, F: FnMut(ValueRef<'d>)>(document: DocumentRef<'d>, path: &str, see: &mut F) {
    if let Some(value) = document.get(path) {
        see(value);
    }
    for (at, _) in path.match_indices('.') {
        if let Some(value) = document.get(&path[..at]) {
            each_below(value, &path[at + 1..], see);
        }
    }
}

fn each_below<'d, F: FnMut(ValueRef<'d>)>(value: ValueRef<'d>, path: &str, see: &mut F) {
    match value {
        ValueRef::Document(inner) => each_at(inner, path, see),
        ValueRef::Array(array) => array.iter().for_each(|value| each_below(value, path, see)),
        _ => {}
    }
}

fn flatten<'d>(value: ValueRef<'d>, out: &mut Vec<ValueRef<'d>>) {
    match value {
        ValueRef::Array(array) => array.iter().for_each(|value| flatten(value, out)),
        value => out.push(value),
    }
}

/// The text of a scalar of a document; a text is lent from where it lies.
pub fn text_at(value: ValueRef<'_>) -> Option<Cow<'_, str>> {
    Some(Cow::Owned(match value {
        ValueRef::String(text) | ValueRef::Symbol(text) => return Some(Cow::Borrowed(text)),
        ValueRef::Bool(flag) => flag.to_string(),
        ValueRef::Int32(number) => number.to_string(),
        ValueRef::Int64(number) => number.to_string(),
        ValueRef::Double(number) => serde_json::Number::from_f64(number)?.to_string(),
        ValueRef::ObjectId(id) => id.to_string(),
        ValueRef::DateTime(ms) => crate::dates::DateFormats::default().write(ms, &TimeZone::UTC),
        ValueRef::Decimal128(decimal) => match decimal.to_string().parse::<u64>() {
            Ok(whole) => whole.to_string(),
            Err(_) => value.as_f64()?.to_string(),
        },
        _ => return None,
    }))
}

/// The same as a text of its own.
pub fn text_of(value: ValueRef<'_>) -> Option<String> {
    text_at(value).map(Cow::into_owned)
}

/// What stands for null in a field.
pub fn null_term(field: &Field) -> Option<Term> {
    let given = field.null_value.as_ref().filter(|value| !value.is_null())?;
    let text = scalar(given)?;
    term(field, ValueRef::String(&text))
}

/// A value of a document as a field has it; `None` where it cannot have it.
pub fn document_term(field: &Field, value: ValueRef<'_>) -> Option<Term> {
    match field.counts_words {
        None => term(field, value),
        Some(all_places) => {
            let words = field.analyzer.words(&text_of(value)?, all_places);
            Some(Term::Integer(i64::from(words)))
        }
    }
}

/// A value as a field has it; `None` where it cannot have it.
pub fn term(field: &Field, value: ValueRef<'_>) -> Option<Term> {
    term_of(&field.kind, field, value)
}

/// A value as a field has it that is of this kind, or holds such values.
pub fn term_of(kind: &FieldKind, field: &Field, value: ValueRef<'_>) -> Option<Term> {
    match kind {
        FieldKind::Range(inner) => {
            Interval::of(field, inner, value).map(|interval| Term::Interval(Box::new(interval)))
        }
        FieldKind::Completion => completion::inputs(value).into_iter().next().map(Term::Text),
        FieldKind::Text => text_of(value).map(Term::Text),
        FieldKind::Keyword => keyword(field, value).map(Term::Text),
        FieldKind::Integer(least, most) => {
            let number = integer(value)?;
            (least..=most).contains(&&number).then_some(Term::Integer(number))
        }
        FieldKind::Unsigned => unsigned::read(value).ok().map(Term::Unsigned),
        FieldKind::Float(factor) => {
            let number = match value {
                ValueRef::String(text) => text.trim().parse().ok()?,
                value if value.is_number() => value.as_f64()?,
                _ => return None,
            };
            let number = match factor {
                Some(factor) => java::round(number * factor) / factor,
                None => short::nearest(&field.type_name, number),
            };
            // The sum has no negative zero, which columns do not know.
            number.is_finite().then_some(Term::Float(number + 0.0))
        }
        FieldKind::Boolean => Some(Term::Boolean(match value {
            ValueRef::Bool(flag) => flag,
            ValueRef::String("true") => true,
            ValueRef::String("false" | "") => false,
            _ => return None,
        })),
        FieldKind::Date => Some(Term::Date(match value {
            ValueRef::DateTime(ms) => ms,
            ValueRef::Timestamp(at) => i64::from(at.seconds) * 1000,
            ValueRef::String(text) => {
                field
                    .formats
                    .read(text, &TimeZone::UTC, crate::dates::Rounding::Down)?
            }
            value if value.is_number() => field.formats.of_number(value.as_f64()?)?,
            _ => return None,
        })),
        FieldKind::Ip => match value {
            ValueRef::String(text) => ip(text).map(Term::Ip),
            _ => None,
        },
        FieldKind::Point => Point::all(&[value]).into_iter().next().map(Term::Point),
        FieldKind::Binary
        | FieldKind::Vector(_)
        | FieldKind::Object
        | FieldKind::Nested
        | FieldKind::Disabled
        | FieldKind::Alias(_) => None,
    }
}

fn keyword(field: &Field, value: ValueRef<'_>) -> Option<String> {
    let text = match field.only {
        Some(_) => ValueKind::text(value)?,
        None => text_of(value)?,
    };
    if text.chars().count() > field.ignore_above {
        return None;
    }
    Some(match &field.normalizer {
        Some(normalizer) => normalizer.normalize(&text),
        None => text,
    })
}

fn integer(value: ValueRef<'_>) -> Option<i64> {
    match value {
        ValueRef::String(text) => match text.trim().parse::<i64>() {
            Ok(number) => Some(number),
            Err(_) => whole(text.trim().parse().ok()?),
        },
        value if value.is_number() => match value.as_i64_exact() {
            Some(number) => Some(number),
            None => whole(value.as_f64()?),
        },
        _ => None,
    }
}

/// An address, by its text.
pub fn ip(text: &str) -> Option<Ipv6Addr> {
    Some(match text.parse::<IpAddr>().ok()? {
        IpAddr::V4(four) => four.to_ipv6_mapped(),
        IpAddr::V6(six) => six,
    })
}

/// The nanoseconds since 1970 of a value of a date that has them.
pub fn nanos(field: &Field, value: ValueRef<'_>) -> Option<i64> {
    let Some(Term::Date(ms)) = term(field, value) else {
        return None;
    };
    let within = match value {
        // The fraction of a second, which is the last of a text that has one.
        ValueRef::String(text) => text.split_once(['.', ',']).map_or(0, |(_, rest)| {
            let digits: String = rest.chars().take_while(char::is_ascii_digit).take(9).collect();
            format!("{digits:0<9}").parse::<i64>().unwrap_or(0) % 1_000_000
        }),
        _ => 0,
    };
    ms.checked_mul(1_000_000)?.checked_add(within)
}

/// Whether a text matches a pattern in which `*` stands for any text.
pub fn simple_match(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut left) = text.strip_prefix(first) else {
        return false;
    };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return left.ends_with(part);
        }
        match left.find(part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    true
}
