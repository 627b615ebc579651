//! Deleting files.

use super::{FileEntry, FileError, Files};
use crate::context::Context;
use crate::reading::find::FindRequest;
use crate::write::{DeleteStatement, WriteOptions};
use store::Namespace;
use value::{Document, Value, doc};

/// The number of versions of a name that are deleted in one round.
const VERSIONS_PAGE: u64 = 100;

impl Files {
    /// Deletes the file with this id. Returns false if there is none.
    pub async fn delete(&self, id: &Value) -> Result<bool, FileError> {
        let filter = doc! {"_id": doc! {"$eq": id.clone()}};
        // The entry goes first: a file is there whole or not at all, and chunks without entry are swept.
        let deleted = self.delete_in(&self.bucket.files(), filter, true).await?;
        self.delete_chunks(id).await?;
        Ok(deleted > 0)
    }

    /// Deletes the versions of a name up to this one, which was the newest when it was found, and returns their number. A version that
    /// is put meanwhile is newer, which [`FileWriter::finish`](super::FileWriter::finish) ensures, and stays.
    pub async fn delete_name(&self, name: &str, newest: &FileEntry) -> Result<u64, FileError> {
        // An entry that a driver wrote may have no date.
        let is_newer = doc! {"$gt": Value::DateTime(newest.uploaded_ms)};
        let request = FindRequest {
            filter: doc! {"filename": name, "uploadDate": doc! {"$not": is_newer}},
            projection: doc! {"_id": 1},
            limit: Some(VERSIONS_PAGE),
            batch_size: Some(VERSIONS_PAGE),
            single_batch: true,
            ..FindRequest::default()
        };
        let mut deleted = 0;
        loop {
            let reply = self
                .engine
                .find(&Context::default(), &self.bucket.files(), &request)
                .await?;
            if reply.batch.is_empty() {
                return Ok(deleted);
            }
            for document in reply.batch {
                if let Some(id) = document.as_raw().get("_id") {
                    deleted += u64::from(self.delete(&id.to_value()).await?);
                }
            }
        }
    }

    /// Deletes the chunks of a file that has no entry.
    pub(super) async fn delete_chunks(&self, id: &Value) -> Result<u64, FileError> {
        let filter = doc! {"files_id": doc! {"$eq": id.clone()}};
        self.delete_in(&self.bucket.chunks(), filter, false).await
    }

    pub(super) async fn delete_in(
        &self,
        namespace: &Namespace,
        filter: Document,
        journaled: bool,
    ) -> Result<u64, FileError> {
        let statement = DeleteStatement {
            filter,
            ..DeleteStatement::default()
        };
        let options = WriteOptions {
            journaled,
            ..WriteOptions::default()
        };
        let context = Context::default();
        let reply = self
            .engine
            .delete(&context, namespace, vec![statement], &options)
            .await?;
        match reply.failures.into_iter().next() {
            Some(failure) => Err(failure.error.into()),
            None => Ok(reply.deleted),
        }
    }
}
