//! Documents by their ids.

use crate::error::{ElasticError, Result, kinds};
use crate::limits::ID_BYTES_MAX;
use crate::routing::{self, ROUTING};
use engine::{Record, RevisionedSnapshot};
use http::StatusCode;
use indexing::{id_text, sequence_number};
use json::Reader;
use serde_json::{Map, Value as Json, json};
use value::raw::DocumentWriter;
use value::{DocumentBuf, ObjectId, Value};

/// What a text means besides a string: an ObjectId, or another value as relaxed Extended JSON.
fn other_meaning(text: &str) -> Option<Value> {
    if text.len() == 24
        && let Ok(id) = text.parse::<ObjectId>()
    {
        return Some(Value::ObjectId(id));
    }
    let first = *text.as_bytes().first()?;
    let may_be = first.is_ascii_digit() || matches!(first, b'-' | b'{' | b't' | b'f' | b'n');
    let value = may_be.then(|| Reader::whole(text.as_bytes()).ok()).flatten()?;
    (id_text(value.as_ref()) == text).then_some(value)
}

/// The document that a text names, and its `_id`: the string first, and else what the text means besides.
pub async fn find(snapshot: &RevisionedSnapshot, text: &str) -> Result<(Value, Option<Record>)> {
    let string = Value::from(text);
    if let Some(record) = snapshot.document(string.as_ref()).await? {
        return Ok((string, Some(record)));
    }
    if let Some(other) = other_meaning(text)
        && let Some(record) = snapshot.document(other.as_ref()).await?
    {
        return Ok((other, Some(record)));
    }
    Ok((string, None))
}

/// Refuses an id that no document can have.
pub fn check_id(id: &str) -> Result<()> {
    if id.len() > ID_BYTES_MAX {
        return Err(ElasticError::validation(&[format!(
            "id [{id}] is too long, must be no longer than {ID_BYTES_MAX} bytes but was: {}",
            id.len()
        )]));
    }
    match id.is_empty() {
        true => Err(ElasticError::illegal("if _id is specified it must not be empty")),
        false => Ok(()),
    }
}

/// What is told of a document besides its source.
pub fn head(index: &str, id: &str, record: &Record) -> Map<String, Json> {
    let mut head = Map::new();
    head.insert("_index".to_owned(), json!(index));
    head.insert("_type".to_owned(), json!("_doc"));
    head.insert("_id".to_owned(), json!(id));
    head.insert("_version".to_owned(), json!(record.generation()));
    head.insert("_seq_no".to_owned(), json!(sequence_number(record)));
    head.insert("_primary_term".to_owned(), json!(1));
    put_routing(&mut head, &record.document);
    head
}

/// Tells the routing of a document that has one.
pub fn put_routing(told: &mut Map<String, Json>, document: &DocumentBuf) {
    if let Some(routing) = routing::kept(document) {
        told.insert(ROUTING.to_owned(), json!(routing));
    }
}

/// A document that is there, as a client would send it.
pub fn without_id(document: &DocumentBuf) -> DocumentBuf {
    let mut bytes = Vec::with_capacity(document.bytes().len());
    let mut writer = DocumentWriter::new(&mut bytes);
    writer.put_named(document.as_raw(), &["_id".to_owned(), ROUTING.to_owned()], false);
    writer.finish();
    DocumentBuf::from_validated(bytes.into())
}

/// A document as a client sends it, without `_id`.
pub fn document_of(bytes: &[u8]) -> Result<DocumentBuf> {
    let failed = |reason: String| ElasticError::new(StatusCode::BAD_REQUEST, kinds::MAPPING, reason);
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(ElasticError::new(
            StatusCode::BAD_REQUEST,
            "parse_exception",
            "request body is required",
        ));
    }
    let read = Reader::exact_document_buf(bytes)
        .map_err(|error| failed("failed to parse".to_owned()).because(ElasticError::from(error)))?;
    let Some(document) = read else {
        let cause = ElasticError::new(
            StatusCode::BAD_REQUEST,
            "not_x_content_exception",
            "the document is no JSON object",
        );
        return Err(failed("failed to parse".to_owned()).because(cause));
    };
    check_names(
        ["_id", ROUTING]
            .into_iter()
            .filter(|name| document.as_raw().get(name).is_some()),
    )?;
    Ok(document)
}

/// The same of a document that is kept as it is, which has none of the names of what is told of documents.
pub fn source_of(bytes: &[u8]) -> Result<DocumentBuf> {
    let document = document_of(bytes)?;
    check_names(document.as_ref().iter().map(|(name, _)| name))?;
    Ok(document)
}

/// Refuses members that have the names of what is told of documents.
pub fn check_names<'n>(names: impl Iterator<Item = &'n str>) -> Result<()> {
    match search::names::metadata(names) {
        None => Ok(()),
        Some(name) => Err(ElasticError::new(
            StatusCode::BAD_REQUEST,
            kinds::MAPPING,
            format!(
                "Field [{name}] is a metadata field and cannot be added inside a document. Use the index API request parameters."
            ),
        )),
    }
}
