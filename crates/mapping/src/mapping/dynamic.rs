//! Fields that documents bring: dynamic mapping and its templates.

use super::detected::{DetectedKind, put_format};
use super::field::{FieldKind, Meta};
use super::{Mapping, check_depth};
use crate::check::{check, check_name, check_places, check_written};
use crate::error::{ErrorKind, Result, SearchError};
use crate::fields::{self, View};
use crate::json::scalar;
use crate::vector_fields;
use regex::Regex;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use value::{DocumentRef, ValueRef};

/// The name under which a document is kept and what routes it, which are no fields of it.
const METADATA: [&str; 2] = ["_id", "_routing"];

/// What a document brings: names and definitions, in the order in which they came.
#[derive(Debug, Default)]
struct Brought {
    fields: Vec<(String, Value)>,
    names: HashSet<String>,
    /// Whether it comes by Elasticsearch's protocol, which refuses what others let pass.
    is_strict: bool,
}

impl Brought {
    fn has(&self, path: &str) -> bool {
        self.names.contains(path)
    }
}

impl Mapping {
    /// Adds the fields that a document brings; whether there were any. Fails where a value cannot be one of its field's, or
    /// the mapping is strict.
    pub fn learn(&mut self, document: DocumentRef<'_>) -> Result<bool> {
        self.take(document, true)
    }

    fn take(&mut self, document: DocumentRef<'_>, is_strict: bool) -> Result<bool> {
        let new = self.brought(document, is_strict)?;
        if new.is_empty() {
            return Ok(false);
        }
        let mut changed = self.clone();
        for (path, definition) in new {
            place(&mut changed.source, &path, definition);
        }
        changed.compile()?;
        *self = changed;
        Ok(true)
    }

    /// Whether a document brings fields; fails as [`Mapping::learn`] does.
    pub fn brings(&self, document: DocumentRef<'_>) -> Result<bool> {
        Ok(!self.brought(document, true)?.is_empty())
    }

    /// The fields that a document brings, and what it says of those that are there.
    fn brought(&self, document: DocumentRef<'_>, is_strict: bool) -> Result<Vec<(String, Value)>> {
        let mut new = Brought {
            is_strict,
            ..Brought::default()
        };
        self.walk(document, "", &mut new)?;
        self.check_contexts(document)?;
        self.check_vectors(document, &mut new)?;
        Ok(new.fields)
    }

    /// Refuses wrong vectors. The first one of a field may say how many numbers they have.
    fn check_vectors(&self, document: DocumentRef<'_>, new: &mut Brought) -> Result<()> {
        if !self.has_vectors {
            return Ok(());
        }
        let view = View::of_document(self, document);
        for field in self.fields.values() {
            let FieldKind::Vector(kind) = &field.kind else {
                continue;
            };
            let dims = vector_fields::check(field, &view)?;
            if let (None, Some(dims)) = (kind.dims, dims) {
                let definition = json!({"type": field.type_name, "dims": dims});
                self.add(new, &field.name, definition)?;
            }
        }
        Ok(())
    }

    /// The same for a document that is there already: what does not fit is not found, and no error.
    pub fn learn_present(&mut self, document: DocumentRef<'_>) -> bool {
        self.take(document, false).unwrap_or(false)
    }

    fn walk(&self, document: DocumentRef<'_>, prefix: &str, new: &mut Brought) -> Result<()> {
        for (name, value) in document.iter() {
            if prefix.is_empty() && METADATA.contains(&name) {
                continue;
            }
            let path = if prefix.is_empty() {
                name.to_owned()
            } else {
                format!("{prefix}.{name}")
            };
            if name.is_empty() || name.split('.').any(str::is_empty) {
                // Documents of other protocols may have such a name, and it is not found.
                if new.is_strict {
                    check_name(name)?;
                }
                continue;
            }
            check_depth(&path)?;
            self.value(value, &path, new)?;
        }
        Ok(())
    }

