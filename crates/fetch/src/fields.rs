//! The values of fields that a client wants beside a document: `fields`, `docvalue_fields`, `stored_fields`.

use jiff::tz::TimeZone;
use mapping::columns::{check_column, check_name};
use mapping::error::{Result, SearchError};
use mapping::fields::{Term, View, document_term, nanos, null_term, simple_match, text_of, values_at};
use mapping::flattened::Flattened;
use mapping::geo::Point;
use mapping::json::{Members, one_or_many, scalar};
use mapping::short::{is_short, shortest};
use mapping::value_format::ValueFormat;
use mapping::{Field, FieldKind, Mapping, Meta};
use search::Hit;
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
    /// The document, in its order, with its nested objects.
    Source,
    /// Columns: sorted, texts once.
    Columns,
    /// What is stored beside the document.
    Stored,
}

impl WantedField {
    /// Reads a list of names, or of objects with `field` and `format`.
    pub fn parse(list: &Value) -> Result<Vec<WantedField>> {
        let one = |value: &Value| match value {
            Value::Object(_) => {
                let mut members = Members::of("docvalues_field", value)?;
                let pattern = members.text("field")?;
                let format = members
                    .text("format")?
                    .filter(|format| format != "use_field_mapping");
                if let Some((other, _)) = members.take_first() {
                    return Err(SearchError::parsing(format!(
                        "[docvalues_field] unknown field [{other}]"
                    )));
                }
                Ok(WantedField {
                    pattern: pattern.ok_or_else(|| SearchError::illegal("Required [field]"))?,
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
        for (name, field) in named(mapping, &one.pattern) {
            if field.is_object() {
                continue;
            }
            if of == ValuesOf::Columns {
                check_name(name)?;
                check_column(name, &field)?;
                if field.is_vector() {
                    return Err(SearchError::illegal(format!(
                        "Field [{name}] of type [{}] doesn't support docvalue_fields or aggregations",
                        field.type_name
                    )));
                }
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

/// How many fields are wanted of an index: one by each name, and all that have the names of patterns.
pub fn count(mapping: &Mapping, wanted: &[WantedField]) -> usize {
    let of = |one: &WantedField| match one.pattern.contains('*') {
        true => named(mapping, &one.pattern).len(),
        false => 1,
    };
    wanted.iter().map(of).sum()
}

/// The fields of a name or a pattern; keys of objects that are fields have no names but those that are asked for.
fn named<'m>(mapping: &'m Mapping, pattern: &'m str) -> Vec<(&'m str, Cow<'m, Arc<Field>>)> {
    if !pattern.contains('*') {
        let is_named = |field: &Cow<'_, Arc<Field>>| {
            mapping.has_field(pattern) || field.is_keyed() || field.meta.is_some()
        };
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
    let is_object = |name: &str| mapping.field(name).is_some_and(|field| field.is_object());
    if let Some(object) = wanted.iter().find(|one| is_object(&one.pattern)) {
        return Err(SearchError::illegal(format!(
            "field [{}] isn't a leaf field",
            object.pattern
        )));
    }
    let mut found = fetched(mapping, hit, wanted, ValuesOf::Stored)?;
    found.retain(|name, _| mapping.field(name).is_some_and(|field| field.is_stored));
    Ok(found)
}

/// The same of a document that was asked for by its id.
pub fn stored_of(
    mapping: &Mapping,
    document: &DocumentBuf,
    wanted: &[WantedField],
) -> Result<Map<String, Value>> {
    fetched_stored(mapping, &Hit::of_document(document.clone()), wanted)
}

/// How values are written.
enum Written {
    /// As the field has them.
    Own,
    By(ValueFormat),
    /// Points as well-known text.
    PointsAsText,
}

impl Written {
    /// How values are written by this format, if it is one of the field.
    fn of(field: &Field, format: Option<&str>, of: ValuesOf) -> Result<Written> {
        let Some(format) = format else {
            return Ok(Written::Own);
        };
        let reason = match &field.kind {
            _ if of == ValuesOf::Columns => return by_format(field, format),
            FieldKind::Date => return by_format(field, format),
            FieldKind::Point => match format {
                "wkt" => return Ok(Written::PointsAsText),
                "geojson" => return Ok(Written::Own),
                other => format!("Unrecognized geometry format [{other}]."),
            },
            FieldKind::Text => format!("Field [{}] doesn't support formats.", field.name),
            _ => format!(
                "Field [{}] of type [{}] doesn't support formats.",
                field.name, field.type_name
            ),
        };
        Err(SearchError::illegal(reason))
    }
}

fn by_format(field: &Field, format: &str) -> Result<Written> {
    ValueFormat::of(field, Some(format), &TimeZone::UTC).map(Written::By)
}

fn values<'v>(view: &View<'v>, field: &'v Field, format: Option<&str>, of: ValuesOf) -> Result<Vec<Value>> {
    let written = Written::of(field, format, of)?;
    if field.meta.is_some() {
        let terms = view.terms(field);
        // What is said of documents is in none, but for what is the same in all.
        let is_shown = of == ValuesOf::Columns || field.meta == Some(Meta::Constant);
        let texts = terms.iter().filter(|_| is_shown);
        let texts = texts.map(|term| shown(field, term, ValueRef::Null, &written));
        return Ok(texts.collect());
    }
    if of != ValuesOf::Source {
        return Ok(of_view(view, field, &written, of));
    }
    // In the order of the nested objects that they are in.
    let views = match field.nested.as_deref() {
        Some(path) if view.scope != Some(path) => view.nested(path),
        _ => vec![*view],
    };
    let of_views = views.iter().map(|view| of_view(view, field, &written, of));
    Ok(of_views.flatten().collect())
}

fn of_view(view: &View<'_>, field: &Field, written: &Written, of: ValuesOf) -> Vec<Value> {
    if field.kind == FieldKind::Point {
        let points = points_of(view, field, of).into_iter();
        return points.map(|point| shown_point(point, written, of)).collect();
    }
    if let Some(flattened) = &field.flattened {
        return held(view, field, flattened, of);
    }
    let raw = match of {
        // What was copied there is not in the document.
        ValuesOf::Source => view.own(field),
        _ => view.raw(field),
    };
    if field.is_vector() {
        return raw.into_iter().filter_map(vector_number).collect();
    }
    if field.kind == FieldKind::Binary {
        let texts = raw.into_iter().filter_map(text_of);
        let is_short = of == ValuesOf::Columns;
        let texts = texts.map(|text| {
            json!(if is_short {
                text.trim_end_matches('=')
            } else {
                &text
            })
        });
        return texts.collect();
    }
    let mut found: Vec<(Term, Value)> = Vec::new();
    for value in raw {
        let term = match value {
            ValueRef::Null | ValueRef::Undefined => null_term(field),
            value => document_term(field, value),
        };
        found.extend(term.map(|term| {
            let term = match of {
                ValuesOf::Columns => term,
                ValuesOf::Source | ValuesOf::Stored => given(field, value, term),
            };
            let shown = shown(field, &term, value, written);
            (term, shown)
        }));
    }
    if of == ValuesOf::Columns {
        found.sort_by(|(a, _), (b, _)| a.compare(b));
        if field.is_textual() {
            found.dedup_by(|(a, _), (b, _)| a.compare(b).is_eq());
        }
    }
    found.into_iter().map(|(_, shown)| shown).collect()
}

/// A number of a short type as Elasticsearch reads it in a document, before its column rounds it: with 32 bits.
fn given(field: &Field, value: ValueRef<'_>, term: Term) -> Term {
    match term {
        Term::Float(number) if is_short(&field.type_name) => {
            let given = match value {
                ValueRef::String(text) => text.trim().parse().ok(),
                value => value.as_f64(),
            };
            Term::Float(shortest(given.unwrap_or(number) as f32))
        }
        term => term,
    }
}

/// The points of a field, in the order in which they are given.
fn points_of(view: &View<'_>, field: &Field, of: ValuesOf) -> Vec<Point> {
    let points = view.terms(field).into_iter().filter_map(|term| match term {
        Term::Point(point) => Some(point),
        _ => None,
    });
    let mut points: Vec<Point> = points.collect();
    if of == ValuesOf::Columns {
        // Each is one number there, of which the longitude is the end, without a sign.
        points.sort_by(|a, b| {
            let longitude = |point: &Point| (point.lon < 0.0, point.lon);
            let ((is_west, lon), (is_other_west, other_lon)) = (longitude(a), longitude(b));
            let by_longitude = is_west.cmp(&is_other_west).then(lon.total_cmp(&other_lon));
            a.lat.total_cmp(&b.lat).then(by_longitude)
        });
    }
    points
}

fn shown_point(point: Point, written: &Written, of: ValuesOf) -> Value {
    match (written, of) {
        (_, ValuesOf::Columns) => shown_point(point.in_column(), written, ValuesOf::Stored),
        (_, ValuesOf::Stored) => json!(format!("{:?}, {:?}", point.lat, point.lon)),
        (Written::PointsAsText, _) => json!(format!("POINT ({:?} {:?})", point.lon, point.lat)),
        _ => json!({"type": "Point", "coordinates": [point.lon, point.lat]}),
    }
}

fn shown(field: &Field, term: &Term, value: ValueRef<'_>, written: &Written) -> Value {
    let number = match term {
        Term::Integer(number) => Some(*number as f64),
        Term::Float(number) => Some(*number),
        Term::Unsigned(number) => Some(*number as f64),
        _ => None,
    };
    if let (Some(number), Written::By(format)) = (number, written)
        && let Some(text) = format.text(number)
    {
        return json!(text);
    }
    match term {
        Term::Date(ms) => {
            let formats = match written {
                Written::By(ValueFormat::Dates(formats, _)) => formats,
                _ => &field.formats,
            };
            match field.is_nanos().then(|| nanos(field, value)).flatten() {
                Some(nanos) => json!(formats.write_nanos(nanos, &TimeZone::UTC)),
                None => json!(formats.write(*ms, &TimeZone::UTC)),
            }
        }
        Term::Integer(number) => json!(number),
        Term::Unsigned(number) => json!(number),
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
        let shown = terms
            .iter()
            .map(|term| shown(field, term, ValueRef::Null, &Written::Own));
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
    ::json::exact_object(&document)
        .shift_remove("v")
        .unwrap_or_default()
}
