//! What a text index is asked, as a tree, and that in Lucene's syntax (`to_query`, `indexable_fields`).

use super::DEFAULT_FIELD;
use std::fmt::Write as _;

/// A condition on a text index.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ask {
    All(Vec<Ask>),
    Any(Vec<Ask>),
    /// There is such a field, for which this does not hold.
    Not(Path, Box<Ask>),
    /// There is no such field.
    Missing(Path),
    /// There is such a field.
    Exists(Path),
    /// There is any field.
    Anything,
    /// There is such a field with values of a type; whether it must be one of the index.
    Has {
        path: Path,
        kind: &'static str,
        is_required: bool,
    },
    /// A field with values of a type has one like this, in Lucene's syntax.
    Value {
        path: Path,
        kind: &'static str,
        value: String,
    },
    /// The field of all texts has what is asked for.
    Default(String),
}

/// The names on the way to a value; `[]` stands for those of arrays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Path(pub(super) Vec<String>);

/// The name that stands for the positions of an array.
pub(super) const ELEMENTS: &str = "[]";

/// The type of the length of an array.
pub(super) const LENGTH: &str = "length";
pub(super) const NULL: &str = "null";

impl Path {
    pub(super) fn with(&self, name: &str) -> Path {
        let mut path = self.clone();
        path.0.push(name.to_owned());
        path
    }

    pub(super) fn elements(&self) -> Path {
        self.with(ELEMENTS)
    }

    /// The field as an index names it: letters and digits as they are, other bytes in hexadecimal digits.
    pub(super) fn escaped(&self) -> String {
        let mut out = String::new();
        for (at, part) in self.0.iter().enumerate() {
            out.push_str(if at > 0 { "." } else { "" });
            out.push_str(&escaped(part));
        }
        out
    }

    /// The field as clients name it: dots within names have a backslash in front.
    fn shown(&self) -> String {
        let parts: Vec<String> = self.0.iter().map(|part| part.replace('.', "\\.")).collect();
        parts.join(".")
    }

    fn exists(&self) -> String {
        let path = self.escaped();
        format!("(($fieldnames:{path}_3a*) OR ($fieldnames:{path}.*))")
    }
}

fn escaped(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte.is_ascii_alphanumeric() {
            true => out.push(char::from(byte)),
            // Writing to a String cannot fail.
            false => drop(write!(out, "_{byte:02x}")),
        }
    }
    out
}

impl Ask {
    /// It in Lucene's syntax; `None` where it asks nothing.
    pub(super) fn query(&self) -> Option<String> {
        Some(match self {
            Ask::All(parts) => joined(parts, " AND ")?,
            Ask::Any(parts) => joined(parts, " OR ")?,
            Ask::Not(path, inner) => match inner.query() {
                None => format!("({})", path.exists()),
                Some(inner) => format!("({} AND NOT ({inner}))", path.exists()),
            },
            Ask::Missing(path) => format!("($fieldnames:/.*/  AND NOT ({}))", path.exists()),
            Ask::Exists(path) => path.exists(),
            Ask::Anything => "($fieldnames:/.*/)".to_owned(),
            Ask::Has { path, kind, .. } => format!("($fieldnames:{}_3a{kind})", path.escaped()),
            Ask::Value { path, kind, value } => format!("({}_3a{kind}:{value})", path.escaped()),
            Ask::Default(value) => format!("({DEFAULT_FIELD}:{value})"),
        })
    }

    /// The fields that an index must have for all that this finds to be in it.
    pub(super) fn collect_fields(&self, fields: &mut Vec<String>) {
        match self {
            Ask::Any(parts) if is_value_or_element(parts) => {
                parts.iter().take(1).for_each(|part| part.collect_fields(fields));
            }
            Ask::All(parts) | Ask::Any(parts) => parts.iter().for_each(|part| part.collect_fields(fields)),
            Ask::Not(_, inner) => inner.collect_fields(fields),
            Ask::Missing(_) => fields.clear(),
            Ask::Value { kind, .. } if matches!(*kind, LENGTH | NULL) => {}
            Ask::Value { path, kind, .. }
            | Ask::Has {
                path,
                kind,
                is_required: true,
            } => fields.push(format!("{}:{kind}", path.shown())),
            Ask::Default(_) => fields.push(DEFAULT_FIELD.to_owned()),
            Ask::Exists(_) | Ask::Anything | Ask::Has { .. } => {}
        }
    }
}

/// Whether these ask for a value and for the same in an array, of which indexes define one.
fn is_value_or_element(parts: &[Ask]) -> bool {
    match parts {
        [Ask::Value { .. }, Ask::Value { path, .. }] => path.0.iter().any(|part| part == ELEMENTS),
        _ => false,
    }
}

fn joined(parts: &[Ask], operator: &str) -> Option<String> {
    let parts: Vec<String> = parts.iter().filter_map(Ask::query).collect();
    (!parts.is_empty()).then(|| format!("({})", parts.join(operator)))
}
