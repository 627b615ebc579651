//! Names of indexes and collections as names of fields, which cannot have NUL bytes. Such names are refused now, but indexes of earlier
//! builds may have one, and answers that contain it must be readable.

use std::borrow::Cow;
use value::{Document, Value};

/// A name as the name of a field.
pub(crate) fn readable(name: &str) -> Cow<'_, str> {
    match name.contains('\0') {
        true => name.replace('\0', "\u{fffd}").into(),
        false => name.into(),
    }
}

/// A description with readable names of fields at every depth.
pub(crate) fn with_readable_names(described: Document) -> Document {
    let fields = described.into_iter();
    fields
        .map(|(name, value)| (readable(&name).into_owned(), with_names(value)))
        .collect()
}

fn with_names(value: Value) -> Value {
    match value {
        Value::Document(document) => Value::Document(with_readable_names(document)),
        Value::Array(values) => values.into_iter().map(with_names).collect(),
        value => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, Engine, WriteOptions};
    use kv::{Kv, Simulation};
    use store::{IndexSpec, Namespace};
    use value::{DocumentBuf, doc};

    #[test]
    fn names_at_every_depth_can_be_read() {
        let described = doc! {"a\0b": [{"c\0": "d\0"}], "e": 1};
        let wanted = doc! {"a\u{fffd}b": [{"c\u{fffd}": "d\0"}], "e": 1};
        assert_eq!(with_readable_names(described), wanted);
    }

    #[tokio::test]
    async fn an_index_that_an_earlier_build_named_is_told_of() {
        let engine = Engine::on(Kv::simulated(&Simulation::new(1))).await.unwrap();
        let namespace = Namespace::new("shop", "orders");
        let collection = engine.for_writing(&namespace).await.unwrap();
        let spec = IndexSpec {
            name: "a\0b".to_owned(),
            key: doc! {"a": 1},
            ..IndexSpec::default()
        };
        collection.create_indexes(vec![spec]).await.unwrap();
        let report = engine.collection_report(&namespace).await.unwrap();
        assert_eq!(report.indexes[1].0, "a\u{fffd}b");
        let (context, documents) = (Context::default(), vec![DocumentBuf::from(&doc! {"a": 1})]);
        let options = WriteOptions::default();
        engine
            .insert(&context, &namespace, documents, &options)
            .await
            .unwrap();
        let report = engine.validate(&namespace, false).await.unwrap();
        assert_eq!(report.index_entries[1].0, "a\u{fffd}b");
        engine
            .drop_indexes(&namespace, &Value::from("a\0b"))
            .await
            .unwrap();
    }
}
