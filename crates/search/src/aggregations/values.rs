//! Where aggregations take their values from.

use super::scripted::{Makes, Scripted};
use super::takes::Takes;
use jiff::tz::TimeZone;
use mapping::dates::{DateFormats, Rounding, parse_math};
use mapping::decimals::java_number;
use mapping::error::{ErrorKind, Result, SearchError};
use mapping::fields::{self, Term, View};
use mapping::geo::Point;
use mapping::json::scalar;
use mapping::rows::Summary;
use mapping::value_format::{ValueFormat, ValueType};
use mapping::{FieldKind, Mapping};
use serde_json::{Map, Number, Value};
use std::cmp::Ordering;

/// A field, and what stands for a document that has no value of it.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// Its name; nothing where a script makes values of documents.
    pub(super) field: String,
    /// What makes values of documents, or of the field's.
    pub(super) script: Option<Box<Scripted>>,
    pub(super) missing: Option<Value>,
    pub(super) format: Option<String>,
    pub(super) zone: TimeZone,
    /// What values are of a field that is not mapped.
    pub(super) value_type: Option<ValueType>,
    /// How values are written; known when the indices are.
    pub(super) shown: ValueFormat,
    /// What values the field has, where keys can be made of them; known when the indices are.
    pub(super) values: Option<ValueType>,
    /// What `missing` means to the field.
    pub(super) stand_in: Option<Term>,
    /// Whether numbers are shown with fractions: the field's have them, or what stands for none has.
    pub(super) is_fractional: bool,
}

impl Source {
    /// The values of a field and nothing else.
    pub(super) fn of_field(field: String) -> Source {
        Source {
            field,
            script: None,
            missing: None,
            format: None,
            zone: TimeZone::UTC,
            value_type: None,
            shown: ValueFormat::Raw,
            values: None,
            stand_in: None,
            is_fractional: false,
        }
    }

    /// Reads what a request says of the field, by the indices that have it; refuses one whose values cannot be taken.
    pub(super) fn resolve(
        &mut self,
        mappings: &[&Mapping],
        takes: Takes,
        aggregation: &str,
        now_ms: i64,
    ) -> Result<()> {
        if self.script.is_some() && takes == Takes::Points {
            return Err(SearchError::new(
                ErrorKind::Aggregation,
                "value source of type [geopoint] is not supported by scripts",
            ));
        }
        let mut first = None;
        let named: &[&Mapping] = if self.is_of_documents() { &[] } else { mappings };
        for mapping in named {
            let field = mapping.field(&self.field);
            takes.check(&self.field, field.as_ref().map(|field| &***field), aggregation)?;
            first = first.or(field.filter(|field| !field.is_object()));
        }
        let field = first.as_ref().map(|field| &***field);
        let format = self.format.as_deref();
        let unmapped = self.value_type.unwrap_or(takes.unmapped());
        if field.is_none() && takes == Takes::Numbers && matches!(unmapped, ValueType::Text | ValueType::Ip) {
            return Err(SearchError::illegal(format!(
                "unmapped field is not supported for aggregation [{aggregation}]"
            )));
        }
        self.shown = match field {
            Some(field) => ValueFormat::of(field, format, &self.zone)?,
            None => unmapped.format(format, &self.zone)?,
        };
        self.values = field.map_or(Some(unmapped), ValueType::of);
        if let Some(missing) = &self.missing {
            self.stand_in = match self.values {
                Some(kind) => Some(self.read(kind, missing, now_ms)?),
                None if takes == Takes::Points => Point::of_json(missing).map(Term::Point),
                None => None,
            };
        }
        let is_float = field.is_some_and(|field| matches!(field.kind, FieldKind::Float(_)));
        self.is_fractional = is_float || matches!(self.stand_in, Some(Term::Float(_)));
        self.resolve_script(takes);
        Ok(())
    }

    /// Whether a script makes its values, without a field.
    fn is_of_documents(&self) -> bool {
        self.script.is_some() && self.field.is_empty()
    }

    /// Says what a script's values are taken for, once it is known what values there are. What is made of a field's numbers has
    /// fractions, whatever the field has.
    fn resolve_script(&mut self, takes: Takes) {
        let is_of_documents = self.is_of_documents();
        let Some(script) = &mut self.script else {
            return;
        };
        script.makes = match self.values {
            None | Some(ValueType::Text | ValueType::Ip) => Makes::Texts,
            Some(_) if matches!(takes, Takes::Dates | Takes::DateRanges) => Makes::Dates,
            Some(_) if is_of_documents && script.is_whole => Makes::Whole,
            Some(_) => Makes::Fractions,
        };
        self.is_fractional = script.makes == Makes::Fractions;
    }

    /// What the name of an answer with keys of these values begins with.
    pub(super) fn prefix(&self) -> char {
        match self.values {
            Some(ValueType::Number | ValueType::Date | ValueType::Boolean) if self.is_fractional => 'd',
            Some(ValueType::Number | ValueType::Date | ValueType::Boolean) => 'l',
            _ => 's',
        }
    }

