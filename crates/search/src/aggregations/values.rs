//! Where aggregations take their values from.

use jiff::tz::TimeZone;
use mapping::dates::{DateFormats, Rounding, parse_math};
use mapping::error::{Result, SearchError};
use mapping::fields::{self, Term, View};
use mapping::json::scalar;
use mapping::rows::Summary;
use mapping::{FieldKind, Mapping};
use serde_json::{Map, Number, Value};
use std::cmp::Ordering;
use value::ValueRef;

/// A field, and what stands for a document that has no value of it.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) field: String,
    pub(super) missing: Option<Value>,
    pub(super) formats: Option<DateFormats>,
    pub(super) zone: TimeZone,
    /// What values are of a field that is not mapped.
    pub(super) value_type: Option<String>,
}

impl Source {
    /// The values of a field and nothing else.
    pub(super) fn of_field(field: String) -> Source {
        Source {
            field,
            missing: None,
            formats: None,
            zone: TimeZone::UTC,
            value_type: None,
        }
    }

    /// Refuses a field whose values cannot be taken so.
    pub(super) fn check(&self, mapping: &Mapping, kind: &str, wants_numbers: bool) -> Result<()> {
        let name = &self.field;
        let Some(field) = mapping.field(name) else {
            return Ok(());
        };
        if field.kind == FieldKind::Text
            && !field.doc_values
            && !matches!(kind, "missing" | "significant_text")
        {
            return Err(SearchError::illegal(format!(
                "Text fields are not optimised for operations that require per-document field data like aggregations and sorting, so \
                 these operations are disabled by default. Please use a keyword field instead. Alternatively, set fielddata=true on \
                 [{name}] in order to load field data by uninverting the inverted index. Note that this can use significant memory."
            )));
        }
        if field.is_object()
            || (wants_numbers && (field.is_textual() || field.kind == FieldKind::Ip))
            || field.kind == FieldKind::Binary
            || field.is_vector()
        {
            let type_name = &field.type_name;
            return Err(SearchError::illegal(format!(
                "Field [{name}] of type [{type_name}] is not supported for aggregation [{kind}]"
            )));
        }
        Ok(())
    }

    /// The values of a document.
    pub(super) fn terms(&self, view: &View<'_>) -> Vec<Term> {
        let field = view.mapping.field(&self.field);
        let field = field.as_deref();
        let mut terms = field.map_or_else(Vec::new, |field| match field.kind {
            FieldKind::Text => {
                let texts = view.terms(field).into_iter().filter_map(|term| match term {
                    Term::Text(text) => Some(text),
                    _ => None,
                });
                texts
                    .flat_map(|text| field.analyzer.tokens(&text))
                    .map(|token| Term::Text(token.text))
                    .collect()
            }
            _ => view.terms(field),
        });
        if let Some(missing) = self.missing.as_ref().filter(|_| terms.is_empty()) {
            let text = scalar(missing).unwrap_or_default();
            let term = match field {
                Some(field) => fields::term(field, ValueRef::String(&text)),
                None => self.typed(missing, text),
            };
            terms.extend(term);
        }
        terms
    }

    /// What the values add up to, and whether they are dates, where that is all that is known of them.
    pub(super) fn summary<'d>(&self, view: &View<'d>) -> Option<(&'d Summary, bool)> {
        let field = view.mapping.field(&self.field)?;
        Some((view.summary(&field)?, field.kind == FieldKind::Date))
    }

    /// A value of a field that is not mapped: of the type that the request names, or its own.
    fn typed(&self, value: &Value, text: String) -> Option<Term> {
        match (self.value_type.as_deref(), value) {
            (Some("boolean"), _) | (None, Value::Bool(_)) => {
                Some(Term::Boolean(text == "true" || text == "1"))
            }
            (Some("date"), Value::Number(ms)) => ms.as_i64().map(Term::Date),
            (Some("date"), _) => {
                let formats = self.formats.clone().unwrap_or_default();
                formats.read(&text, &self.zone, Rounding::Down).map(Term::Date)
            }
            (Some("long" | "integer"), _) => text.parse().ok().map(Term::Integer),
            (Some("ip"), _) => fields::ip(&text).map(Term::Ip),
            (_, value) => match value.as_f64() {
                Some(number) => Some(Term::Float(number)),
                None => Some(Term::Text(text)),
            },
        }
    }

    /// Whether a document has any value, what stands for none included.
    pub(super) fn is_missing(&self, view: &View<'_>) -> bool {
        self.terms(view).is_empty()
    }

    /// The moment that a text of a request means.
    pub(super) fn read_date(&self, text: &str, view: &View<'_>) -> Result<i64> {
        let field = view.mapping.field(&self.field);
        let own = field.as_ref().map(|field| &field.formats);
        let default = DateFormats::default();
        let formats = self.formats.as_ref().or(own).unwrap_or(&default);
        let read = |formats: &DateFormats| parse_math(text, formats, &self.zone, 0, Rounding::Down);
        read(formats).or_else(|_| read(&default))
    }

    /// A date as text.
    pub(super) fn date(&self, ms: i64, view: Option<&View<'_>>) -> String {
        let field = view.and_then(|view| view.mapping.field(&self.field));
        let own = field.as_ref().map(|field| &field.formats);
        let default = DateFormats::default();
        self.formats
            .as_ref()
            .or(own)
            .unwrap_or(&default)
            .write(ms, &self.zone)
    }

    /// A value as it is shown by itself, dates as texts.
    pub(super) fn shown(&self, term: &Term, view: Option<&View<'_>>) -> Value {
        match term {
            Term::Integer(number) => (*number).into(),
            Term::Float(number) => number_of(*number),
            Term::Boolean(flag) => (*flag).into(),
            Term::Date(ms) => self.date(*ms, view).into(),
            Term::Text(text) => text.as_str().into(),
            Term::Ip(ip) => Term::ip_text(ip).into(),
            Term::Point(_) | Term::Interval(_) => Value::Null,
        }
    }

    /// Puts a key into a bucket's answer, with its text where it is no text and no plain number.
    pub(super) fn put_key(&self, key: &Term, out: &mut Map<String, Value>) {
        let (value, text) = match key {
            Term::Integer(number) => ((*number).into(), None),
            Term::Float(number) => (number_of(*number), None),
            Term::Boolean(flag) => (i64::from(*flag).into(), Some(flag.to_string())),
            Term::Date(ms) => ((*ms).into(), Some(self.date(*ms, None))),
            Term::Text(text) => (text.as_str().into(), None),
            Term::Ip(ip) => (Term::ip_text(ip).into(), None),
            Term::Point(_) | Term::Interval(_) => (Value::Null, None),
        };
        if let Some(text) = text {
            // Before the number, as a client reads it.
            out.insert("key_as_string".to_owned(), text.into());
        }
        out.insert("key".to_owned(), value);
    }
}

/// A number of JSON; null for what is none.
pub(super) fn number_of(number: f64) -> Value {
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}

/// A value that buckets are known by.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Key(pub(super) Term);

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Key {
    /// About the bytes that it takes in memory, with its place among others.
    pub(super) fn bytes(&self) -> usize {
        let text = match &self.0 {
            Term::Text(text) => text.len(),
            _ => 0,
        };
        2 * size_of::<Key>() + text
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        self.0.compare(&other.0)
    }
}
