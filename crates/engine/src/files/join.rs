//! Files made of several uploads, which a client sends side by side.

use super::uploads::{NewUpload, Upload, UploadKind};
use super::{Digests, FileError, FileWriter, Files, NewFile};
use std::collections::BTreeSet;
use value::{ObjectId, Value, doc};

/// A file to be made of parts.
#[derive(Clone, Debug)]
pub struct NewJoint {
    /// The file; its id is made here.
    pub file: NewFile,
    /// The uploads that it is made of, one after the other.
    pub parts: Vec<ObjectId>,
    /// The client's names of the parts.
    pub named: String,
    /// How long it is remembered as an upload, in milliseconds.
    pub kept_ms: u64,
    /// The client's description.
    pub description: Option<String>,
}

impl Files {
    /// Makes a file of parts, which is on disk when this returns, and drops the parts. A repeated call with the same
    /// names returns the same file, in case the answer was lost. Returns its id.
    ///
    /// # Errors [`FileError::PartMissing`], [`FileError::PartUnfinished`], [`FileError::PartTwice`];
    /// [`FileError::Busy`] while somebody writes to a part.
    pub async fn join_uploads(&self, new: NewJoint) -> Result<ObjectId, FileError> {
        let mut parts = BTreeSet::new();
        if let Some(twice) = new.parts.iter().find(|part| !parts.insert(**part)) {
            return Err(FileError::PartTwice(*twice));
        }
        let held = parts.iter().map(|part| self.hold_upload(*part));
        let _held = held.collect::<Result<Vec<_>, _>>()?;
        let known = doc! {"joined": new.named.as_str(), "filename": new.file.name.as_str()};
        if let Some(joined) = self.find_upload(known).await? {
            return Ok(joined.id);
        }
        let mut uploads = Vec::with_capacity(new.parts.len());
        for part in &new.parts {
            uploads.push(self.finished_part(*part).await?);
        }
        let id = ObjectId::generate();
        let mut writer = self
            .create(NewFile {
                id: Some(Value::ObjectId(id)),
                ..new.file.clone()
            })
            .await?;
        for upload in &uploads {
            self.copy_upload(upload, &mut writer).await?;
        }
        let entry = writer.finish(&Digests::default(), None).await?;
        let joined = NewUpload {
            file: new.file,
            length: Some(entry.length),
            kept_ms: new.kept_ms,
            kind: UploadKind::Joined(new.named),
            description: new.description,
        };
        self.keep_upload(&Upload::new(id, joined)).await?;
        for part in parts {
            // Without flush: a part that a crash brings back expires.
            self.drop_upload(part, doc! {"_id": part}, false).await?;
        }
        Ok(id)
    }

    async fn finished_part(&self, part: ObjectId) -> Result<Upload, FileError> {
        let upload = self.upload(part).await?;
        let upload = upload.filter(|upload| upload.kind == UploadKind::Part);
        let upload = upload.ok_or(FileError::PartMissing(part))?;
        if upload.length == Some(upload.offset) {
            return Ok(upload);
        }
        Err(FileError::PartUnfinished {
            part,
            received: upload.offset,
        })
    }

    async fn copy_upload(&self, upload: &Upload, writer: &mut FileWriter) -> Result<(), FileError> {
        for number in 0..upload.chunks() {
            let chunk = self.stored_chunk(upload, number).await?;
            writer.write(&chunk.data).await?;
        }
        Ok(())
    }
}
