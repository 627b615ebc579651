//! `_bulk_docs`: many documents, a portion of them in one commit.

mod batch;

use super::document::Put;
use crate::call::Call;
use crate::edit_check::EditCheck;
use crate::incoming::Incoming;
use crate::local_documents::{self, LocalEdit};
use crate::operation::Reader;
use crate::respond;
use crate::stream::Output;
use access::database::Database;
use access::error::{CouchError, Result};
use access::ids;
use access::users::{self, UserChange};
use batch::Batch;
use engine::{Edit, EditOutcome};
use http::{Method, Response, StatusCode};
use json::write_string;
use std::fmt::Write as _;

/// What it takes to write a document, in steps of an operation.
const STEPS_PER_DOCUMENT: usize = 10;

/// `POST /{db}/_bulk_docs`.
pub(crate) async fn run(call: &mut Call) -> Result<Response> {
    if call.method != Method::POST {
        return Err(CouchError::method_not_allowed("POST"));
    }
    let database = call.database()?;
    // Whoever may write nothing is refused as a whole.
    database.require_write("")?;
    call.check_is_json()?;
    let mut batch = Batch::parse(call.given_bytes().await?)?;
    let mut text = String::from("[");
    if batch.all_or_nothing && !batch.given {
        while let Some(documents) = batch.next()? {
            no_transaction(&documents, &mut text);
        }
        text.push(']');
        return Ok(respond::json(StatusCode::EXPECTATION_FAILED, text));
    }
    portion(call, &database, &mut batch, &mut text).await?;
    if batch.is_over() {
        text.push(']');
        return Ok(respond::json(StatusCode::CREATED, text));
    }
    let (sender, mut response) = respond::streamed(None);
    *response.status_mut() = StatusCode::CREATED;
    let call = call.without_body();
    tokio::spawn(async move {
        let mut output = Output::of(sender.clone(), &call.operation);
        output.text = text;
        let written = rest(&call, &database, &mut batch, &mut output);
        if let Err(error) = call.operation.run_for(Reader::of(sender.clone()), written).await {
            tracing::error!(%error, "a batch of documents was written in part");
            sender.give_up().await;
        }
    });
    Ok(response)
}

/// Writes all portions but the first.
async fn rest(call: &Call, database: &Database, batch: &mut Batch, output: &mut Output) -> Result<()> {
    while output.end_row().await && portion(call, database, batch, &mut output.text).await? {}
    output.text.push_str("]\n");
    output.flush().await;
    Ok(())
}

/// Writes a portion, and tells what became of each document; false at the end.
async fn portion(call: &Call, database: &Database, batch: &mut Batch, text: &mut String) -> Result<bool> {
    let Some(mut documents) = batch.next()? else {
        return Ok(false);
    };
    let mut written = Written::default();
    for document in &mut documents {
        engine::steps(STEPS_PER_DOCUMENT)?;
        written.prepare(call, database, document, batch.given).await?;
    }
    let outcomes = written.write(call, database).await?;
    tell(&documents, batch.given, &written.names, outcomes, text);
    Ok(true)
}

