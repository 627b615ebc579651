//! Which fields an index holds.

use super::place::FieldPlace;
use fulltext::Key;
use mapping::flattened::Flattened;
use mapping::short::is_short;
use mapping::{Field, FieldKind, Mapping};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use value::{DocumentRef, ValueRef};

/// The places of values without a field that are remembered.
const UNMAPPED_MAX: usize = 1000;

/// Which fields an index holds, and under which keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// By name: the key, and a hash of all that says what the field's terms are.
    fields: BTreeMap<String, (Key, u64)>,
    /// The field of time by which entries are sorted.
    time: Option<String>,
    /// Where documents of the index have values that no field has.
    unmapped: BTreeSet<String>,
    /// Whether there are more such places.
    is_unmapped_more: bool,
}

impl Layout {
    /// The layout of an index whose first documents come with this mapping.
    pub fn new(mapping: &Mapping) -> Layout {
        let dates = || {
            let dates = mapping.fields().filter(|(_, field)| field.is_date());
            dates.filter(|(_, field)| field.nested.is_none() && field.copied_from.is_empty())
        };
        let usual = dates().find(|(name, _)| *name == "@timestamp");
        let time = usual.or_else(|| dates().next()).map(|(name, _)| name.to_owned());
        let layout = Layout {
            time,
            ..Layout::default()
        };
        layout.extended(mapping).unwrap_or_default()
    }

    /// The same with the fields that the mapping has besides; `None` where documents that are in the index would be read
    /// differently by it, so that the index must be made anew.
    pub fn extended(&self, mapping: &Mapping) -> Option<Layout> {
        let definitions: HashMap<String, Value> = mapping.definitions().into_iter().collect();
        let mut layout = self.clone();
        for (name, field) in mapping.fields().filter(|(_, field)| is_held(field)) {
            let hash = hash(field, definitions.get(name), mapping);
            match self.fields.get(name) {
                Some((_, known)) if *known == hash => {}
                Some(_) => return None,
                None if self.may_have_values(field) => return None,
                None => {
                    layout.add(name.to_owned(), hash);
                    if field.flattened.is_some() {
                        layout.add(keyed_name(name), hash);
                    }
                }
            }
        }
        Some(layout)
    }

    fn add(&mut self, name: String, hash: u64) {
        // Key 0 is no field's.
        let key = self.fields.len() as Key + 1;
        self.fields.insert(name, (key, hash));
    }

    /// Whether documents of the index may have values of a field that it does not hold.
    fn may_have_values(&self, field: &Field) -> bool {
        let paths = || std::iter::once(&field.path).chain(&field.copied_from);
        // Where there is a field already, its values are there too.
        let is_known = |path: &String| path != &field.name && self.fields.contains_key(path);
        let was_left_out = |path: &String| {
            let within = format!("{path}.");
            let mut from = self.unmapped.range(path.clone()..);
            from.next()
                .is_some_and(|next| next == path || next.starts_with(&within))
        };
        let is_null_said = field.null_value.is_some() && !self.fields.is_empty();
        self.is_unmapped_more || is_null_said || paths().any(|path| is_known(path) || was_left_out(path))
    }

    /// Remembers where a document has values that no field has; true if there is something new.
    pub fn note_unmapped(&mut self, document: DocumentRef<'_>, mapping: &Mapping) -> bool {
        let mut found = Vec::new();
        unmapped(document, "", mapping, &mut found);
        let mut is_new = false;
        for path in found {
            if self.unmapped.len() < UNMAPPED_MAX {
                is_new |= self.unmapped.insert(path);
            } else if !self.unmapped.contains(&path) {
                is_new |= !self.is_unmapped_more;
                self.is_unmapped_more = true;
            }
        }
        is_new
    }

    /// The key of a field; `None` where no entry can have it.
    pub(crate) fn key(&self, name: &str) -> Option<Key> {
        self.fields.get(name).map(|(key, _)| *key)
    }

