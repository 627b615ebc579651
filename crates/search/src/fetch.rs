//! The values of fields that a client wants beside a document: `fields`, `docvalue_fields`, `stored_fields`.

use crate::hit::Hit;
use jiff::tz::TimeZone;
use mapping::dates::DateFormats;
use mapping::error::{Result, SearchError};
use mapping::fields::{Term, View, document_term, nanos, simple_match, values_at};
use mapping::flattened::Flattened;
use mapping::json::{Members, one_or_many, scalar};
use mapping::{Field, FieldKind, Mapping};
use serde_json::{Map, Number, Value, json};
use std::borrow::Cow;
use std::sync::Arc;
use value::{DocumentBuf, ValueRef};

/// Fields that are wanted, by a name or a pattern.
#[derive(Clone, Debug)]
pub struct WantedField {
    pattern: String,
    format: Option<String>,
}

/// From where values are taken, and so which of them and in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValuesOf {
    /// The document, in its order.
    Source,
    /// Columns: sorted, texts once.
    Columns,
}

impl WantedField {
    /// Reads a list of names, or of objects with `field` and `format`.
    pub fn parse(list: &Value) -> Result<Vec<WantedField>> {
        let one = |value: &Value| match value {
            Value::Object(_) => {
                let mut members = Members::of("fields", value)?;
                let pattern = members.text("field")?;
                let format = members
                    .text("format")?
                    .filter(|format| format != "use_field_mapping");
                members.end()?;
                Ok(WantedField {
                    pattern: pattern.ok_or_else(|| SearchError::parsing("Required [field]"))?,
                    format,
                })
            }
            name => Ok(WantedField {
                pattern: scalar(name).ok_or_else(|| SearchError::parsing("a field must be a name"))?,
                format: None,
            }),
        };
        one_or_many(list).into_iter().map(one).collect()
    }
}

/// Fails where fields are wanted of documents that the mapping does not show.
pub fn check_source(mapping: &Mapping, index: &str, wanted: &[WantedField]) -> Result<()> {
    if wanted.is_empty() || mapping.shows_source() {
        return Ok(());
    }
    Err(SearchError::illegal(format!(
        "Unable to retrieve the requested [fields] since _source is disabled in the mappings for index [{index}]"
    )))
}

/// The values of the wanted fields of a hit; fields without any are left out.
pub fn fetched(
    mapping: &Mapping,
    hit: &Hit,
    wanted: &[WantedField],
    of: ValuesOf,
) -> Result<Map<String, Value>> {
    let view = hit.view(mapping);
    let mut out = Map::new();
    for one in wanted {
        let is_pattern = one.pattern.contains('*');
        for (name, field) in named(mapping, &one.pattern) {
            let is_out = field.is_object() || (of == ValuesOf::Columns && !field.doc_values);
            if is_out && is_pattern {
                continue;
            }
            if is_out && of == ValuesOf::Columns {
                return Err(SearchError::illegal(format!(
                    "Can't load fielddata on [{name}] because fielddata is unsupported on fields of type [{}]. Use doc values instead.",
                    field.type_name
                )));
            }
            let values = values(&view, &field, one.format.as_deref(), of)?;
            if !values.is_empty() {
                // One that is wanted in several formats has its values in each.
                let all = out.entry(name).or_insert_with(|| json!([]));
                match all {
                    Value::Array(all) if of == ValuesOf::Columns => all.extend(values),
                    all => *all = Value::Array(values),
                }
            }
        }
    }
    Ok(out)
}

/// The fields of a name or a pattern; keys of objects that are fields have no names but those that are asked for.
fn named<'m>(mapping: &'m Mapping, pattern: &'m str) -> Vec<(&'m str, Cow<'m, Arc<Field>>)> {
    if !pattern.contains('*') {
        let is_named = |field: &Cow<'_, Arc<Field>>| mapping.has_field(pattern) || field.is_keyed();
        let field = mapping.field(pattern).filter(is_named);
        return field.map(|field| (pattern, field)).into_iter().collect();
    }
    let found = mapping.fields().filter(|(name, _)| simple_match(pattern, name));
    found
        .map(|(name, field)| (name, mapping.field(name).unwrap_or(Cow::Borrowed(field))))
        .collect()
}

/// The values of the wanted fields that the mapping stores beside the document.
pub fn fetched_stored(mapping: &Mapping, hit: &Hit, wanted: &[WantedField]) -> Result<Map<String, Value>> {
    let mut found = fetched(mapping, hit, wanted, ValuesOf::Source)?;
    found.retain(|name, _| mapping.field(name).is_some_and(|field| field.is_stored));
    Ok(found)
}

/// The same of a document that was asked for by its id.
pub fn stored_of(
    mapping: &Mapping,
    document: &DocumentBuf,
    wanted: &[WantedField],
) -> Result<Map<String, Value>> {
    let hit = Hit {
        index: 0,
        id: String::new(),
        sequence: 0,
        version: 0,
        score: None,
        document: document.clone(),
        nested: None,
        ignored: Vec::new(),
        sort: Vec::new(),
    };
    fetched_stored(mapping, &hit, wanted)
}

