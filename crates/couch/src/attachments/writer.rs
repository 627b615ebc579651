//! Storing an attachment as its bytes come (`src/couch/src/couch_att.erl`, `flush_data`; `src/couch/src/couch_db.erl`,
//! `with_stream`).

use super::{Attachment, Settings, file_of};
use access::error::{CouchError, Result};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use engine::files::{DigestKind, Digests, FileWriter, Files, NewFile};
use http::{GzipEncoder, StatusCode};
use md5::{Digest, Md5};
use value::doc;

/// Bytes that are compressed before others have their turn.
const COMPRESSED_AT_ONCE_BYTES: usize = 64 * 1024;

/// An attachment that is to be stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewAttachment<'a> {
    pub(crate) document: &'a str,
    pub(crate) name: &'a str,
    pub(crate) content_type: &'a str,
    /// Whether the bytes come compressed by gzip.
    pub(crate) is_encoded: bool,
    /// The bytes that come, where that is known: no more and no less.
    pub(crate) sent_length: Option<u64>,
    /// The bytes before compression, where that is known of what comes compressed.
    pub(crate) length: Option<u64>,
    /// `md5-` and the digest of the bytes that come in base64, where that is known.
    pub(crate) digest: Option<&'a str>,
}

/// Stores one attachment. Dropped before it is finished, it leaves nothing behind.
#[derive(Debug)]
pub(crate) struct AttachmentWriter<'a> {
    new: NewAttachment<'a>,
    file: FileWriter,
    encoder: Option<GzipEncoder>,
    /// Of the bytes as they come, where these are not what is stored.
    digester: Option<Md5>,
    received: u64,
    bytes_max: u64,
}

impl<'a> AttachmentWriter<'a> {
    /// Begins to store one.
    pub(crate) async fn create(
        files: &Files,
        settings: &Settings,
        new: NewAttachment<'a>,
    ) -> Result<AttachmentWriter<'a>> {
        let level = settings.level(new.content_type).filter(|_| !new.is_encoded);
        let is_stored_encoded = new.is_encoded || level.is_some();
        let mut file = NewFile {
            name: format!("{}/{}", new.document, new.name),
            content_type: Some(new.content_type.to_owned()),
            digests: vec![DigestKind::Md5],
            ..NewFile::default()
        };
        if is_stored_encoded {
            file.metadata = doc! {"contentEncoding": "gzip"};
        }
        let writer = AttachmentWriter {
            digester: level.filter(|_| new.digest.is_some()).map(|_| Md5::new()),
            encoder: level.map(GzipEncoder::new),
            file: files.create(file).await?,
            received: 0,
            bytes_max: settings.bytes_max,
            new,
        };
        writer.check_size(writer.new.sent_length.unwrap_or(0))?;
        Ok(writer)
    }

    fn check_size(&self, bytes: u64) -> Result<()> {
        match bytes > self.bytes_max {
            true => Err(CouchError::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "attachment_too_large",
                self.new.name.to_owned(),
            )),
            false => Ok(()),
        }
    }

    /// Takes bytes.
    pub(crate) async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.received += bytes.len() as u64;
        if self.new.sent_length.is_some_and(|length| self.received > length) {
            return Err(CouchError::bad_request("attachment longer than expected"));
        }
        self.check_size(self.received)?;
        let Some(encoder) = &mut self.encoder else {
            return Ok(self.file.write(bytes).await?);
        };
        for some in bytes.chunks(COMPRESSED_AT_ONCE_BYTES) {
            if let Some(digester) = &mut self.digester {
                digester.update(some);
            }
            let encoded = encoder.encode(some).map_err(not_encoded)?;
            self.file.write(&encoded).await?;
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    /// Ends it. What was declared of it must hold; else nothing is kept.
    pub(crate) async fn finish(mut self, revpos: i64) -> Result<Attachment> {
        if self.new.sent_length.is_some_and(|length| self.received < length) {
            return Err(CouchError::bad_request("attachment shorter than expected"));
        }
        let is_compressed = self.encoder.is_some();
        if let Some(encoder) = self.encoder.take() {
            let rest = encoder.finish().map_err(not_encoded)?;
            self.file.write(&rest).await?;
        }
        let mut declared = Digests::default();
        if let Some(digest) = self.new.digest.map(md5_of).transpose()?.flatten() {
            match self.digester.take().map(Md5::finalize) {
                Some(received) if received[..] != digest[..] => return Err(mismatch()),
                Some(_) => {}
                None => declared.set(DigestKind::Md5, digest),
            }
        }
        let entry = self.file.finish(&declared, None).await.map_err(file_of)?;
        let stored = i64::try_from(entry.length).unwrap_or(i64::MAX);
        let mut attachment = Attachment::of(self.new.name, self.new.content_type, revpos, &entry);
        if is_compressed {
            attachment.length = i64::try_from(self.received).unwrap_or(i64::MAX);
            attachment.encoded_length = Some(stored);
        }
        if self.new.is_encoded {
            // How long it is when it is decoded is known only from whoever sends it.
            attachment.length = self
                .new
                .length
                .map_or(stored, |length| i64::try_from(length).unwrap_or(i64::MAX));
            attachment.encoded_length = Some(stored);
        }
        Ok(attachment)
    }
}

/// The digest that a text such as `md5-…` gives; `None` if it is of another kind.
fn md5_of(text: &str) -> Result<Option<Vec<u8>>> {
    let Some(encoded) = text.strip_prefix("md5-") else {
        return Ok(None);
    };
    let decoded = BASE64_STANDARD
        .decode(encoded)
        .ok()
        .filter(|digest| digest.len() == 16);
    decoded
        .map(Some)
        .ok_or_else(|| CouchError::bad_request(format!("`{text}` is no MD5 digest in base64")))
}

/// What came is not what was declared.
pub(super) fn mismatch() -> CouchError {
    CouchError::new(
        StatusCode::BAD_REQUEST,
        "content_md5_mismatch",
        "Possible message corruption.",
    )
}

/// Compressing into memory cannot fail; were it to, this is what is told.
fn not_encoded(error: std::io::Error) -> CouchError {
    let reason = format!("the attachment could not be compressed: {error}");
    CouchError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal_server_error", reason)
}
