//! `_list`: the rows of a view as something else (`src/couch_mrview/src/couch_mrview_show.erl`).
//!
//! The rows are those that the view itself answers with, a line each, read only as fast as the function takes them and its answer
//! is taken.

use super::answer::Answer;
use crate::call::Call;
use crate::endpoints::{all_docs, view};
use crate::limits::CHUNK_BYTES;
use crate::operation::Reader;
use crate::script_request::{self, BodySeen};
use ::view::{List, ListStep, Sent};
use access::error::{CouchError, Result};
use bytes::BytesMut;
use http::{Body, BodySender, Method, RequestBody, Response, StatusCode, header};
use serde_json::Value as Json;

/// The rows that a function is given at once.
const BATCH_ROWS: usize = 64;

/// What ends a line of a view's answer.
const LINE_END: &[u8] = b"\r\n";

/// `/{db}/_design/{design}/_list/{name}/{view}`, the view being in another design document where one stands before it.
pub(crate) async fn run(call: &mut Call, design: &str, rest: &[&str]) -> Result<Response> {
    let is_read = [Method::GET, Method::HEAD, Method::OPTIONS].contains(&call.method);
    if !is_read && call.method != Method::POST {
        return Err(CouchError::method_not_allowed("GET,POST,HEAD"));
    }
    let (name, of_view, view) = match rest {
        [name, view] => (*name, design, *view),
        [name, other, view] => (*name, *other, *view),
        _ => {
            return Err(CouchError::new(
                StatusCode::NOT_FOUND,
                "list_error",
                "Invalid path.",
            ));
        }
    };
    let database = call.database()?;
    let design = call.server.designs.named(&database, design).await?;
    design.require("lists", name)?;
    let body = match is_read {
        true => BodySeen::Bytes(call.bytes().await?),
        false => posted(call).await?,
    };
    let request = script_request::object(call, &database, None, body).await?;
    if is_read {
        call.method = Method::GET;
    }
    // What a client has is not the view's answer.
    call.headers.remove(header::IF_NONE_MATCH);
    let rows = match view {
        "_all_docs" => all_docs::run(call, "").await?,
        view => view::run(call, of_view, view).await?,
    };
    let mut rows = Rows::new(rows);
    let head = rows.head().await?;
    let list = design.functions()?.list(name, &head, &request).await?;
    begin(call, list, rows).await
}

/// Reads the body, which the view reads as well.
async fn posted(call: &mut Call) -> Result<BodySeen> {
    call.check_is_json()?;
    let bytes = call.bytes().await?;
    let json = serde_json::from_slice(&bytes);
    let json: Json = json.map_err(|_| CouchError::bad_request("invalid UTF-8 JSON"))?;
    call.headers.remove(header::CONTENT_ENCODING);
    call.body = RequestBody::from(Body::from(bytes));
    Ok(BodySeen::Json(json))
}

/// Answers once the function has sent something, or has come to its end.
async fn begin(call: &Call, mut list: List, mut rows: Rows) -> Result<Response> {
    let config = &call.server.config;
    let mut head = None;
    let (text, is_over) = loop {
        let (sent, is_over) = match list.step().await {
            ListStep::Failed(error) => return Err(error.into()),
            ListStep::End(sent) => (sent, true),
            ListStep::Sent(sent) => (sent, false),
            ListStep::Rows(sent) => {
                list.give(rows.batch().await?);
                (sent, false)
            }
        };
        head = sent.head.or(head);
        if is_over || !sent.text.is_empty() {
            break (sent.text, is_over);
        }
    };
    let head: Json = serde_json::from_str(head.as_deref().unwrap_or("{}")).unwrap_or_default();
    let answer = Answer::read(&head, StatusCode::OK)?;
    if is_over {
        return Ok(answer.with_body(Body::from(text), config));
    }
    let (sender, body) = Body::channel(None);
    let response = answer.with_body(body, config);
    let operation = call.operation.clone();
    tokio::spawn(async move {
        let reader = Reader::of(sender.clone());
        let listed = go_on(text, list, rows, &sender);
        if let Err(error) = operation.run_for(reader, listed).await {
            // As CouchDB ends an answer that has begun.
            let told = format!(
                "\n{}\n",
                serde_json::json!({"error": error.error, "reason": error.reason})
            );
            sender.send(told).await;
        }
    });
    Ok(response)
}

async fn go_on(text: String, mut list: List, mut rows: Rows, sender: &BodySender) -> Result<()> {
    let mut is_taken = sender.send(text).await;
    while is_taken {
        let Sent { text, .. } = match list.step().await {
            ListStep::Failed(error) => return Err(error.into()),
            ListStep::End(sent) => {
                sender.send(sent.text).await;
                return Ok(());
            }
            ListStep::Sent(sent) => sent,
            ListStep::Rows(sent) => {
                list.give(rows.batch().await?);
                sent
            }
        };
        is_taken = sender.send(text).await && sender.room().await;
    }
    Ok(())
}

/// The answer of a view, line by line: its head, its rows, its end.
#[derive(Debug)]
struct Rows {
    body: RequestBody,
    read: BytesMut,
    is_over: bool,
}

impl Rows {
    fn new(answer: Response) -> Rows {
        Rows {
            body: RequestBody::from(answer.into_body()),
            read: BytesMut::new(),
            is_over: false,
        }
    }

    /// What stands before the rows, as a JSON object.
    async fn head(&mut self) -> Result<String> {
        let line = self.line().await?.unwrap_or_default();
        let members = line.strip_suffix(r#""rows":["#).unwrap_or("{");
        Ok(format!("{}}}", members.trim_end_matches(',')))
    }

    /// The next rows; none at the end.
    async fn batch(&mut self) -> Result<Vec<String>> {
        let (mut rows, mut bytes) = (Vec::new(), 0);
        while !self.is_over && rows.len() < BATCH_ROWS && bytes < CHUNK_BYTES {
            match self.line().await?.as_deref() {
                None | Some("]}") => self.is_over = true,
                // Between the head and the end of an answer without rows.
                Some("") => {}
                Some(row) => {
                    bytes += row.len();
                    rows.push(row.strip_suffix(',').unwrap_or(row).to_owned());
                }
            }
        }
        Ok(rows)
    }

    /// The next line. JSON text has no line ends of its own.
    async fn line(&mut self) -> Result<Option<String>> {
        let mut searched = 0;
        loop {
            let from = searched.min(self.read.len());
            let found = self.read[from..]
                .windows(LINE_END.len())
                .position(|bytes| bytes == LINE_END);
            if let Some(at) = found {
                let line = self.read.split_to(from + at + LINE_END.len());
                let line = &line[..line.len() - LINE_END.len()];
                return Ok(Some(String::from_utf8_lossy(line).into_owned()));
            }
            searched = self.read.len().saturating_sub(1);
            match self.body.chunk().await? {
                Some(chunk) => self.read.extend_from_slice(&chunk),
                None if self.read.is_empty() => return Ok(None),
                None => {
                    let line = self.read.split();
                    return Ok(Some(String::from_utf8_lossy(&line).trim_end().to_owned()));
                }
            }
        }
    }
}
