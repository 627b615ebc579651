//! A collection as a file.

use super::command::is_ok;
use crate::call::{Call, decoded};
use crate::error::{Result, WebError};
use crate::mounts::Commands;
use auth::User;
use code::Code;
use engine::{Error, Namespace};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{Body, BodySender, HeaderValue, Response, StatusCode};
use std::net::SocketAddr;
use std::sync::Arc;
use value::json::{Mode, parse_document, to_string};
use value::{Document, DocumentBuf, DocumentRef, Value, ValueRef, doc};

/// The form of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// A document a line, in relaxed Extended JSON.
    Ndjson,
    /// A line of names, then a line a document.
    Csv,
}

/// `GET /api/export/DB.COLLECTION`: `format` is `ndjson` or `csv`; `filter`, `sort` and `fields` (names, separated by commas;
/// by default those of the first documents) say what. An export that fails is cut off.
pub(crate) async fn export(call: &Call, collection: &str) -> Result<Response> {
    call.only_reads()?;
    let collection = decoded(collection)?;
    let (database, name) = collection
        .split_once('.')
        .ok_or_else(|| WebError::bad_request("name the collection in full: DB.COLLECTION"))?;
    let format = Format::wanted(call)?;
    let fields = call.parameter("fields")?;
    let fields: Option<Vec<String>> =
        fields.map(|fields| fields.split(',').map(|field| field.trim().to_owned()).collect());
    let find = find(call, name, fields.as_deref())?;
    let user = call.user().await?;
    let first = call.run(user.clone(), database.to_owned(), find).await?;
    if !is_ok(&first) {
        return Err(refusal(&first));
    }
    let commands = call.server.mounts.commands.clone();
    let commands = commands.ok_or_else(|| WebError::not_found("this server runs no commands"))?;
    let export = Export {
        commands,
        user,
        peer: call.request.peer,
        namespace: Namespace::new(database, name),
        format,
        fields: fields.unwrap_or_default(),
    };
    let (sender, body) = Body::channel(None);
    tokio::spawn(export.send(first, sender));
    let mut response = Response::new(body);
    let (kind, ending) = match format {
        Format::Ndjson => ("application/x-ndjson", "ndjson"),
        Format::Csv => ("text/csv; charset=utf-8", "csv"),
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    if let Some(named) = attachment(&collection, ending) {
        headers.insert(CONTENT_DISPOSITION, named);
    }
    Ok(response)
}

impl Format {
    /// The one that the request asks for.
    fn wanted(call: &Call) -> Result<Format> {
        match call.parameter("format")?.as_deref() {
            None | Some("ndjson") => Ok(Format::Ndjson),
            Some("csv") => Ok(Format::Csv),
            Some(other) => Err(WebError::bad_request(format!(
                "format={other}: give ndjson or csv"
            ))),
        }
    }
}

/// The command that finds what is exported.
fn find(call: &Call, collection: &str, fields: Option<&[String]>) -> Result<Document> {
    let mut find = doc! {"find": collection, "batchSize": 1000};
    for member in ["filter", "sort"] {
        if let Some(text) = call.parameter(member)? {
            let document = parse_document(&text);
            let invalid = |error| WebError::bad_request(format!("{member}: {error}"));
            find.push(member, document.map_err(invalid)?);
        }
    }
    if let Some(fields) = fields {
        let fields = fields.iter().map(|field| (field.clone(), Value::Int32(1)));
        find.push("projection", fields.collect::<Document>());
    }
    Ok(find)
}

/// The name under which a browser keeps the file.
fn attachment(collection: &str, ending: &str) -> Option<HeaderValue> {
    let plain = |character: char| character.is_ascii_alphanumeric() || ".-_".contains(character);
    let file: String = collection
        .chars()
        .map(|c| if plain(c) { c } else { '_' })
        .collect();
    HeaderValue::from_str(&format!("attachment; filename=\"{file}.{ending}\"")).ok()
}

/// Why the collection cannot be read.
fn refusal(reply: &DocumentBuf) -> WebError {
    let code = match reply.as_raw().get("code") {
        Some(ValueRef::Int32(number)) => Code::from_number(number),
        _ => Code::UNKNOWN_ERROR,
    };
    let reason = match reply.as_raw().get("errmsg") {
        Some(ValueRef::String(reason)) => reason.to_owned(),
        _ => "the collection cannot be read".to_owned(),
    };
    let (status, word) = match code {
        Code::UNAUTHORIZED => (StatusCode::FORBIDDEN, "forbidden"),
        code => match WebError::from(Error::new(code, "")) {
            known if known.status == StatusCode::SERVICE_UNAVAILABLE => (known.status, known.error),
            // An error is the client's, unless its code says that it is the server's.
            _ => (StatusCode::BAD_REQUEST, "refused"),
        },
    };
    WebError::new(status, word, reason)
}

struct Export {
    commands: Arc<dyn Commands>,
    user: Option<Arc<User>>,
    peer: SocketAddr,
    namespace: Namespace,
    format: Format,
    fields: Vec<String>,
}

impl Export {
    /// Sends batch after batch, as fast as the client takes them.
    async fn send(mut self, mut reply: DocumentBuf, sender: BodySender) {
        loop {
            if !is_ok(&reply) {
                sender.give_up().await;
                return;
            }
            let (text, cursor) = self.batch(&reply);
            let goes_on = sender.send(text).await;
            if cursor == 0 {
                return;
            }
            let command = match goes_on {
                true => doc! {"getMore": cursor, "collection": &self.namespace.collection},
                false => doc! {"killCursors": &self.namespace.collection, "cursors": value::array![cursor]},
            };
            let database = self.namespace.database.clone();
            reply = self
                .commands
                .run(self.user.clone(), self.peer, database, command)
                .await;
            if !goes_on {
                return;
            }
        }
    }

    /// The lines of a batch, and the cursor to go on with.
    fn batch(&mut self, reply: &DocumentBuf) -> (String, i64) {
        let cursor = reply.as_raw().get("cursor").and_then(ValueRef::as_document);
        let Some(cursor) = cursor else {
            return (String::new(), 0);
        };
        let (mut text, mut id) = (String::new(), 0);
        for (name, value) in cursor.iter() {
            match (name, value) {
                ("id", ValueRef::Int64(number)) => id = number,
                ("firstBatch" | "nextBatch", ValueRef::Array(documents)) => {
                    let documents: Vec<_> = documents.iter().filter_map(ValueRef::as_document).collect();
                    if name == "firstBatch" && self.format == Format::Csv {
                        self.head(&documents, &mut text);
                    }
                    documents
                        .iter()
                        .for_each(|document| self.line(*document, &mut text));
                }
                _ => {}
            }
        }
        (text, id)
    }

    /// The line of names.
    fn head(&mut self, documents: &[DocumentRef<'_>], text: &mut String) {
        if self.fields.is_empty() {
            for (name, _) in documents.iter().flat_map(|document| document.iter()) {
                if !self.fields.iter().any(|field| field == name) {
                    self.fields.push(name.to_owned());
                }
            }
        }
        let names: Vec<String> = self.fields.iter().map(|name| quoted(name)).collect();
        push_record(&names, text);
    }

    fn line(&self, document: DocumentRef<'_>, text: &mut String) {
        if self.format == Format::Ndjson {
            text.push_str(&to_string(document, Mode::Relaxed));
            text.push('\n');
            return;
        }
        let cell = |name: &String| field(document, name).map_or(String::new(), |value| quoted(&shown(value)));
        let cells: Vec<String> = self.fields.iter().map(cell).collect();
        push_record(&cells, text);
    }
}

/// The value at a path of names.
fn field<'d>(document: DocumentRef<'d>, path: &str) -> Option<ValueRef<'d>> {
    let whole = document.iter().find(|(name, _)| *name == path);
    if let Some((_, value)) = whole {
        return Some(value);
    }
    let (first, rest) = path.split_once('.')?;
    let (_, within) = document.iter().find(|(name, _)| *name == first)?;
    field(within.as_document()?, rest)
}

/// A value as a cell shows it: dates as ISO 8601, documents as JSON.
fn shown(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::String(text) => text.to_owned(),
        ValueRef::Null => String::new(),
        ValueRef::ObjectId(id) => id.to_string(),
        ValueRef::Decimal128(decimal) => decimal.to_string(),
        other => {
            let mut text = String::new();
            value::json::write(other, Mode::Relaxed, &mut text);
            let date = text
                .strip_prefix("{\"$date\":\"")
                .and_then(|date| date.strip_suffix("\"}"));
            date.map_or_else(|| text.clone(), str::to_owned)
        }
    }
}

/// Appends a line of cells. A single one that is empty stands in quotes: a line with nothing on it is no record to those who read it.
fn push_record(cells: &[String], text: &mut String) {
    match cells {
        [cell] if cell.is_empty() => text.push_str("\"\""),
        cells => text.push_str(&cells.join(",")),
    }
    text.push_str("\r\n");
}

/// A cell in quotes where it needs them (RFC 4180).
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\r', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
