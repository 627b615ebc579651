//! Finding a file's entry by name and version, or by id.

use super::cache::Wanted;
use super::{FileEntry, FileError, Files};
use crate::context::Context;
use crate::reading::find::FindRequest;
use std::sync::Arc;
use store::Sequence;
use value::{DocumentBuf, Value, doc, key};

impl Files {
    /// The entry of a version of a name: 0 is the first that was uploaded, 1 the second, -1 the newest, -2 the one
    /// before (the revisions of the GridFS specification). `None` if there is no such version.
    pub async fn find(&self, name: &str, version: i64) -> Result<Option<Arc<FileEntry>>, FileError> {
        let direction = if version < 0 { -1 } else { 1 };
        let skip = if version < 0 { !version } else { version };
        let request = || FindRequest {
            filter: doc! {"filename": name},
            sort: doc! {"uploadDate": direction},
            skip: skip as u64,
            limit: Some(1),
            single_batch: true,
            ..FindRequest::default()
        };
        self.look_up(Wanted::Name(name.to_owned(), version), request)
            .await
    }

    /// The entry of a file's id.
    pub async fn find_id(&self, id: &Value) -> Result<Option<Arc<FileEntry>>, FileError> {
        let mut encoded = Vec::new();
        key::encode(id.as_ref(), key::Direction::Ascending, &mut encoded);
        let request = || FindRequest {
            filter: doc! {"_id": doc! {"$eq": id.clone()}},
            limit: Some(1),
            single_batch: true,
            ..FindRequest::default()
        };
        self.look_up(Wanted::Id(encoded), request).await
    }

    async fn look_up(
        &self,
        wanted: Wanted,
        request: impl FnOnce() -> FindRequest,
    ) -> Result<Option<Arc<FileEntry>>, FileError> {
        let namespace = self.bucket.files();
        let Some(files) = self.engine.store().collection(&namespace) else {
            return Ok(None);
        };
        let cache = self.engine.file_cache();
        if let Some(entry) = cache.entry(&files, &wanted) {
            self.engine.check_folder()?;
            return Ok(Some(entry));
        }
        // Read before the entry, so that after a commit in between the kept entry counts as old, not as new.
        let head = files.head();
        let reply = self
            .engine
            .find(&Context::default(), &namespace, &request())
            .await?;
        let Some(document) = reply.batch.first() else {
            return Ok(None);
        };
        let entry = FileEntry::from_document(&self.bucket, document)?;
        Ok(Some(cache.keep_entry(&files, wanted, head, entry)))
    }

    /// Keeps the entry of a file that was just finished, so that its bytes count as verified when it is read.
    pub(super) fn keep_newest(&self, entry: FileEntry) {
        if let (Some(files), Some(name)) = (self.engine.store().collection(&self.bucket.files()), &entry.name)
        {
            let wanted = Wanted::Name(name.clone(), -1);
            // As of no commit: it is compared with what is stored before it is given.
            self.engine
                .file_cache()
                .keep_entry(&files, wanted, Sequence::START, entry);
        }
    }

    /// The entry in a document of `BUCKET.files`.
    pub(super) fn entry(&self, document: &DocumentBuf) -> Result<FileEntry, FileError> {
        FileEntry::from_document(&self.bucket, document)
    }
}
