//! Objects that are one field (`flattened`): each value that they hold is a keyword, found by itself or by its key.

use crate::error::{Result, SearchError};
use crate::json::Members;
use value::ValueRef;

/// The type's name.
pub(crate) const NAME: &str = "flattened";
/// Objects within each other at most, by default.
const DEPTH_MAX: i64 = 20;
/// What stands between a key and a value where both are one text, and so in no key.
const SEPARATOR: char = '\0';

/// An object as a field, or what it holds at one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flattened {
    /// Objects within each other at most.
    depth_max: usize,
    /// The key of what it holds; `None` for all.
    pub key: Option<String>,
}

impl Flattened {
    pub(crate) fn parse(members: &mut Members<'_>) -> Result<Flattened> {
        let depth = members.integer("depth_limit")?.unwrap_or(DEPTH_MAX);
        let depth_max = usize::try_from(depth)
            .map_err(|_| SearchError::mapper(format!("[depth_limit] must be positive, got [{depth}]")))?;
        Ok(Flattened { depth_max, key: None })
    }

    /// The same at one key.
    pub(crate) fn at(&self, key: &str) -> Flattened {
        Flattened {
            key: Some(key.to_owned()),
            ..self.clone()
        }
    }

    /// A key and a value as one text.
    pub fn keyed(key: &str, value: &str) -> String {
        format!("{key}{SEPARATOR}{value}")
    }

    /// Shows each value that an object holds, with its key.
    pub(crate) fn each<'d>(&self, object: ValueRef<'d>, see: &mut dyn FnMut(&str, ValueRef<'d>)) {
        walk(object, "", &mut |key, value| {
            if self.key.as_deref().is_none_or(|wanted| wanted == key) {
                see(key, value);
            }
        });
    }

    /// Refuses what is no such object.
    pub(crate) fn check(&self, name: &str, value: ValueRef<'_>) -> Result<()> {
        let wrong = |why: String| Err(SearchError::mapper(format!("failed to parse: {why}")));
        let ValueRef::Document(_) = value else {
            return wrong(format!(
                "The [{NAME}] field [{name}] is to be an object, but is a concrete value"
            ));
        };
        if depth(value) > self.depth_max.max(1) {
            return wrong(format!(
                "The provided [{NAME}] field [{name}] exceeds the maximum depth limit of [{}].",
                self.depth_max
            ));
        }
        let mut offending = None;
        walk(value, "", &mut |key, _| {
            if key.contains(SEPARATOR) {
                offending = Some(key.to_owned());
            }
        });
        match offending {
            None => Ok(()),
            Some(key) => wrong(format!(
                "Keys in [{NAME}] fields cannot contain the reserved character \\0. Offending key: [{key}]."
            )),
        }
    }
}

/// Shows each value within a value, with the names on the way as its key.
fn walk<'d>(value: ValueRef<'d>, key: &str, see: &mut dyn FnMut(&str, ValueRef<'d>)) {
    match value {
        ValueRef::Document(object) => {
            for (name, value) in object.iter() {
                match key.is_empty() {
                    true => walk(value, name, see),
                    false => walk(value, &format!("{key}.{name}"), see),
                }
            }
        }
        ValueRef::Array(array) => array.iter().for_each(|value| walk(value, key, see)),
        value => see(key, value),
    }
}

/// How many objects are within each other.
fn depth(value: ValueRef<'_>) -> usize {
    match value {
        ValueRef::Document(object) => 1 + object.iter().map(|(_, value)| depth(value)).max().unwrap_or(0),
        ValueRef::Array(array) => array.iter().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use crate::analysis::Analysis;
    use crate::error::Result;
    use crate::fields::{Term, View};
    use crate::mapping::Mapping;
    use serde_json::{Value as Json, json};
    use value::{Document, Value, doc};

    fn mapping(parameters: &Json) -> Result<Mapping> {
        let mut field = parameters.clone();
        field["type"] = json!("flattened");
        Mapping::parse(&json!({"properties": {"labels": field}}), Analysis::default())
    }

    fn texts(mapping: &Mapping, document: &Document, name: &str) -> Vec<String> {
        let view = View::of_document(mapping, document.into());
        let field = mapping.field(name).expect("a field");
        let text = |term: Term| match term {
            Term::Text(text) => text,
            other => panic!("{other:?}"),
        };
        view.terms(&field).into_iter().map(text).collect()
    }

    #[test]
    fn values_are_keywords_of_the_object_and_of_their_keys() {
        let mut mapping = mapping(&json!({"ignore_above": 5, "null_value": "none"})).expect("a mapping");
        let inner = doc! {"b": vec![Value::from(1), Value::from(true)], "c": "too long"};
        let document = doc! {"labels": doc! {"a": inner, "a.d": "x", "n": Value::Null}};
        assert!(!mapping.learn((&document).into()).expect("nothing new"));
        assert_eq!(texts(&mapping, &document, "labels"), ["1", "true", "x", "none"]);
        assert_eq!(texts(&mapping, &document, "labels.a.b"), ["1", "true"]);
        assert_eq!(texts(&mapping, &document, "labels.a.d"), ["x"]);
        assert_eq!(texts(&mapping, &document, "labels.n"), ["none"]);
        assert!(texts(&mapping, &document, "labels.a").is_empty());
        assert!(mapping.field("other.a").is_none());
    }

    #[test]
    fn values_that_are_no_flattened_objects_are_refused() {
        let mut mapping = mapping(&json!({"depth_limit": 2})).expect("a mapping");
        for wrong in [
            doc! {"labels": "x"},
            doc! {"labels": doc! {"a": doc! {"b": doc! {"c": 1}}}},
            doc! {"labels": doc! {"a\0b": 1}},
            doc! {"labels.a": 1},
        ] {
            assert!(mapping.learn((&wrong).into()).is_err(), "{wrong:?}");
        }
        let several = vec![Value::from(doc! {"a": 1}), Value::from(doc! {"a": doc! {"b": 2}})];
        assert!(mapping.learn((&doc! {"labels": several}).into()).is_ok());
    }

    #[test]
    fn parameters_are_checked() {
        for wrong in [
            json!({"depth_limit": -1}),
            json!({"fields": {"a": {"type": "text"}}}),
            json!({"copy_to": "a"}),
            json!({"normalizer": "lowercase"}),
            json!({"colour": 1}),
        ] {
            assert!(mapping(&wrong).is_err(), "{wrong}");
        }
        let all = json!({"depth_limit": 3, "ignore_above": 9, "index": false, "doc_values": false, "null_value": "x",
            "eager_global_ordinals": true, "index_options": "freqs", "similarity": "boolean", "split_queries_on_whitespace": true});
        assert!(mapping(&all).is_ok());
    }
}
