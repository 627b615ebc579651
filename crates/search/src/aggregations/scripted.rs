//! Values that scripts make: of a document, or of each value of a field.

use jiff::tz::TimeZone;
use mapping::dates::DateFormats;
use mapping::decimals::double_text;
use mapping::error::{ErrorKind, Result, SearchError};
use mapping::fields::{Term, View};
use querying::DocumentScript;
use value::{Document, Value};

/// What is made of what a script gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Makes {
    Texts,
    Whole,
    Fractions,
    Dates,
}

/// A script, and what its values are taken for.
#[derive(Clone, Debug)]
pub(super) struct Scripted {
    pub(super) script: DocumentScript,
    /// Whether the request says that its numbers are whole.
    pub(super) is_whole: bool,
    /// Known when the fields of the indices are.
    pub(super) makes: Makes,
}

impl Scripted {
    pub(super) fn new(script: DocumentScript) -> Scripted {
        Scripted {
            script,
            is_whole: false,
            makes: Makes::Texts,
        }
    }

    /// The values that it gives for a document.
    pub(super) fn of_document(&self, view: &View<'_>) -> Result<Vec<Term>> {
        match self.script.value(view, view.score)? {
            Value::Null => Ok(Vec::new()),
            Value::Array(list) => list.iter().map(|one| self.term(one)).collect(),
            one => Ok(vec![self.term(&one)?]),
        }
    }

    /// What it makes of each value of a field.
    pub(super) fn of_values(&self, view: &View<'_>, values: Vec<Term>) -> Result<Vec<Term>> {
        let made = |term| {
            let given = self.given(term);
            self.term(&self.script.value_of(view, given)?)
        };
        values.into_iter().map(made).collect()
    }

    /// A value of a field as the script sees it.
    fn given(&self, term: Term) -> Value {
        match (self.makes, term) {
            (_, Term::Text(text)) => Value::String(text),
            (_, Term::Ip(ip)) => Value::String(Term::ip_text(&ip)),
            (_, Term::Point(point)) => {
                Value::Document(Document::new().with("lat", point.lat).with("lon", point.lon))
            }
            (Makes::Whole | Makes::Dates, Term::Integer(number) | Term::Date(number)) => Value::Int64(number),
            (_, term) => term.as_f64().map_or(Value::Null, Value::Double),
        }
    }

    fn term(&self, value: &Value) -> Result<Term> {
        if self.makes == Makes::Texts {
            return text(value).map(Term::Text).ok_or_else(|| unsupported(value));
        }
        let whole = match value {
            Value::Int32(number) => Some(i64::from(*number)),
            Value::Int64(number) | Value::DateTime(number) => Some(*number),
            Value::Bool(flag) => Some(i64::from(*flag)),
            Value::Double(number) => Some(*number as i64),
            _ => None,
        };
        let whole = whole.ok_or_else(|| unsupported(value))?;
        Ok(match (self.makes, value) {
            (Makes::Dates, _) => Term::Date(whole),
            (Makes::Whole, _) => Term::Integer(whole),
            (_, Value::Double(number)) => Term::Float(*number),
            _ => Term::Float(whole as f64),
        })
    }
}

fn unsupported(value: &Value) -> SearchError {
    let shown = text(value).unwrap_or_else(|| "an object".to_owned());
    SearchError::new(
        ErrorKind::Aggregation,
        format!("Unsupported script value [{shown}], expected a number, date, or boolean"),
    )
}

/// A value as the language writes it into a text; `None` of what holds others.
fn text(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Int32(number) => number.to_string(),
        Value::Int64(number) => number.to_string(),
        Value::Double(number) => double_text(*number),
        Value::Bool(flag) => flag.to_string(),
        Value::DateTime(ms) => DateFormats::default().write(*ms, &TimeZone::UTC),
        _ => return None,
    })
}
