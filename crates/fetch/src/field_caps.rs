//! What can be done with fields, over several indices.

use mapping::fields::simple_match;
use mapping::{FieldKind, Mapping};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// What every index has besides its fields, each with whether it is searched and aggregated.
const METADATA: [(&str, bool, bool); 9] = [
    ("_field_names", true, false),
    ("_id", true, true),
    ("_ignored", true, false),
    ("_index", true, true),
    ("_routing", true, false),
    ("_seq_no", true, true),
    ("_source", false, false),
    ("_type", true, true),
    ("_version", false, false),
];

/// What is known of the fields of several indices.
#[derive(Debug, Default)]
pub struct FieldCaps {
    fields: BTreeMap<String, BTreeMap<String, Caps>>,
    indices: Vec<String>,
}

#[derive(Debug, Default)]
struct Caps {
    /// Indices with whether it is searched and aggregated there.
    there: Vec<(String, bool, bool)>,
    meta: BTreeMap<String, BTreeSet<String>>,
}

impl FieldCaps {
    /// Adds the fields of an index whose names match one of the patterns.
    pub fn add(&mut self, index: &str, mapping: &Mapping, patterns: &[String]) {
        self.indices.push(index.to_owned());
        let is_wanted = |name: &str| patterns.iter().any(|pattern| simple_match(pattern, name));
        let definitions: BTreeMap<String, Value> = mapping.definitions().into_iter().collect();
        for (name, field) in mapping.fields().filter(|(name, _)| is_wanted(name)) {
            let target = mapping.field(name).unwrap_or(Cow::Borrowed(field));
            let (searchable, aggregatable) = match target.kind {
                // Objects are told of with what is in them.
                FieldKind::Object | FieldKind::Nested | FieldKind::Disabled => continue,
                FieldKind::Binary => (false, false),
                FieldKind::Completion => (true, false),
                // For texts it says whether they are sorted by on demand.
                _ => (target.index, target.doc_values),
            };
            let caps = self.entry(name, &target.type_name);
            caps.there.push((index.to_owned(), searchable, aggregatable));
            let meta = definitions
                .get(name)
                .and_then(|definition| definition.get("meta"));
            for (key, value) in meta.and_then(Value::as_object).into_iter().flatten() {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                caps.meta.entry(key.clone()).or_default().insert(text);
            }
            self.add_around(index, mapping, name);
        }
        for (name, searchable, aggregatable) in METADATA {
            if is_wanted(name) {
                let caps = self.entry(name, name);
                caps.there.push((index.to_owned(), searchable, aggregatable));
            }
        }
    }

    /// Adds the objects that a field is in.
    fn add_around(&mut self, index: &str, mapping: &Mapping, name: &str) {
        for (at, _) in name.match_indices('.') {
            let around = &name[..at];
            let Some(object) = mapping.field(around).filter(|field| field.is_object()) else {
                continue;
            };
            let caps = self.entry(around, &object.type_name);
            if caps.there.last().is_none_or(|(last, ..)| last != index) {
                caps.there.push((index.to_owned(), false, false));
            }
        }
    }

    fn entry(&mut self, name: &str, kind: &str) -> &mut Caps {
        let kinds = self.fields.entry(name.to_owned()).or_default();
        kinds.entry(kind.to_owned()).or_default()
    }

    /// The answer; with `include_unmapped`, where a field is not.
    pub fn finish(self, include_unmapped: bool) -> Value {
        let mut fields = Map::new();
        for (name, mut kinds) in self.fields {
            let mapped: BTreeSet<String> = kinds
                .values()
                .flat_map(|caps| caps.there.iter().map(|(index, ..)| index.clone()))
                .collect();
            let unmapped: Vec<String> = self
                .indices
                .iter()
                .filter(|index| !mapped.contains(*index))
                .cloned()
                .collect();
            if include_unmapped && !unmapped.is_empty() {
                let there = unmapped.into_iter().map(|index| (index, false, false)).collect();
                let caps = Caps {
                    there,
                    meta: BTreeMap::new(),
                };
                kinds.insert("unmapped".to_owned(), caps);
            }
            let is_alone = kinds.len() == 1;
            let shown: Map<String, Value> = kinds
                .into_iter()
                .map(|(kind, caps)| (kind.clone(), caps.shown(&kind, is_alone)))
                .collect();
            fields.insert(name, Value::Object(shown));
        }
        json!({"indices": self.indices, "fields": fields})
    }
}

impl Caps {
    fn shown(self, kind: &str, is_alone: bool) -> Value {
        let all = |which: fn(&(String, bool, bool)) -> bool| self.there.iter().all(which);
        let (searchable, aggregatable) = (all(|one| one.1), all(|one| one.2));
        let mut shown = json!({"type": kind, "searchable": searchable, "aggregatable": aggregatable});
        let names = |which: &dyn Fn(&(String, bool, bool)) -> bool| -> Vec<String> {
            self.there
                .iter()
                .filter(|one| which(one))
                .map(|one| one.0.clone())
                .collect()
        };
        if !is_alone {
            shown["indices"] = json!(names(&|_| true));
        }
        // Where indices differ it is said which ones cannot.
        let some = |which: fn(&(String, bool, bool)) -> bool| self.there.iter().any(which);
        if !searchable && some(|one| one.1) {
            shown["non_searchable_indices"] = json!(names(&|one| !one.1));
        }
        if !aggregatable && some(|one| one.2) {
            shown["non_aggregatable_indices"] = json!(names(&|one| !one.2));
        }
        if !self.meta.is_empty() {
            shown["meta"] = json!(self.meta);
        }
        shown
    }
}
