//! Making capped copies of collections.

use crate::catalog::collections::CreateRequest;
use crate::catalog::own::check_no_accounts;
use crate::context::Context;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::reading::find::FindRequest;
use crate::write::WriteOptions;
use code::Code;
use store::{CappedOptions, Namespace};
use value::doc;

impl Engine {
    /// Copies a collection into a new capped one: the newest documents that fit.
    pub async fn clone_as_capped(&self, from: &Namespace, to: &Namespace, size_bytes: u64) -> Result<()> {
        let source = self.existing(from)?;
        if self.buckets_of(from).is_some() {
            let message = format!("the buckets of a time series cannot be capped: {from}");
            return Err(Error::new(Code::ILLEGAL_OPERATION, message));
        }
        if source.is_view() || source.options().kept.contains("timeseries") {
            return Err(Error::new(
                Code::COMMAND_NOT_SUPPORTED_ON_VIEW,
                format!("cloneCollectionAsCapped not supported for views and time series: {from}"),
            ));
        }
        if self.collection_entry(to).is_some() {
            let message = format!(
                "cloneCollectionAsCapped failed - destination collection {to} already exists. source collection: {from}"
            );
            return Err(Error::new(Code::NAMESPACE_EXISTS, message));
        }
        let capped = Some(CappedOptions {
            size_bytes,
            documents_max: None,
        });
        self.create_collection(
            to,
            CreateRequest {
                capped,
                ..CreateRequest::default()
            },
        )
        .await?;
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

    /// Makes a collection capped: a capped copy takes its place, its indexes but `_id_` are gone, as in MongoDB.
    pub async fn convert_to_capped(&self, namespace: &Namespace, size_bytes: u64) -> Result<()> {
        check_no_accounts(namespace)?;
        let copy = Namespace::new(
            &namespace.database,
            format!("tmp.convertToCapped.{}", uuid::Uuid::new_v4()),
        );
        self.clone_as_capped(namespace, &copy, size_bytes).await?;
        self.rename_collection(&copy, namespace, true).await
    }
}
