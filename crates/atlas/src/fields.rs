//! The fields of an index: the values of one type at one path. Those that a definition names are there from the beginning, others
//! come with the documents.

use crate::definition::{Definition, ObjectRule};
use crate::error::{Result, of_search, refused};
use search::{Mapping, Placed, ValueKind};
use serde_json::{Value as Json, json};
use value::{DocumentRef, ValueRef};

/// The fields of one index at most.
pub(crate) const FIELDS_MAX: usize = 10_000;

/// What stands between the type of a field and its path.
const BEHIND_KIND: char = ':';

/// The name of the field of this type at a path.
pub(crate) fn name(kind: &str, path: &str) -> String {
    format!("{kind}{BEHIND_KIND}{path}")
}

/// The type and the path of a field's name; `None` for objects.
pub(crate) fn parts(name: &str) -> Option<(&str, &str)> {
    name.split_once(BEHIND_KIND)
}

/// What brings a field of each type without being told to.
pub(crate) fn of_kind(kind: ValueKind) -> (&'static str, Json) {
    match kind {
        ValueKind::String => ("string", json!({"type": "text"})),
        ValueKind::Number => ("number", json!({"type": "double"})),
        ValueKind::Date => ("date", json!({"type": "date", "format": "epoch_millis"})),
        ValueKind::Boolean => ("boolean", json!({"type": "boolean"})),
        ValueKind::ObjectId => ("objectId", json!({"type": "keyword"})),
        ValueKind::Uuid => ("uuid", json!({"type": "keyword"})),
        ValueKind::Null => ("null", json!({"type": "keyword"})),
    }
}

/// Refuses to take texts of a path whole that are only there in parts.
pub(crate) fn check_whole(path: &str, mapping: &Mapping) -> Result<()> {
    let has = |kind: &str| mapping.has_field(&name(kind, path));
    match has("string") && !has("token") {
        false => Ok(()),
        true => Err(refused(format!("Path '{path}' needs to be indexed as token"))),
    }
}

/// Adds the fields that a document brings by its definition; whether there were any.
pub(crate) fn learn(
    definition: &Definition,
    mapping: &mut Mapping,
    document: DocumentRef<'_>,
) -> Result<bool> {
    let mut learner = Learner {
        definition,
        mapping,
        has_changed: false,
    };
    learner.object(document, &definition.root, "", None)?;
    Ok(learner.has_changed)
}

struct Learner<'l> {
    definition: &'l Definition,
    mapping: &'l mut Mapping,
    has_changed: bool,
}

impl Learner<'_> {
    fn object(
        &mut self,
        document: DocumentRef<'_>,
        rule: &ObjectRule,
        prefix: &str,
        nested: Option<&str>,
    ) -> Result<()> {
        if !rule.is_dynamic && rule.fields.is_empty() {
            return Ok(());
        }
        for (name, value) in document.iter() {
            let path = match prefix.is_empty() {
                true => name.to_owned(),
                false => format!("{prefix}.{name}"),
            };
            match rule.fields.get(name) {
                Some(named) => {
                    if let Some(inner) = &named.document {
                        self.inner(value, inner, &path, nested)?;
                    }
                    if let Some(inner) = &named.embedded {
                        self.inner(value, inner, &path, Some(&path))?;
                    }
                }
                None if rule.is_dynamic => self.dynamic(value, &path, nested)?,
                None => {}
            }
        }
        Ok(())
    }

    /// The objects at a path that has a rule of its own.
    fn inner(
        &mut self,
        value: ValueRef<'_>,
        rule: &ObjectRule,
        path: &str,
        nested: Option<&str>,
    ) -> Result<()> {
        match value {
            ValueRef::Document(inner) => self.object(inner, rule, path, nested),
            ValueRef::Array(array) => array
                .iter()
                .try_for_each(|value| self.inner(value, rule, path, nested)),
            _ => Ok(()),
        }
    }

    fn dynamic(&mut self, value: ValueRef<'_>, path: &str, nested: Option<&str>) -> Result<()> {
        match value {
            ValueRef::Array(array) => array
                .iter()
                .try_for_each(|value| self.dynamic(value, path, nested)),
            ValueRef::Document(inner) => self.object(inner, &ObjectRule::DYNAMIC, path, nested),
            value => match ValueKind::of(value) {
                Some(kind) => self.bring(kind, path, nested),
                None => Ok(()),
            },
        }
    }

    fn bring(&mut self, kind: ValueKind, path: &str, nested: Option<&str>) -> Result<()> {
        let (kind_name, mut definition) = of_kind(kind);
        let name = name(kind_name, path);
        if self.mapping.has_field(&name) {
            return Ok(());
        }
        if self.mapping.fields_count() >= FIELDS_MAX {
            return Err(refused(format!(
                "the documents have more than {FIELDS_MAX} fields: name those that are to be searched"
            )));
        }
        if kind == ValueKind::String {
            self.definition.analyze(&mut definition);
        }
        self.has_changed = true;
        let placed = Placed {
            name,
            path: path.to_owned(),
            definition,
            nested: nested.map(str::to_owned),
            only: Some(kind),
        };
        self.mapping.place(placed).map_err(of_search)
    }
}