    /// Where entries have the terms of a field, and how; `None` where no entry can have any.
    pub(crate) fn place(&self, field: &Field) -> Option<FieldPlace> {
        let keyed = field
            .flattened
            .as_ref()
            .and_then(|flattened| flattened.key.as_deref());
        match keyed {
            None => Some(FieldPlace::new(self.key(&field.name)?, String::new())),
            // Of nested objects it is said what they hold, not where.
            Some(_) if field.nested.is_some() => Some(FieldPlace::new(self.key(&field.path)?, String::new())),
            Some(key) => {
                let place = self.key(&keyed_name(&field.path))?;
                Some(FieldPlace::new(place, Flattened::keyed(key, "")))
            }
        }
    }

    /// The field of time by which entries are sorted.
    pub fn time(&self) -> Option<&str> {
        self.time.as_deref()
    }

    /// Its form for the note of a commit.
    pub fn note(&self) -> Value {
        let fields = self.fields.iter();
        let fields: Map<String, Value> = fields
            .map(|(name, (key, hash))| (name.clone(), json!([key, hash])))
            .collect();
        json!({"fields": fields, "time": self.time, "unmapped": self.unmapped, "more": self.is_unmapped_more})
    }

    /// The layout of such a note; `None` if it is none.
    pub fn of_note(note: &Value) -> Option<Layout> {
        let mut layout = Layout {
            time: note.get("time")?.as_str().map(str::to_owned),
            is_unmapped_more: note.get("more")?.as_bool()?,
            ..Layout::default()
        };
        for (name, pair) in note.get("fields")?.as_object()? {
            let key = Key::try_from(pair.get(0)?.as_u64()?).ok()?;
            layout.fields.insert(name.clone(), (key, pair.get(1)?.as_u64()?));
        }
        for path in note.get("unmapped")?.as_array()? {
            layout.unmapped.insert(path.as_str()?.to_owned());
        }
        Some(layout)
    }
}

/// Under which name the keys of an object that is a field are kept, with what is at them.
pub(super) fn keyed_name(name: &str) -> String {
    format!("{name}._keyed")
}

/// Whether a field has entries.
pub(super) fn is_held(field: &Field) -> bool {
    field.meta.is_none()
        && !field.is_object()
        && !matches!(field.kind, FieldKind::Disabled | FieldKind::Alias(_))
}

fn hash(field: &Field, definition: Option<&Value>, mapping: &Mapping) -> u64 {
    let mut hasher = DefaultHasher::new();
    definition.map(Value::to_string).hash(&mut hasher);
    field.path.hash(&mut hasher);
    field.nested.hash(&mut hasher);
    field.copied_from.hash(&mut hasher);
    if field.is_textual() {
        mapping.analysis().source().hash(&mut hasher);
    }
    if field.is_keyword() && !field.doc_values {
        // Entries say how many of them there are, which they did not always do.
        "counted".hash(&mut hasher);
    }
    if is_short(&field.type_name) {
        // Numbers were not always rounded as their type has them.
        "rounded".hash(&mut hasher);
    }
    hasher.finish()
}

fn unmapped(document: DocumentRef<'_>, prefix: &str, mapping: &Mapping, out: &mut Vec<String>) {
    for (name, value) in document.iter() {
        let path = match prefix.is_empty() {
            true if name == "_id" => continue,
            true if is_scalar(value) && mapping.field(name).is_some() => continue,
            true => name.to_owned(),
            false => format!("{prefix}.{name}"),
        };
        unmapped_value(value, path, mapping, out);
    }
}

fn is_scalar(value: ValueRef<'_>) -> bool {
    !matches!(value, ValueRef::Document(_) | ValueRef::Array(_))
}

fn unmapped_value(value: ValueRef<'_>, path: String, mapping: &Mapping, out: &mut Vec<String>) {
    match value {
        ValueRef::Null | ValueRef::Undefined => {}
        // One value, of many numbers.
        ValueRef::Array(_) if mapping.field(&path).is_some_and(|field| field.is_vector()) => {}
        ValueRef::Array(array) => {
            for value in array.iter() {
                unmapped_value(value, path.clone(), mapping, out);
            }
        }
        value => match (mapping.field(&path).as_deref(), value) {
            (Some(field), ValueRef::Document(inner)) if field.is_object() => {
                unmapped(inner, &path, mapping, out);
            }
            (Some(_), _) => {}
            (None, ValueRef::Document(inner)) => unmapped(inner, &path, mapping, out),
            (None, _) => out.push(path),
        },
    }
}