    fn value(&self, value: ValueRef<'_>, path: &str, new: &mut Brought) -> Result<()> {
        if new.is_strict
            && let Some(field) = self.fields.get(path)
            && field.kind == FieldKind::Point
        {
            return check_places(field, value);
        }
        match value {
            // They are looked at as wholes.
            _ if self.has_vectors && self.fields.get(path).is_some_and(|field| field.is_vector()) => Ok(()),
            ValueRef::Array(array) => array.iter().try_for_each(|value| self.value(value, path, new)),
            ValueRef::Null | ValueRef::Undefined => Ok(()),
            value => match self.fields.get(path) {
                Some(field) => match (value, &field.kind) {
                    (ValueRef::Document(inner), FieldKind::Object | FieldKind::Nested) => {
                        self.walk(inner, path, new)
                    }
                    (_, FieldKind::Disabled) => Ok(()),
                    (_, FieldKind::Alias(_)) => Err(SearchError::mapper(format!(
                        "Cannot write to a field alias [{path}]."
                    ))),
                    (value, FieldKind::Keyword)
                        if field.meta == Some(Meta::Constant) && field.constant.is_none() =>
                    {
                        // The first document that has one says the value.
                        check(field, value)?;
                        if new.has(path) {
                            return Ok(());
                        }
                        let value = fields::text_of(value);
                        self.add(new, path, json!({"type": field.type_name, "value": value}))
                    }
                    (value, _) => {
                        check(field, value)?;
                        match new.is_strict {
                            true => check_written(field, value),
                            false => Ok(()),
                        }
                    }
                },
                None => match value {
                    ValueRef::Document(inner) => {
                        if !new.has(path) {
                            self.bring(path, DetectedKind::of("object"), new)?;
                        }
                        match new.has(path) {
                            true => self.walk(inner, path, new),
                            false => Ok(()),
                        }
                    }
                    // The first value has decided.
                    _ if new.has(path) => Ok(()),
                    value => self.bring(path, self.kind_of(value), new),
                },
            },
        }
    }

    /// Adds a field where the mapping of its place lets it.
    fn bring(&self, path: &str, kind: DetectedKind<'_>, new: &mut Brought) -> Result<()> {
        if self.keyed(path).is_some() {
            return Err(SearchError::mapper(format!(
                "Could not dynamically add mapping for field [{path}]: it is within an object that is a field of the type [flattened]"
            )));
        }
        match self.dynamic_of(path).as_str() {
            "strict" => {
                let (within, name) = path.rsplit_once('.').unwrap_or(("_doc", path));
                let reason = format!(
                    "mapping set to strict, dynamic introduction of [{name}] within [{within}] is not allowed"
                );
                Err(SearchError::new(ErrorKind::StrictMapping, reason))
            }
            "false" => Ok(()),
            _ => match self.definition(path, kind)? {
                Some(definition) => self.add(new, path, definition),
                None => Ok(()),
            },
        }
    }

    /// Notes a field; refused as soon as there are more than all of the mapping may be, before the rest of the document is read.
    fn add(&self, new: &mut Brought, path: &str, definition: Value) -> Result<()> {
        new.names.insert(path.to_owned());
        new.fields.push((path.to_owned(), definition));
        self.rules.check_count(new.fields.len())
    }

    /// The setting `dynamic` of the innermost object around a path that has it.
    fn dynamic_of(&self, path: &str) -> String {
        let mut found = self
            .source
            .get("dynamic")
            .and_then(scalar)
            .unwrap_or_else(|| "true".to_owned());
        let mut at = self.source.get("properties");
        for part in path.split('.') {
            let Some(object) = at.and_then(|properties| properties.get(part)) else {
                break;
            };
            if let Some(dynamic) = object.get("dynamic").and_then(scalar) {
                found = dynamic;
            }
            at = object.get("properties");
        }
        found
    }

    /// What a new field is mapped as: by the first template that fits it, or by its kind.
    fn definition(
        &self,
        path: &str,
        DetectedKind { name: kind, format }: DetectedKind<'_>,
    ) -> Result<Option<Value>> {
        let matching_type = if kind == "decimal" { "double" } else { kind };
        for template in templates(&self.source) {
            if fits(template, path, matching_type) {
                let name = path.rsplit('.').next().unwrap_or(path);
                let dynamic = match kind {
                    "string" => "text",
                    "decimal" => "double",
                    kind => kind,
                };
                let mapping = template.get("mapping").cloned().unwrap_or_else(|| json!({}));
                let mut mapping = filled(&mapping, name, dynamic);
                if let Value::Object(mapping) = &mut mapping
                    && !mapping.contains_key("type")
                    && dynamic != "object"
                {
                    mapping.insert("type".to_owned(), json!(dynamic));
                }
                put_format(&mut mapping, format);
                return Ok(Some(mapping));
            }
        }
        Ok(Some(match kind {
            "object" => json!({"properties": {}}),
            "string" => {
                json!({"type": "text", "fields": {"keyword": {"type": "keyword", "ignore_above": 256}}})
            }
            "double" => json!({"type": "float"}),
            "decimal" => json!({"type": "double"}),
            "id" => json!({"type": "keyword"}),
            "other" => return Ok(None),
            kind => {
                let mut definition = json!({"type": kind});
                put_format(&mut definition, format);
                definition
            }
        }))
    }
}

/// Puts a definition at a path into the properties of properties.
fn place(source: &mut Map<String, Value>, path: &str, definition: Value) {
    let mut object = source;
    let mut parts = path.split('.').peekable();
    while let Some(part) = parts.next() {
        let properties = object.entry("properties").or_insert_with(|| json!({}));
        let Value::Object(properties) = properties else {
            return;
        };
        if parts.peek().is_none() {
            match (properties.get_mut(part), definition) {
                // What a document says besides of a field that is there.
                (Some(Value::Object(present)), Value::Object(more)) => {
                    for (name, value) in more {
                        present.entry(name).or_insert(value);
                    }
                }
                (_, definition) => drop(properties.entry(part).or_insert(definition)),
            }
            return;
        }
        let Value::Object(inner) = properties
            .entry(part)
            .or_insert_with(|| json!({"properties": {}}))
        else {
            return;
        };
        object = inner;
    }
}