fn values(view: &View<'_>, field: &Field, format: Option<&str>, of: ValuesOf) -> Result<Vec<Value>> {
    let formats = match format {
        Some(format) if field.is_date() => Some(DateFormats::parse(format)?),
        Some(_) if !field.is_number() => {
            return Err(SearchError::illegal(format!(
                "Field [{}] of type [{}] doesn't support formats.",
                field.name, field.type_name
            )));
        }
        _ => None,
    };
    if field.meta.is_some() {
        let terms = view.terms(field);
        let texts = terms.iter().map(|term| shown(field, term, ValueRef::Null, None));
        return Ok(texts.collect());
    }
    let raw = view.raw(field);
    if field.kind == FieldKind::Point {
        let points = view.terms(field);
        let shown = points.iter().filter_map(|term| match (term, of) {
            (Term::Point(point), ValuesOf::Source) => {
                Some(json!({"type": "Point", "coordinates": [point.lon, point.lat]}))
            }
            (Term::Point(point), ValuesOf::Columns) => Some(json!(format!("{}, {}", point.lat, point.lon))),
            _ => None,
        });
        return Ok(shown.collect());
    }
    if let Some(flattened) = &field.flattened {
        return Ok(held(view, field, flattened, of));
    }
    if field.is_vector() {
        return Ok(raw.into_iter().filter_map(vector_number).collect());
    }
    let mut found: Vec<(Term, Value)> = Vec::new();
    for value in raw {
        let value = match value {
            ValueRef::Null | ValueRef::Undefined => continue,
            value => value,
        };
        if let Some(term) = document_term(field, value) {
            let shown = shown(field, &term, value, formats.as_ref());
            found.push((term, shown));
        }
    }
    if of == ValuesOf::Columns {
        found.sort_by(|(a, _), (b, _)| a.compare(b));
        if field.is_textual() {
            found.dedup_by(|(a, _), (b, _)| a.compare(b).is_eq());
        }
    }
    Ok(found.into_iter().map(|(_, shown)| shown).collect())
}

fn shown(field: &Field, term: &Term, value: ValueRef<'_>, formats: Option<&DateFormats>) -> Value {
    match term {
        Term::Date(ms) => {
            let formats = formats.unwrap_or(&field.formats);
            match field.is_nanos().then(|| nanos(field, value)).flatten() {
                Some(nanos) => json!(formats.write_nanos(nanos, &TimeZone::UTC)),
                None => json!(formats.write(*ms, &TimeZone::UTC)),
            }
        }
        Term::Integer(number) => json!(number),
        Term::Float(number) => Number::from_f64(*number).map_or(Value::Null, Value::Number),
        Term::Boolean(flag) => json!(flag),
        Term::Text(text) => json!(text),
        Term::Ip(ip) => json!(Term::ip_text(ip)),
        // As the document has it.
        Term::Interval(_) => as_json(value),
        Term::Point(_) => Value::Null,
    }
}

/// Objects that are fields, or what they hold at a key; in columns there is what they hold alone.
fn held(view: &View<'_>, field: &Field, flattened: &Flattened, of: ValuesOf) -> Vec<Value> {
    if of == ValuesOf::Columns {
        let mut terms = view.terms(field);
        terms.sort_by(Term::compare);
        terms.dedup();
        let shown = terms.iter().map(|term| shown(field, term, ValueRef::Null, None));
        return shown.collect();
    }
    let mut found = Vec::new();
    match &flattened.key {
        None => found = view.raw(field),
        Some(_) => {
            let within = |scope: &str| field.name.strip_prefix(scope)?.strip_prefix('.');
            let path = view.scope.map_or(Some(field.name.as_str()), within);
            values_at(view.document, path.unwrap_or_default(), &mut found);
        }
    }
    // At a key that has others within it there is nothing.
    found.retain(|value| value.as_document().is_some() != field.is_keyed());
    let is_some = |value: &ValueRef<'_>| !matches!(value, ValueRef::Null | ValueRef::Undefined);
    found.into_iter().filter(is_some).map(as_json).collect()
}

/// A number of a vector, or the digits of all of them.
fn vector_number(value: ValueRef<'_>) -> Option<Value> {
    match value {
        ValueRef::String(digits) => Some(json!(digits)),
        ValueRef::Int32(whole) => Some(json!(whole)),
        ValueRef::Int64(whole) => Some(json!(whole)),
        other => other.as_f64().and_then(Number::from_f64).map(Value::Number),
    }
}

/// A value of a document as JSON.
fn as_json(value: ValueRef<'_>) -> Value {
    let document = DocumentBuf::from(&value::Document::new().with("v", value.to_value()));
    let text = value::json::to_string(document.as_ref(), value::json::Mode::Relaxed);
    serde_json::from_str::<Value>(&text)
        .ok()
        .and_then(|document| document.get("v").cloned())
        .unwrap_or(Value::Null)
}
