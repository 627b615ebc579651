//! `_bulk_docs`: many documents in one commit.

use super::document::Put;
use super::local::put_local;
use crate::call::Call;
use crate::database::Database;
use crate::edit_check::EditCheck;
use crate::error::{CouchError, Result};
use crate::incoming::Incoming;
use crate::json::{Reader, write_string};
use crate::users::{self, UserChange};
use crate::{ids, respond};
use engine::{Edit, EditOutcome, Revision, RevisionHash};
use http::{Method, Response, StatusCode};
use std::fmt::Write as _;
use value::Value;

/// What is asked.
struct Batch {
    documents: Vec<Incoming>,
    /// Whether the revisions were made by another store.
    given: bool,
    /// Whether all are to be written or none.
    all_or_nothing: bool,
}

/// `POST /{db}/_bulk_docs`.
pub(crate) async fn run(call: &mut Call) -> Result<Response> {
    if call.method != Method::POST {
        return Err(CouchError::method_not_allowed("POST"));
    }
    let database = call.database()?;
    call.check_is_json()?;
    let bytes = call.bytes().await?;
    let mut batch = parse(&bytes)?;
    drop(bytes);
    if batch.all_or_nothing && !batch.given {
        return Ok(respond::json(
            StatusCode::EXPECTATION_FAILED,
            no_transaction(&batch),
        ));
    }
    let mut written = Written::default();
    for document in &mut batch.documents {
        written.prepare(call, &database, document, batch.given).await?;
    }
    let outcomes = written.write(call, &database).await?;
    let text = answer(&batch, &written.names, outcomes);
    Ok(respond::json(StatusCode::CREATED, text))
}

/// What is to be written, and what was.
#[derive(Default)]
struct Written {
    /// The id of each document.
    names: Vec<String>,
    edits: Vec<Edit>,
    /// The user that each edit changes.
    users: Vec<Option<UserChange>>,
    /// What became of local documents, by their place; none for those that are in `edits`.
    locals: Vec<Option<EditOutcome>>,
}

impl Written {
    async fn prepare(
        &mut self,
        call: &Call,
        database: &Database,
        document: &mut Incoming,
        given: bool,
    ) -> Result<()> {
        let name = document.id.clone().unwrap_or_else(|| call.new_id());
        if let Some(local) = name.strip_prefix(ids::LOCAL) {
            let count = put_local(call, database, local, document).await?;
            let revision = Revision {
                generation: 0,
                hash: RevisionHash::parse(&count.to_string()),
            };
            self.locals.push(Some(EditOutcome::Written(revision)));
            self.names.push(name);
            return Ok(());
        }
        let (edit, user) = Put::among(call, database, &name, given).edit(document).await?;
        self.edits.push(edit);
        self.users.push(user);
        self.locals.push(None);
        self.names.push(name);
        Ok(())
    }

    /// Makes the edits; what became of each document.
    async fn write(&mut self, call: &Call, database: &Database) -> Result<Vec<Result<EditOutcome>>> {
        let edits = std::mem::take(&mut self.edits);
        let outcomes = checked(call, database, edits).await?;
        for (change, outcome) in self.users.drain(..).zip(&outcomes) {
            if let (Some(change), Ok(EditOutcome::Written(_))) = (change, outcome) {
                users::apply(&call.server.engine, change).await?;
            }
        }
        let mut outcomes = outcomes.into_iter();
        let outcome = |local: Option<EditOutcome>| match local {
            Some(local) => Ok(local),
            None => outcomes.next().unwrap_or(Ok(EditOutcome::Conflict)),
        };
        Ok(self.locals.drain(..).map(outcome).collect())
    }
}

