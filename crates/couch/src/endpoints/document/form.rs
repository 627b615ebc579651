//! Documents and attachments that a web page's form sends (`src/chttpd/src/chttpd_db.erl`, `db_doc_req` for POST): a field `_doc`
//! with a whole document, or `_rev` with the revision that is changed, and files named `_attachments`.

use super::Put;
use super::attachment::present;
use crate::attachments::{Attachment, AttachmentWriter, NewAttachment, Settings, TYPE_DEFAULT, check_name};
use crate::call::Call;
use crate::incoming::{Incoming, parse_revision};
use crate::limits::BODY_BYTES_MAX;
use access::database::Database;
use access::error::{CouchError, Result};
use http::{MultipartReader, PartHead, RequestBody, Response, StatusCode, Uri, parameter};

/// The name of a part, and that of the file that it is.
type Names = (String, Option<String>);

/// What a form brings.
#[derive(Debug, Default)]
struct Form {
    document: Option<Incoming>,
    revision: Option<String>,
    attachments: Vec<Attachment>,
}

/// `POST /{db}/{id}`.
pub(super) async fn run(call: &mut Call, id: &str) -> Result<Response> {
    check_referer(call)?;
    let content_type = call.header("content-type").unwrap_or_default().to_owned();
    if !content_type.starts_with("multipart/form-data") {
        return Err(CouchError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "bad_content_type",
            "Content-Type must be multipart/form-data",
        ));
    }
    let database = call.database()?;
    database.check_id(id)?;
    database.require_write(id)?;
    let body = call.take_body()?;
    let mut form = Form::default();
    let read = form
        .read(call, &database, id, MultipartReader::new(body, &content_type)?)
        .await;
    let made: Vec<_> = form
        .attachments
        .iter()
        .map(|attachment| attachment.file.clone())
        .collect();
    let document = match read {
        Ok(()) => form.into_document(&database, id).await,
        Err(error) => Err(error),
    };
    match document {
        Ok(mut document) => {
            document.made = made;
            let put = Put::new(call, &database, id);
            put.answer_with(StatusCode::CREATED, document).await
        }
        Err(error) => {
            for file in &made {
                // What cannot be removed now is removed when the database is compacted.
                drop(database.files().delete(file).await);
            }
            Err(error)
        }
    }
}

/// A form may come from this server's own pages only: a browser sends credentials along, whichever page asks.
fn check_referer(call: &Call) -> Result<()> {
    let Some(referer) = call.header("referer") else {
        return Err(CouchError::bad_request("Referer header required."));
    };
    let page: Option<Uri> = referer.parse().ok();
    let host = page.as_ref().and_then(Uri::authority).map(ToString::to_string);
    match host.is_some() && host.as_deref() == call.header("host") {
        true => Ok(()),
        false => Err(CouchError::bad_request("Referer header must match host.")),
    }
}

impl Form {
    /// Reads the parts; files are stored as they come.
    async fn read(
        &mut self,
        call: &Call,
        database: &Database,
        id: &str,
        mut parts: MultipartReader<RequestBody>,
    ) -> Result<()> {
        let settings = Settings::of(&call.server.config);
        let memory = call.server.engine.memory();
        while let Some(head) = parts.next_part().await? {
            let (field, file) = names(&head)?;
            match (field.as_str(), file) {
                ("_doc", None) => {
                    let json = parts.read_part(BODY_BYTES_MAX, memory).await?;
                    self.document = Some(Incoming::whole(&json)?);
                }
                ("_rev", None) => {
                    let text = parts.read_part(BODY_BYTES_MAX, memory).await?;
                    self.revision = Some(String::from_utf8_lossy(&text).into_owned());
                }
                // A form without a chosen file sends one without name.
                ("_attachments", Some(name)) if !name.is_empty() => {
                    check_name(&name)?;
                    let new = NewAttachment {
                        document: id,
                        name: &name,
                        content_type: head.get("content-type").unwrap_or(TYPE_DEFAULT),
                        ..NewAttachment::default()
                    };
                    let mut writer = AttachmentWriter::create(&database.files(), &settings, new).await?;
                    while let Some(piece) = parts.data().await? {
                        writer.write(&piece).await?;
                    }
                    self.attachments.push(writer.finish(0).await?);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The document as it is to be: the files, and those attachments that it had besides.
    async fn into_document(self, database: &Database, id: &str) -> Result<Incoming> {
        let mut document = match (self.document, &self.revision) {
            (Some(document), _) if document.brought().is_some() => {
                let reason = "attachments of a form are its files, not members of `_doc`";
                return Err(CouchError::bad_request(reason));
            }
            (Some(document), _) => document,
            (None, Some(revision)) => {
                let revision = parse_revision(revision.trim())?;
                let mut document = present(database, id, Some(&revision)).await?;
                document.revision = Some(revision);
                document
            }
            (None, None) => {
                let reason = "the form has neither a field `_doc` nor a field `_rev`";
                return Err(CouchError::bad_request(reason));
            }
        };
        let revpos = i64::try_from(document.generation(false)).unwrap_or(i64::MAX);
        let mut attachments = self.attachments;
        for attachment in &mut attachments {
            attachment.revpos = revpos;
        }
        for kept in document.kept.take().unwrap_or_default() {
            if attachments.iter().all(|attachment| attachment.name != kept.name) {
                attachments.push(kept);
            }
        }
        document.kept = Some(attachments);
        Ok(document)
    }
}

fn names(head: &PartHead) -> Result<Names> {
    let disposition = head.get("content-disposition").unwrap_or_default();
    let field = parameter(disposition, "name");
    let field = field.ok_or_else(|| CouchError::bad_request("a part of the form has no name"))?;
    Ok((field, parameter(disposition, "filename")))
}
