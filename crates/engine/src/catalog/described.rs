//! Described collections, whose documents are made when they are read: `X.system.views`, the views of a database, and
//! `config.shards`, which clients read because the server answers `isdbgrid`. They are read like views, and cannot be written.

use crate::engine::Engine;
use store::{Collection, Namespace};
use value::{Document, Value, doc};

impl Engine {
    /// Whether a collection is a described one.
    pub(super) fn is_described(&self, namespace: &Namespace) -> bool {
        is_shards(namespace) || is_views(namespace)
    }

    /// The stage that makes the documents of a described collection; `None` for others.
    pub(super) fn describing(&self, namespace: &Namespace) -> Option<Document> {
        let documents: Vec<Value> = match namespace {
            namespace if is_shards(namespace) => {
                vec![doc! {"_id": "larder", "host": "localhost", "state": 1}.into()]
            }
            namespace if is_views(namespace) => {
                let all = self.store().collections(&namespace.database);
                let views = all.iter().filter(|collection| collection.is_view());
                views.map(|view| describe(view).into()).collect()
            }
            _ => return None,
        };
        // As literals, because the pipelines of views must not be evaluated as expressions.
        let documents = doc! {"$literal": documents};
        Some(doc! {"$unionWith": {"pipeline": [{"$documents": documents}]}})
    }
}

fn is_shards(namespace: &Namespace) -> bool {
    namespace.collection == "shards" && namespace.database == "config"
}

fn is_views(namespace: &Namespace) -> bool {
    namespace.collection == "system.views"
}

/// A view's document, as in MongoDB.
fn describe(view: &Collection) -> Document {
    let mut described = doc! {"_id": view.namespace().to_string()};
    let options = view.options();
    for name in ["viewOn", "pipeline", "collation"] {
        if let Some(value) = options.kept.get(name) {
            described.push(name, value.clone());
        }
    }
    described
}
