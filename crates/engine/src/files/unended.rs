//! Uploads that have all their bytes but were not ended, because the client went away or the server was killed. They become
//! files at the next sweep, or when a client asks for their state.

use super::sweep::UPLOADS_PAGE;
use super::{Digests, FileError, FileWriter, Files, Upload, UploadKind};
use crate::context::Context;
use crate::reading::find::FindRequest;
use value::{ObjectId, Value, doc};

impl Files {
    /// Makes a file of an upload that has all its bytes but was not ended. Does nothing if bytes are missing, or if it has a
    /// writer, which will end it.
    pub async fn finish_if_whole(&self, id: ObjectId) -> Result<(), FileError> {
        let upload = self.upload(id).await?;
        let is_whole =
            |upload: &Upload| upload.kind == UploadKind::Whole && upload.length == Some(upload.offset);
        if !upload.as_ref().is_some_and(is_whole) {
            return Ok(());
        }
        let writer = match self.resume_upload(id).await {
            Err(FileError::Busy) => return Ok(()),
            writer => writer?,
        };
        if let Some(writer) = writer.filter(FileWriter::can_finish) {
            self.finish_upload(writer, &Digests::default(), None).await?;
        }
        Ok(())
    }

    /// Ends all of a bucket.
    pub(super) async fn sweep_whole(&self) -> Result<(), FileError> {
        let (context, uploads) = (Context::default(), self.bucket.uploads());
        let mut after = Value::MinKey;
        loop {
            let request = FindRequest {
                filter: doc! {
                    "_id": doc! {"$gt": after},
                    "length": doc! {"$exists": true},
                    "part": doc! {"$exists": false},
                    "joined": doc! {"$exists": false},
                },
                sort: doc! {"_id": 1},
                limit: Some(UPLOADS_PAGE),
                batch_size: Some(UPLOADS_PAGE),
                single_batch: true,
                ..FindRequest::default()
            };
            let reply = self.engine.find(&context, &uploads, &request).await?;
            let Some(last) = reply.batch.iter().filter_map(Upload::from_document).last() else {
                return Ok(());
            };
            for upload in reply.batch.iter().filter_map(Upload::from_document) {
                self.finish_if_whole(upload.id).await?;
            }
            after = Value::ObjectId(last.id);
        }
    }
}