/// What is to be written, and what was.
#[derive(Default)]
struct Written {
    /// The id of each document.
    names: Vec<String>,
    edits: Vec<Edit>,
    /// Local documents, which are no edits of the database.
    locals: Vec<LocalEdit>,
    /// The user that each edit changes.
    users: Vec<Option<UserChange>>,
    /// What became of local documents, and of those that are refused, by their place; none for those that are in `edits`.
    settled: Vec<Option<Result<EditOutcome>>>,
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
        let mut settled = if let Some(local) = name.strip_prefix(ids::LOCAL) {
            let edit = local_documents::edit(call, database, local, document)?;
            let revision = edit.revision.clone();
            self.locals.push(edit);
            Some(Ok(EditOutcome::Written(revision)))
        } else if name.starts_with(ids::DESIGN) {
            database.require_admin().err().map(Err)
        } else {
            None
        };
        if settled.is_none() {
            match Put::among(call, database, &name, given).edit(document).await {
                Ok((edit, user)) => {
                    self.edits.push(edit);
                    self.users.push(user);
                }
                // What may not be written does not keep the others from being written.
                Err(refusal)
                    if matches!(refusal.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) =>
                {
                    settled = Some(Err(refusal));
                }
                Err(error) => return Err(error),
            }
        }
        self.settled.push(settled);
        self.names.push(name);
        Ok(())
    }

    /// Makes the edits; what became of each document.
    async fn write(&mut self, call: &Call, database: &Database) -> Result<Vec<Result<EditOutcome>>> {
        for local in self.locals.drain(..) {
            local.write(database, call.is_journaled()).await?;
        }
        let edits = std::mem::take(&mut self.edits).into_iter();
        let outcomes = checked(call, database, edits.zip(self.users.drain(..))).await?;
        let mut outcomes = outcomes.into_iter();
        let mut next = || outcomes.next().unwrap_or(Ok(EditOutcome::Conflict));
        let settled = self.settled.drain(..);
        Ok(settled.map(|settled| settled.unwrap_or_else(&mut next)).collect())
    }
}

/// Writes the documents that the design documents accept, each with its change to an account. Returns the outcome of each.
async fn checked(
    call: &Call,
    database: &Database,
    edits: impl ExactSizeIterator<Item = (Edit, Option<UserChange>)>,
) -> Result<Vec<Result<EditOutcome>>> {
    let check = EditCheck::begin(&call.server.designs, &call.server.config, database).await?;
    let mut refusals = Vec::with_capacity(edits.len());
    let (mut allowed, mut changes) = (Vec::with_capacity(edits.len()), Vec::new());
    for (edit, change) in edits {
        let refusal = check.refusal(&edit).await;
        if refusal.is_none() {
            allowed.push(edit);
            changes.push(change);
        }
        refusals.push(refusal);
    }
    let engine = &call.server.engine;
    let written = users::edit(engine, database, allowed, changes, call.is_journaled()).await?;
    let mut written = written.into_iter();
    let outcome = |refusal: Option<CouchError>| match refusal {
        Some(refusal) => Err(refusal),
        None => Ok(written.next().unwrap_or(EditOutcome::Conflict)),
    };
    Ok(refusals.into_iter().map(outcome).collect())
}

/// What became of each; of revisions that another store made, only what failed is told.
fn tell(
    documents: &[Incoming],
    given: bool,
    names: &[String],
    outcomes: Vec<Result<EditOutcome>>,
    text: &mut String,
) {
    text.reserve(outcomes.len() * 96);
    for ((document, name), outcome) in documents.iter().zip(names).zip(outcomes) {
        let error = match outcome {
            Ok(EditOutcome::Written(_)) if given => continue,
            Ok(EditOutcome::Written(revision)) => {
                separate(text);
                text.push_str(r#"{"ok":true,"id":"#);
                write_string(name, text);
                // Writing to a String cannot fail.
                let _ = write!(text, r#","rev":"{revision}"}}"#);
                continue;
            }
            Ok(EditOutcome::Conflict) => CouchError::conflict(),
            Ok(EditOutcome::Refused(error)) => error.into(),
            Err(refusal) => refusal,
        };
        separate(text);
        text.push_str(r#"{"id":"#);
        write_string(name, text);
        if let Some(revision) = document.revision.as_ref().filter(|_| given) {
            let _ = write!(text, r#","rev":"{revision}""#);
        }
        text.push_str(r#","error":"#);
        write_string(&error.error, text);
        text.push_str(r#","reason":"#);
        write_string(&error.reason, text);
        text.push('}');
    }
}

/// Parts an entry from the one before, which may be sent already.
fn separate(text: &mut String) {
    text.push_str(if text.ends_with('[') { "" } else { "," });
}

/// What is told of each document where all were to be written or none.
fn no_transaction(documents: &[Incoming], text: &mut String) {
    for document in documents {
        separate(text);
        text.push_str(r#"{"id":"#);
        write_string(document.id.as_deref().unwrap_or_default(), text);
        text.push_str(r#","error":"not_implemented","reason":"all_or_nothing is not supported"}"#);
    }
}
