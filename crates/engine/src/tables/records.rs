//! Reading the collections that tables are kept in.

use crate::error::{Error, Result};
use auth::AuthError;
use code::Code;
use store::{Namespace, Store};
use value::Document;

/// Hands each document of a collection on; `None` if there is no such collection.
pub(super) async fn each_document(
    store: &Store,
    namespace: &Namespace,
    mut take: impl FnMut(&Document) -> Result<(), AuthError>,
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
            take(&record.document.to_document()).map_err(|error| {
                let message = format!("a document of {namespace} is damaged: {error}");
                Error::new(Code::BAD_VALUE, message)
            })?;
        }
        if page.exhausted() {
            return Ok(());
        }
    }
}
