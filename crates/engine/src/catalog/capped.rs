//! Making collections capped, and capped copies of them.

use crate::catalog::collections::CreateRequest;
use crate::catalog::own::check_no_accounts;
use crate::context::Context;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::reading::find::FindRequest;
use crate::write::WriteOptions;
use code::Code;
use std::sync::Arc;
use store::{CappedOptions, Collection, CollectionOptions, Namespace};
use value::{Value, doc};

impl Engine {
    /// Copies a collection into a new capped one: the newest documents that fit.
    pub async fn clone_as_capped(&self, from: &Namespace, to: &Namespace, size_bytes: u64) -> Result<()> {
        let source = self.cappable(from)?;
        if self.collection_entry(to).is_some() {
            let message = format!(
                "cloneCollectionAsCapped failed - destination collection {to} already exists. source collection: {from}"
            );
            return Err(Error::new(Code::NAMESPACE_EXISTS, message));
        }
        let CollectionOptions { capped, kept, .. } = capped_options(&source.options(), size_bytes);
        let request = CreateRequest {
            capped,
            options: kept,
        };
        self.create_collection(to, request).await?;
        let context = Context::default();
        let options = WriteOptions {
            journaled: false,
            bypass_validation: true,
            ..WriteOptions::default()
        };
        let order = FindRequest {
            hint: Some(doc! {"$natural": 1}.into()),
            ..FindRequest::default()
        };
        let mut reply = self.find(&context, from, &order).await?;
        loop {
            if !reply.batch.is_empty() {
                self.insert(&context, to, std::mem::take(&mut reply.batch), &options)
                    .await?;
            }
            if reply.id == 0 {
                break;
            }
            reply = self.get_more(&context, reply.id, from, None, None).await?;
        }
        self.flush().await
    }

    /// Makes a collection capped: its oldest documents are deleted until it fits, and its indexes except `_id_` are dropped, as in
    /// MongoDB. It is not copied, since the copy would lack what is written meanwhile.
    pub async fn convert_to_capped(&self, namespace: &Namespace, size_bytes: u64) -> Result<()> {
        check_no_accounts(namespace)?;
        let collection = self.cappable(namespace)?;
        let change = move |options: &mut CollectionOptions| {
            *options = capped_options(options, size_bytes);
            Ok(())
        };
        self.store().modify(namespace, change).await?;
        self.drop_indexes(namespace, &Value::from("*")).await?;
        collection.trim().await?;
        self.cursors().close_of(|open| open == namespace);
        self.latencies().forget(|open| open == namespace);
        self.flush().await
    }

    /// The collection, if it is one that can be capped.
    fn cappable(&self, namespace: &Namespace) -> Result<Arc<Collection>> {
        let collection = self.existing(namespace)?;
        if self.buckets_of(namespace).is_some() {
            let message = format!("the buckets of a time series cannot be capped: {namespace}");
            return Err(Error::new(Code::ILLEGAL_OPERATION, message));
        }
        if collection.is_view() || collection.options().kept.contains("timeseries") {
            return Err(Error::new(
                Code::COMMAND_NOT_SUPPORTED_ON_VIEW,
                format!("cloneCollectionAsCapped not supported for views and time series: {namespace}"),
            ));
        }
        Ok(collection)
    }
}

/// The options that a collection keeps when it is made capped, such as collation and validator. It cannot stay clustered, since its
/// natural order would have to be that of insertion and that of the `_id`s.
fn capped_options(options: &CollectionOptions, size_bytes: u64) -> CollectionOptions {
    let mut capped = options.clone();
    capped.capped = Some(CappedOptions {
        size_bytes,
        documents_max: options.capped.and_then(|capped| capped.documents_max),
    });
    for clustered in ["clusteredIndex", "expireAfterSeconds"] {
        capped.kept.remove(clustered);
    }
    capped
}
