//! The vectors of documents.

use crate::error::{Result, SearchError};
use crate::fields::{View, each_at, values_at};
use crate::mapping::{Field, FieldKind};
use crate::vectors::NAME;
use value::{DocumentRef, ValueRef};

impl<'d> View<'d> {
    /// The vectors of a field: one at most, unless they are of nested objects, each of which has its own.
    pub fn vectors(&self, field: &Field) -> Vec<Vec<f32>> {
        let FieldKind::Vector(kind) = &field.kind else {
            return Vec::new();
        };
        let found = self.given_vectors(field).into_iter();
        // Where there are several, none is the document's.
        let found = found.filter(|of_object| of_object.len() == 1).flatten();
        found.filter_map(|value| kind.checked(value).ok()).collect()
    }

    /// What stands where vectors of a field are to be, of each object that may have one.
    pub(crate) fn given_vectors(&self, field: &Field) -> Vec<Vec<ValueRef<'d>>> {
        let within = |outer: &str| {
            field
                .path
                .strip_prefix(outer)
                .and_then(|rest| rest.strip_prefix('.'))
        };
        let at = |document: DocumentRef<'d>, path: &str| {
            let mut found = Vec::new();
            // An array there is a vector.
            each_at(document, path, &mut |value| found.push(value));
            found.retain(|value| !matches!(value, ValueRef::Null | ValueRef::Undefined));
            found
        };
        match (self.scope, field.nested.as_deref()) {
            (None, None) => vec![at(self.document, &field.path)],
            (Some(scope), Some(nested)) if scope == nested => within(scope)
                .map(|path| at(self.document, path))
                .into_iter()
                .collect(),
            (None, Some(nested)) => {
                let mut objects = Vec::new();
                values_at(self.document, nested, &mut objects);
                let objects = objects.into_iter().filter_map(ValueRef::as_document);
                let path = within(nested).unwrap_or_default();
                objects.map(|object| at(object, path)).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Refuses what a document has in place of a vector of this field; gives how many numbers its vectors have, if it has any.
pub(crate) fn check(field: &Field, view: &View<'_>) -> Result<Option<usize>> {
    let FieldKind::Vector(kind) = &field.kind else {
        return Ok(None);
    };
    let wrong = |why: &str| {
        let name = &field.name;
        SearchError::mapper(format!("failed to parse: The [{NAME}] field [{name}] {why}"))
    };
    let mut kind = *kind;
    for of_object in view.given_vectors(field) {
        if of_object.len() > 1 {
            return Err(wrong(
                "doesn't support indexing multiple values for the same field in the same document",
            ));
        }
        for value in of_object {
            let vector = kind.checked(value).map_err(|why| wrong(&why))?;
            kind.dims = Some(vector.len());
        }
    }
    Ok(kind.dims)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::mapping::Mapping;
    use serde_json::{Value, json};
    use value::{Value as Bson, doc};

    fn mapping(field: &Value) -> Result<Mapping> {
        Mapping::parse(&json!({"properties": {"v": field}}), Analysis::default())
    }

    fn refusal(field: &Value, value: impl Into<Bson>) -> String {
        let mut mapping = mapping(field).expect("a mapping");
        let value: Bson = value.into();
        let document = doc! {"v": value};
        mapping.learn((&document).into()).expect_err("refused").reason
    }

    #[test]
    fn vectors_that_a_field_cannot_have_are_refused() {
        let three = json!({"type": "dense_vector", "dims": 3});
        assert!(refusal(&three, vec![1, 2]).contains("a different number of dimensions [2]"));
        assert!(
            refusal(&three, vec![1, 2, 3, 4]).contains("more dimensions than defined in the mapping [3]")
        );
        assert!(
            refusal(&three, vec![0, 0, 0])
                .contains("zero magnitude. Preview of invalid vector: [0.0, 0.0, 0.0]")
        );
        assert!(refusal(&three, vec!["a", "b", "c"]).contains("numbers alone"));
        assert!(refusal(&three, 5).contains("an array of numbers"));
        assert!(
            refusal(&three, vec![1e300, 0.0, 0.0])
                .contains("infinite values but found [Infinity] at dim [0]")
        );
        let unit = json!({"type": "dense_vector", "dims": 2, "similarity": "dot_product"});
        assert!(refusal(&unit, vec![1, 1]).contains("unit-length"));
        let bytes = json!({"type": "dense_vector", "dims": 2, "element_type": "byte"});
        assert!(refusal(&bytes, vec![1.5, 1.0]).contains("decimal value [1.5] at dim [0]"));
        assert!(refusal(&bytes, vec![1, 128]).contains("between [-128, 127] but found [128] at dim [1]"));
        let unindexed = json!({"type": "dense_vector", "dims": 2, "index": false});
        let mut mapping = mapping(&unindexed).expect("a mapping");
        assert!(mapping.learn((&doc! {"v": vec![0, 0]}).into()).is_ok());
    }

    #[test]
    fn the_first_document_may_say_how_many_numbers_vectors_have() {
        let mut mapping = mapping(&json!({"type": "dense_vector"})).expect("a mapping");
        assert!(
            !mapping
                .learn((&doc! {"v": Bson::Null}).into())
                .expect("nothing new")
        );
        assert!(mapping.learn((&doc! {"v": vec![1, 2]}).into()).expect("learnt"));
        assert_eq!(
            mapping.source()["properties"]["v"],
            json!({"type": "dense_vector", "dims": 2})
        );
        assert!(mapping.learn((&doc! {"v": vec![1, 2, 3]}).into()).is_err());
        assert!(!mapping.learn((&doc! {"v": vec![3, 4]}).into()).expect("known"));
        let other = json!({"properties": {"v": {"type": "dense_vector", "dims": 3}}});
        assert!(mapping.put(&other).is_err());
    }

    #[test]
    fn a_document_has_one_vector_and_each_nested_object_its_own() {
        let source = json!({"properties": {
            "v": {"type": "dense_vector", "dims": 2},
            "o": {"properties": {"v": {"type": "dense_vector", "dims": 2}}},
            "n": {"type": "nested", "properties": {"v": {"type": "dense_vector", "dims": 2}}},
            "b": {"type": "dense_vector", "dims": 2, "element_type": "byte"},
        }});
        let mut mapping = Mapping::parse(&source, Analysis::default()).expect("a mapping");
        let two = vec![
            Bson::from(doc! {"v": vec![1, 2]}),
            Bson::from(doc! {"v": vec![3, 4]}),
        ];
        let document = doc! {"v": vec![1, 2], "n": two.clone(), "b": "01ff"};
        assert!(!mapping.learn((&document).into()).expect("nothing new"));
        let view = View::of_document(&mapping, (&document).into());
        let vectors = |name: &str| view.vectors(&mapping.field(name).expect("a field"));
        assert_eq!(vectors("v"), [[1.0, 2.0]]);
        assert_eq!(vectors("n.v"), [[1.0, 2.0], [3.0, 4.0]]);
        assert_eq!(vectors("b"), [[1.0, -1.0]]);
        assert!(vectors("o.v").is_empty());
        assert!(mapping.learn((&doc! {"o": two}).into()).is_err());
    }

    #[test]
    fn parameters_are_checked() {
        for wrong in [
            json!({"dims": 0}),
            json!({"dims": 5000}),
            json!({"dims": "many"}),
            json!({"dims": 2, "similarity": "near"}),
            json!({"dims": 2, "similarity": null}),
            json!({"dims": 2, "index": false, "similarity": "cosine"}),
            json!({"dims": 2, "index": false, "index_options": {"type": "flat"}}),
            json!({"dims": 2, "index_options": {"type": "tree"}}),
            json!({"dims": 2, "index_options": {"type": "flat", "m": 16}}),
            json!({"dims": 2, "index_options": {"m": 16}}),
            json!({"dims": 2, "element_type": "bit"}),
            json!({"dims": 2, "element_type": "byte", "index_options": {"type": "int8_hnsw"}}),
            json!({"dims": 2, "null_value": 1}),
            json!({"dims": 2, "copy_to": "w"}),
        ] {
            let mut field = wrong.clone();
            field["type"] = json!("dense_vector");
            assert!(mapping(&field).is_err(), "{wrong}");
        }
        let options =
            json!({"type": "int8_hnsw", "m": 16, "ef_construction": 100, "confidence_interval": 0.95});
        let field = json!({"type": "dense_vector", "dims": 2, "index_options": options});
        assert!(mapping(&field).is_ok());
        let in_text = json!({"type": "text", "fields": {"v": {"type": "dense_vector", "dims": 2}}});
        assert!(mapping(&in_text).is_err());
    }
}