fn templates(source: &Map<String, Value>) -> impl Iterator<Item = &Map<String, Value>> {
    let list = source.get("dynamic_templates").and_then(Value::as_array);
    let named = list.into_iter().flatten().filter_map(Value::as_object);
    named.flat_map(Map::values).filter_map(Value::as_object)
}

/// Refuses templates that a client may not give, although they could be read.
pub(super) fn check_given_templates(given: Option<&Value>) -> Result<()> {
    const KINDS: [&str; 8] = [
        "object", "string", "long", "double", "boolean", "date", "binary", "*",
    ];
    let Some(given) = given else { return Ok(()) };
    let Value::Array(list) = given else {
        return Err(SearchError::mapper(
            "Dynamic template syntax error. An array of named objects is expected.",
        ));
    };
    for named in list {
        let mut members = named.as_object().into_iter().flatten();
        let (Some((name, Value::Object(template))), None) = (members.next(), members.next()) else {
            return Err(SearchError::mapper(
                "A dynamic template must be defined with a name",
            ));
        };
        let text = |parameter: &str| template.get(parameter).and_then(Value::as_str);
        if !["match", "path_match", "match_mapping_type"]
            .iter()
            .any(|rule| template.contains_key(*rule))
        {
            return Err(SearchError::mapper(format!(
                "template must have match, path_match or match_mapping_type set {}",
                super::given::shown(template)
            )));
        }
        if let Some(kind) = text("match_mapping_type").filter(|kind| !KINDS.contains(kind)) {
            return Err(SearchError::mapper(format!(
                "No field type matched on [{kind}], possible values are [{}]",
                KINDS[..7].join(", ")
            )));
        }
        match text("match_pattern") {
            None | Some("simple") => {}
            Some("regex") => {
                let pattern = text("match").unwrap_or_default();
                if Regex::new(pattern).is_err() {
                    return Err(SearchError::mapper(format!(
                        "Pattern [{pattern}] of type [regex] is invalid. Cannot create dynamic template [{name}]."
                    )));
                }
            }
            Some(other) => {
                return Err(SearchError::mapper(format!(
                    "No matching pattern matched on [{other}]"
                )));
            }
        }
    }
    Ok(())
}

pub(super) fn check_templates(source: &Map<String, Value>) -> Result<()> {
    const KNOWN: [&str; 8] = [
        "match",
        "unmatch",
        "path_match",
        "path_unmatch",
        "match_mapping_type",
        "match_pattern",
        "mapping",
        "_meta",
    ];
    for template in templates(source) {
        if let Some(other) = template.keys().find(|name| !KNOWN.contains(&name.as_str())) {
            return Err(SearchError::mapper(format!(
                "Illegal dynamic template parameter: [{other}]"
            )));
        }
        if !template.contains_key("mapping") {
            return Err(SearchError::mapper("template must have mapping set"));
        }
    }
    Ok(())
}

fn fits(template: &Map<String, Value>, path: &str, kind: &str) -> bool {
    let name = path.rsplit('.').next().unwrap_or(path);
    let is_regex = template.get("match_pattern").and_then(Value::as_str) == Some("regex");
    let matches = |pattern: &Value, text: &str| {
        let pattern = scalar(pattern).unwrap_or_default();
        match is_regex {
            true => Regex::new(&format!("^(?:{pattern})$")).is_ok_and(|pattern| pattern.is_match(text)),
            false => fields::simple_match(&pattern, text),
        }
    };
    let test = |parameter: &str, text: &str| template.get(parameter).map(|pattern| matches(pattern, text));
    test("match", name).unwrap_or(true)
        && !test("unmatch", name).unwrap_or(false)
        && test("path_match", path).unwrap_or(true)
        && !test("path_unmatch", path).unwrap_or(false)
        && template
            .get("match_mapping_type")
            .and_then(Value::as_str)
            .is_none_or(|wanted| wanted == "*" || wanted == kind)
}

/// `{name}` and `{dynamic_type}` in all texts of a mapping.
fn filled(mapping: &Value, name: &str, kind: &str) -> Value {
    match mapping {
        Value::String(text) => json!(text.replace("{name}", name).replace("{dynamic_type}", kind)),
        Value::Object(object) => {
            let each = |(member, value): (&String, &Value)| {
                (member.replace("{name}", name), filled(value, name, kind))
            };
            Value::Object(object.iter().map(each).collect())
        }
        Value::Array(list) => Value::Array(list.iter().map(|value| filled(value, name, kind)).collect()),
        other => other.clone(),
    }
}
