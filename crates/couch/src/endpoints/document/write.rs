//! Writing one document: what is checked, stored and changed with it, by itself or among others (`_bulk_docs`).

use crate::attachments::{self, Following, Merge, Settings};
use crate::call::Call;
use crate::edit_check::EditCheck;
use crate::incoming::Incoming;
use crate::replication::context;
use crate::server::Server;
use crate::{local_documents, respond};
use access::database::Database;
use access::error::{CouchError, Result};
use access::users::{self, UserChange};
use access::{ids, names};
use engine::{Edit, EditOrigin, EditOutcome, Revision};
use http::{Response, StatusCode};
use value::Value;

/// Of a document of a batch CouchDB finds out after it has answered that it is in conflict, that a validation or the database of users
/// refuses it, and that it lacks an attachment.
const FOUND_LATER: [StatusCode; 5] = [
    StatusCode::UNAUTHORIZED,
    StatusCode::FORBIDDEN,
    StatusCode::NOT_FOUND,
    StatusCode::CONFLICT,
    StatusCode::PRECONDITION_FAILED,
];

/// Where a document is to be written, and how.
#[derive(Debug)]
pub(crate) struct Put<'a> {
    call: &'a Call,
    database: &'a Database,
    id: &'a str,
    /// Whether another store made its revision.
    given: bool,
    /// Whether the client waits until it is flushed to disk.
    is_journaled: bool,
    /// Where attachments come from that are in parts of their own.
    following: Option<&'a mut Following>,
}

