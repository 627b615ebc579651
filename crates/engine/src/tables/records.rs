//! Reading the collections in which tables are kept.
//!
//! What must hold: no document in them keeps a folder from opening. Clients could once write there, and the folder must open so that
//! somebody can repair it.

use crate::error::Result;
use auth::AuthError;
use store::{Namespace, Store};
use value::{Document, Value};

/// Calls a function with each document of a collection, if the collection exists.
pub(super) async fn each_document(
    store: &Store,
    namespace: &Namespace,
    mut take: impl FnMut(&Document),
) -> Result<()> {
    let Some(collection) = store.collection(namespace) else {
        return Ok(());
    };
    let snapshot = collection.snapshot().await?;
    let mut after = None;
    loop {
        let page = snapshot
            .records(after, kv::Order::Forward, kv::PageLimit::default())
            .await?;
        for record in page.iter() {
            after = Some(record.id);
            take(&record.document.to_document());
        }
        if page.exhausted() {
            return Ok(());
        }
    }
}

/// Logs that the document of a user or a role is invalid.
pub(super) fn log_unreadable(namespace: &Namespace, document: &Document, error: &AuthError) {
    tracing::error!(
        collection = %namespace,
        id = ?document.get("_id"),
        %error,
        "a document cannot be read: whom it names may do nothing"
    );
}

/// The database and the name of a user or a role of which nothing else can be read, if the `_id` is made of them: then it can be
/// replaced and dropped by name.
pub(super) fn names_of_unreadable(document: &Document, field: &str) -> Option<(String, String)> {
    let text = |field| match document.get(field) {
        Some(Value::String(text)) => Some(text.clone()),
        _ => None,
    };
    let (database, name) = (text("db")?, text(field)?);
    (text("_id")? == format!("{database}.{name}")).then_some((database, name))
}

#[cfg(test)]
mod tests {
    use crate::Engine;
    use crate::tables::{roles, users};
    use auth::RoleName;
    use kv::{Kv, Simulation};
    use store::{CommitOptions, Namespace, Store, StoreOptions, WriteOp};
    use value::{Document, DocumentBuf, doc};

    /// An engine on a store that holds these documents.
    async fn engine_after(written: &[(Namespace, Document)]) -> Engine {
        let kv = Kv::simulated(&Simulation::new(1));
        let options = StoreOptions::new(crate::catalog::partial_filter::compile);
        let store = Store::open(kv.clone(), options).await.unwrap();
        for (namespace, document) in written {
            let collection = store.create_if_missing(namespace).await.unwrap();
            let write = WriteOp::Insert(DocumentBuf::from(document));
            let options = CommitOptions::default();
            collection.commit(vec![write], options).await.unwrap();
        }
        drop(store);
        Engine::on(kv).await.unwrap()
    }

    #[tokio::test]
    async fn a_user_who_cannot_be_read_is_one_who_may_do_nothing() {
        let malformed = [
            doc! {"_id": 1, "x": 1},
            doc! {"_id": "shop.ann", "user": "ann", "db": "shop", "credentials": doc! {}, "roles": [1]},
            doc! {
                "_id": "shop.ann", "user": "ann", "db": "shop",
                "credentials": doc! {"MONGODB-CR": "x"}, "roles": [doc! {"role": "root", "db": "admin"}],
            },
        ];
        for document in malformed {
            let name = document.get("user").cloned();
            let engine = engine_after(&[(users::namespace(), document)]).await;
            assert!(engine.needs_login(), "nobody is let in for them");
            let Some(_) = name else {
                assert!(engine.all_users().is_empty());
                continue;
            };
            let user = engine.user("shop", "ann").unwrap();
            assert!(user.credentials.is_empty() && user.roles.is_empty());
            engine.drop_user("shop", "ann").await.unwrap();
            assert!(!engine.has_users());
        }
    }

    #[tokio::test]
    async fn a_role_that_cannot_be_read_allows_nothing() {
        let name = RoleName::new("clerk", "shop");
        let engine = engine_after(&[
            (roles::namespace(), doc! {"_id": 1}),
            (
                roles::namespace(),
                doc! {"_id": "shop.clerk", "role": "clerk", "db": "shop", "privileges": 5, "roles": ["root"]},
            ),
        ])
        .await;
        let role = engine.roles().get(&name).cloned().unwrap();
        assert!(role.roles.is_empty() && role.privileges.iter().next().is_none());
        engine.drop_role(&name).await.unwrap();
        assert!(engine.roles().get(&name).is_none());
    }
}