    /// A value of a request as one of the field's.
    pub(super) fn read(&self, kind: ValueType, value: &Value, now_ms: i64) -> Result<Term> {
        let text = scalar(value).unwrap_or_default();
        Ok(match kind {
            ValueType::Text => Term::Text(text),
            ValueType::Number => match text.parse::<i64>() {
                Ok(whole) => Term::Integer(whole),
                Err(_) => match text.parse() {
                    Ok(whole) => Term::Unsigned(whole),
                    Err(_) => Term::Float(java_number(&text)?),
                },
            },
            ValueType::Date => match value.as_f64().filter(|_| self.is_of_milliseconds()) {
                Some(number) => Term::Date(number as i64),
                None => Term::Date(self.read_date(&text, now_ms)?),
            },
            ValueType::Ip => {
                let invalid = || SearchError::illegal(format!("'{text}' is not an IP string literal."));
                Term::Ip(fields::ip(&text).ok_or_else(invalid)?)
            }
            ValueType::Boolean => match text.as_str() {
                "true" => Term::Boolean(true),
                "false" => Term::Boolean(false),
                _ => {
                    return Err(SearchError::illegal(format!(
                        "Cannot parse boolean [{text}], expected either [true] or [false]"
                    )));
                }
            },
        })
    }

    fn is_of_milliseconds(&self) -> bool {
        let default = DateFormats::default();
        matches!(&self.shown, ValueFormat::Dates(formats, _) if *formats == default)
    }

    /// The values of a document.
    pub(super) fn terms(&self, view: &View<'_>) -> Result<Vec<Term>> {
        let mut terms = match &self.script {
            None => self.field_terms(view),
            Some(script) if self.field.is_empty() => script.of_document(view)?,
            Some(script) => script.of_values(view, self.field_terms(view))?,
        };
        if terms.is_empty() {
            terms.extend(self.stand_in.clone());
        }
        if self.is_fractional {
            for term in &mut terms {
                if let Term::Integer(_) | Term::Unsigned(_) = term {
                    *term = Term::Float(term.as_f64().unwrap_or_default());
                }
            }
        }
        Ok(terms)
    }

    /// Whether a script of it looks at scores.
    pub(super) fn reads_score(&self) -> bool {
        let script = self.script.as_ref();
        script.is_some_and(|scripted| scripted.script.reads_score())
    }

    /// The values that the field has.
    fn field_terms(&self, view: &View<'_>) -> Vec<Term> {
        let field = view.mapping.field(&self.field);
        let field = field.as_deref();
        field.map_or_else(Vec::new, |field| match field.kind {
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
        })
    }

    /// What the values add up to, where that is all that is known of them.
    pub(super) fn summary<'d>(&self, view: &View<'d>) -> Option<&'d Summary> {
        if self.script.is_some() {
            return None;
        }
        let field = view.mapping.field(&self.field)?;
        view.summary(&field)
    }

    /// Whether a document has any value, what stands for none included.
    pub(super) fn is_missing(&self, view: &View<'_>) -> Result<bool> {
        Ok(self.terms(view)?.is_empty())
    }

    /// The moment that a text of a request means.
    pub(super) fn read_date(&self, text: &str, now_ms: i64) -> Result<i64> {
        match &self.shown {
            ValueFormat::Dates(formats, zone) => parse_math(text, formats, zone, now_ms, Rounding::Down),
            _ => parse_math(text, &DateFormats::default(), &self.zone, now_ms, Rounding::Down),
        }
    }

    /// A value as it is shown by itself.
    pub(super) fn shown(&self, term: &Term) -> Value {
        let formatted = term.as_f64().and_then(|number| self.shown.text(number));
        match (term, formatted) {
            (Term::Boolean(flag), _) => (*flag).into(),
            (_, Some(text)) => text.into(),
            (term, None) => plain(term),
        }
    }

    /// Puts a key into a bucket's answer, with its text where it has a format.
    pub(super) fn put_key(&self, key: &Term, out: &mut Map<String, Value>) {
        if let Some(text) = term_text(&self.shown, key) {
            // Before the number, as a client reads it.
            out.insert("key_as_string".to_owned(), text.into());
        }
        out.insert("key".to_owned(), plain(key));
    }
}

/// A value that is shown as it is.
fn plain(term: &Term) -> Value {
    match term {
        Term::Integer(number) | Term::Date(number) => (*number).into(),
        Term::Unsigned(number) => (*number).into(),
        Term::Float(number) => number_of(*number),
        Term::Boolean(flag) => i64::from(*flag).into(),
        Term::Text(text) => text.as_str().into(),
        Term::Ip(ip) => Term::ip_text(ip).into(),
        Term::Point(_) | Term::Interval(_) => Value::Null,
    }
}

/// The text of a key that has a format.
fn term_text(shown: &ValueFormat, key: &Term) -> Option<String> {
    match (shown, key) {
        (ValueFormat::Dates(formats, zone), Term::Date(ms) | Term::Integer(ms)) => {
            Some(formats.write(*ms, zone))
        }
        (shown, key) => shown.text(key.as_f64()?),
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