impl<'a> Put<'a> {
    /// A document by itself, with a new revision.
    pub(crate) fn new(call: &'a Call, database: &'a Database, id: &'a str) -> Put<'a> {
        Put::among(call, database, id, false)
    }

    /// A document by itself, whose request says who makes its revision: one that puts a whole document does, for no other one
    /// `new_edits` means anything (`src/chttpd/src/chttpd_db.erl`, `db_doc_req`).
    pub(super) fn replicated(call: &'a Call, database: &'a Database, id: &'a str) -> Put<'a> {
        Put::among(call, database, id, call.query.get("new_edits") == Some("false"))
    }

    /// One of many documents, of which all have new revisions or all those that another store gave them.
    pub(crate) fn among(call: &'a Call, database: &'a Database, id: &'a str, given: bool) -> Put<'a> {
        Put {
            call,
            database,
            id,
            given,
            is_journaled: call.is_journaled(),
            following: None,
        }
    }

    /// The same with attachments that follow the document.
    pub(super) fn followed_by(mut self, following: &'a mut Following) -> Put<'a> {
        self.following = Some(following);
        self
    }

    /// Writes the document, and tells its revision and where it is.
    pub(crate) async fn answer(self, document: Incoming) -> Result<Response> {
        let status = match document.deleted {
            true => StatusCode::OK,
            false => StatusCode::CREATED,
        };
        self.answer_with(status, document).await
    }

    /// The same with this status, which for some requests is that of a new document whatever becomes of it.
    pub(super) async fn answer_with(self, status: StatusCode, document: Incoming) -> Result<Response> {
        let (id, url) = (self.id, self.call.url(&[&self.database.name, self.id]));
        let revision = self.write(document).await?;
        let mut response = written(status, id, &revision);
        respond::tag(&mut response, &format!("\"{revision}\""));
        respond::location(&mut response, &url);
        Ok(response)
    }

    /// The same for a whole document in JSON, which alone may be written with `batch=ok`.
    pub(crate) async fn answer_whole(self, document: Incoming) -> Result<Response> {
        match self.call.is_batch() {
            true => self.accept(document).await,
            false => self.answer(document).await,
        }
    }

    /// Writes the document if it can, without telling whether. Told are requests that CouchDB refuses before it answers: of somebody
    /// who may not write there, and of what is no document (`src/chttpd/src/chttpd_db.erl`, `db_doc_req`).
    pub(super) async fn accept(mut self, document: Incoming) -> Result<Response> {
        self.database.require_write(self.id)?;
        self.is_journaled = false;
        let (id, database) = (self.id, self.database);
        match self.write(document).await {
            Err(error) if FOUND_LATER.contains(&error.status) => {
                let database = &database.name;
                tracing::debug!(id, database, "a document of a batch was not written: {error}");
                Ok(accepted(id))
            }
            written => written.map(|_| accepted(id)),
        }
    }

    /// Writes the document; its revision.
    pub(crate) async fn write(mut self, mut document: Incoming) -> Result<Revision> {
        let committed = self.commit(&mut document).await;
        if committed.is_err() {
            for file in &document.made {
                // What cannot be removed now is removed when the database is compacted.
                drop(self.database.files().delete(file).await);
            }
        }
        committed
    }

    async fn commit(&mut self, document: &mut Incoming) -> Result<Revision> {
        if let Some(name) = self.id.strip_prefix(ids::LOCAL) {
            // A copy of a document with attachments: local documents have none.
            document.kept = None;
            let edit = local_documents::edit(self.call, self.database, name, document)?;
            return edit.write(self.database, self.is_journaled).await;
        }
        let Server {
            designs,
            config,
            engine,
            ..
        } = &*self.call.server;
        let (edit, user) = self.edit(document).await?;
        let check = EditCheck::begin(designs, config, self.database).await?;
        if let Some(refusal) = check.refusal(&edit).await {
            return Err(refusal);
        }
        let edited = users::edit(engine, self.database, vec![edit], vec![user], self.is_journaled);
        // One that fails as a whole, since it could not be flushed, may be there all the same: its files stay, and go when the
        // database is compacted if nothing names them.
        let made = std::mem::take(&mut document.made);
        let written: Result<Revision> = match edited.await?.pop() {
            Some(EditOutcome::Written(revision)) => Ok(revision),
            Some(EditOutcome::Refused(error)) => Err(error.into()),
            Some(EditOutcome::Conflict) | None => Err(CouchError::conflict()),
        };
        written.inspect_err(|_| document.made = made)
    }

    /// The edit that the document asks for, if the user may write it, and the user that it changes. Its attachments are
    /// stored then.
    pub(crate) async fn edit(&mut self, document: &mut Incoming) -> Result<(Edit, Option<UserChange>)> {
        self.database.check_id(self.id)?;
        self.call.server.config.check_id_length(self.id)?;
        if self.id.starts_with(ids::LOCAL) {
            return Err(CouchError::illegal_docid(
                "a local document is no edit of the database: put it by itself",
            ));
        }
        self.database.require_write(self.id)?;
        let user = match self.database.is_users {
            true => {
                let Server { engine, config, .. } = &*self.call.server;
                let mut fields = (!document.deleted).then(|| document.fields());
                let change = users::prepare(engine, config, self.database, self.id, fields.as_mut()).await?;
                if let Some(fields) = fields {
                    document.set_fields(&fields);
                }
                change
            }
            false => None,
        };
        if names::is_replicator(&self.database.name) && !self.id.starts_with(ids::DESIGN) {
            let engine = &self.call.server.engine;
            context::prepare(engine, &self.database.user, document, self.given)?;
        }
        let key = self.database.id(self.id).await?;
        self.take_attachments(document).await?;
        let bytes_max = self.call.server.config.document_bytes_max();
        Ok((edit(key, document, self.given, bytes_max)?, user))
    }

    /// Stores the attachments that the document brings, and finds those that it names by stubs.
    async fn take_attachments(&mut self, document: &mut Incoming) -> Result<()> {
        let Some(brought) = document.brought() else {
            return Ok(());
        };
        let merge = Merge {
            database: self.database,
            settings: Settings::of(&self.call.server.config),
            id: self.id,
            ancestors: document.ancestors(self.given),
            generation: document.generation(self.given),
            given: self.given,
            following: self.following.as_deref_mut(),
        };
        let mut made = Vec::new();
        let kept = attachments::merge(merge, brought, &mut made).await;
        document.made = made;
        document.kept = Some(kept?);
        Ok(())
    }
}

/// The edit that a document asks for.
fn edit(id: Value, document: &Incoming, given: bool, bytes_max: usize) -> Result<Edit> {
    let body = document.document(id.as_ref());
    if body.bytes().len() > bytes_max {
        return Err(CouchError::document_too_large(ids::text(id.as_ref())));
    }
    let origin = match (given, document.given()) {
        (true, Some(path)) => EditOrigin::Given(path),
        (true, None) => {
            return Err(CouchError::bad_request(
                "When `new_edits: false`, the document needs `_rev` or `_revisions` specified",
            ));
        }
        (false, _) => EditOrigin::After(document.revision.clone()),
    };
    Ok(Edit {
        document: body,
        deleted: document.deleted,
        origin,
    })
}

pub(super) fn written(status: StatusCode, id: &str, revision: &Revision) -> Response {
    let mut text = String::from(r#"{"ok":true,"id":"#);
    json::write_string(id, &mut text);
    text.push_str(&format!(r#","rev":"{revision}"}}"#));
    respond::json(status, text)
}

fn accepted(id: &str) -> Response {
    let mut text = String::from(r#"{"ok":true,"id":"#);
    json::write_string(id, &mut text);
    text.push('}');
    respond::json(StatusCode::ACCEPTED, text)
}