/// Writes those that the design documents let through; what became of each.
async fn checked(call: &Call, database: &Database, edits: Vec<Edit>) -> Result<Vec<Result<EditOutcome>>> {
    let check = EditCheck::begin(&call.server.designs, &call.server.config, database).await?;
    let mut refusals = Vec::with_capacity(edits.len());
    let mut allowed = Vec::with_capacity(edits.len());
    for edit in edits {
        let refusal = check.refusal(&edit).await;
        if refusal.is_none() {
            allowed.push(edit);
        }
        refusals.push(refusal);
    }
    let written = database.collection.edit(allowed, call.is_journaled()).await?;
    let mut written = written.into_iter();
    let outcome = |refusal: Option<CouchError>| match refusal {
        Some(refusal) => Err(refusal),
        None => Ok(written.next().unwrap_or(EditOutcome::Conflict)),
    };
    Ok(refusals.into_iter().map(outcome).collect())
}

/// What became of each; of revisions that another store made, only what failed is told.
fn answer(batch: &Batch, names: &[String], outcomes: Vec<Result<EditOutcome>>) -> String {
    let mut text = String::with_capacity(outcomes.len() * 96);
    text.push('[');
    for ((document, name), outcome) in batch.documents.iter().zip(names).zip(outcomes) {
        let error = match outcome {
            Ok(EditOutcome::Written(_)) if batch.given => continue,
            Ok(EditOutcome::Written(revision)) => {
                text.push_str(if text.len() > 1 { "," } else { "" });
                text.push_str(r#"{"ok":true,"id":"#);
                write_string(name, &mut text);
                // Writing to a String cannot fail.
                let _ = write!(text, r#","rev":"{revision}"}}"#);
                continue;
            }
            Ok(EditOutcome::Conflict) => CouchError::conflict(),
            Ok(EditOutcome::Refused(error)) => error.into(),
            Err(refusal) => refusal,
        };
        text.push_str(if text.len() > 1 { "," } else { "" });
        text.push_str(r#"{"id":"#);
        write_string(name, &mut text);
        if let Some(revision) = document.revision.as_ref().filter(|_| batch.given) {
            let _ = write!(text, r#","rev":"{revision}""#);
        }
        text.push_str(r#","error":"#);
        write_string(&error.error, &mut text);
        text.push_str(r#","reason":"#);
        write_string(&error.reason, &mut text);
        text.push('}');
    }
    text.push(']');
    text
}

/// What is told of each document where all were to be written or none.
fn no_transaction(batch: &Batch) -> String {
    let mut text = String::from("[");
    for document in &batch.documents {
        text.push_str(if text.len() > 1 { "," } else { "" });
        text.push_str(r#"{"id":"#);
        write_string(document.id.as_deref().unwrap_or_default(), &mut text);
        text.push_str(r#","error":"not_implemented","reason":"all_or_nothing is not supported"}"#);
    }
    text.push(']');
    text
}

/// Reads the batch straight to BSON.
fn parse(bytes: &[u8]) -> Result<Batch> {
    let mut documents = None;
    let (mut new_edits, mut all_or_nothing) = (true, false);
    let mut reader = Reader::new(bytes)?;
    reader.object(|reader, name| {
        match name.as_ref() {
            "docs" => {
                if reader.peek() != Some(b'[') {
                    return Err(CouchError::bad_request("`docs` parameter must be an array."));
                }
                let mut read = Vec::new();
                reader.array(|reader| -> Result<()> {
                    read.push(Incoming::read(reader)?);
                    Ok(())
                })?;
                documents = Some(read);
            }
            "new_edits" => match reader.value()? {
                Value::Bool(flag) => new_edits = flag,
                _ => {
                    return Err(CouchError::bad_request(
                        "`new_edits` parameter must be a boolean.",
                    ));
                }
            },
            "all_or_nothing" => all_or_nothing = reader.value()? == Value::Bool(true),
            _ => drop(reader.value()?),
        }
        Ok(())
    })?;
    reader.end()?;
    let documents =
        documents.ok_or_else(|| CouchError::bad_request("POST body must include `docs` parameter."))?;
    Ok(Batch {
        documents,
        given: !new_edits,
        all_or_nothing,
    })
}
