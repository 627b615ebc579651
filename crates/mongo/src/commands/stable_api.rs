//! What the stable API does not have of the commands that it has: with `apiStrict: true` such fields are refused, whatever their
//! value.

use super::Command;
use crate::arguments::Arguments;
use crate::error::{CommandError, Result};
use crate::wire::Request;
use code::Code;
use value::{Document, DocumentBuf, DocumentRef, Value, ValueRef};

/// The fields of commands.
const FIELDS: [(&str, &[&str]); 14] = [
    (
        "find",
        &[
            "min",
            "max",
            "returnKey",
            "showRecordId",
            "tailable",
            "oplogReplay",
            "noCursorTimeout",
            "awaitData",
            "term",
            "runtimeConstants",
            "collectionUUID",
            "readOnce",
            "allowSpeculativeMajorityRead",
            "mirrored",
            "includeQueryStatsMetrics",
        ],
    ),
    (
        "aggregate",
        &[
            "needsMerge",
            "fromMongos",
            "collectionUUID",
            "runtimeConstants",
            "isMapReduceCommand",
        ],
    ),
    ("insert", &["bypassEmptyTsReplacement", "collectionUUID"]),
    (
        "update",
        &["bypassEmptyTsReplacement", "collectionUUID", "runtimeConstants"],
    ),
    (
        "delete",
        &["bypassEmptyTsReplacement", "collectionUUID", "runtimeConstants"],
    ),
    ("findAndModify", &["bypassEmptyTsReplacement", "runtimeConstants"]),
    ("getMore", &["term", "lastKnownCommittedOpTime"]),
    (
        "create",
        &[
            "autoIndexId",
            "size",
            "max",
            "storageEngine",
            "indexOptionDefaults",
            "recordPreImages",
            "changeStreamPreAndPostImages",
            "temp",
            "flags",
        ],
    ),
    (
        "collMod",
        &["changeStreamPreAndPostImages", "dryRun", "collectionUUID"],
    ),
    ("createIndexes", &["ignoreUnknownIndexOptions", "collectionUUID"]),
    ("listIndexes", &["includeBuildUUIDs", "includeIndexBuildInfo"]),
    ("listCollections", &["includePendingDrops"]),
    ("drop", &["collectionUUID"]),
    ("dropIndexes", &["collectionUUID"]),
];

/// The fields of the documents that a command has under a name: of a list, or of one.
const INNER_FIELDS: [(&str, &str, &[&str]); 3] = [
    ("update", "updates", &["sort"]),
    (
        "createIndexes",
        INDEXES,
        &[
            "background",
            "sparse",
            "storageEngine",
            "bucketSize",
            "dropDups",
            "prepareUnique",
        ],
    ),
    ("collMod", "index", &["unique", "prepareUnique"]),
];
const INDEXES: &str = "indexes";

/// Refuses what a request has and the stable API has not; of `explain`, what the command that it explains has.
pub(crate) fn check(command: &Command, request: &Request) -> Result<()> {
    let body = request.body.as_raw();
    if command.name == "explain" {
        return match body.get("explain") {
            Some(ValueRef::Document(inner)) => check_explained(inner),
            _ => Ok(()),
        };
    }
    let fields = FIELDS.iter().filter(|(name, _)| *name == command.name);
    let mut fields = fields.flat_map(|(_, fields)| *fields);
    if let Some(field) = fields.find(|field| body.get(field).is_some()) {
        return Err(refused(&format!("{}.{field}", command.name)));
    }
    let inner = INNER_FIELDS.iter().filter(|(name, ..)| *name == command.name);
    for (_, name, fields) in inner {
        for document in documents(command, request, name)? {
            check_inner(command, name, document.as_ref(), fields)?;
        }
    }
    Ok(())
}

fn check_explained(inner: DocumentRef<'_>) -> Result<()> {
    let name = inner.iter().next().map_or("", |(name, _)| name);
    let Some((command, _)) = super::find(name).filter(|(command, _)| command.name != "explain") else {
        return Ok(());
    };
    let request = Request {
        body: inner.to_buf(),
        sequences: Vec::new(),
    };
    check(command, &request)
}

/// The documents under a name, from the body or from beside it. What is none of these is refused by the command itself.
fn documents(command: &Command, request: &Request, name: &'static str) -> Result<Vec<DocumentBuf>> {
    match request.body.as_raw().get(name) {
        Some(ValueRef::Document(one)) => Ok(vec![one.to_buf()]),
        _ => {
            let documents = Arguments::new(command.name, request).documents(name)?;
            Ok(documents.unwrap_or_default())
        }
    }
}

fn check_inner(command: &Command, name: &str, document: DocumentRef<'_>, fields: &[&str]) -> Result<()> {
    let path = format!("{}.{name}", command.name);
    if let Some(field) = fields.iter().find(|field| document.get(field).is_some()) {
        return Err(refused(&format!("{path}.{field}")));
    }
    let key = match (name, document.get("key")) {
        (INDEXES, Some(ValueRef::Document(key))) => key,
        _ => return Ok(()),
    };
    match key
        .iter()
        .any(|(_, kind)| matches!(kind, ValueRef::String("text")))
    {
        true => Err(CommandError::new(
            Code::API_STRICT_ERROR,
            "text indexes are not in API Version 1, and so not allowed with apiStrict:true",
        )),
        false => Ok(()),
    }
}

/// Whether an index is one that the stable API has.
pub(super) fn has_index(spec: &Document) -> bool {
    let is_text = |kind: &Value| matches!(kind, Value::String(kind) if kind == "text");
    let mut kinds = spec
        .get("key")
        .and_then(Value::as_document)
        .into_iter()
        .flat_map(Document::iter);
    !kinds.any(|(_, kind)| is_text(kind)) && spec.get("sparse") != Some(&Value::Bool(true))
}

fn refused(path: &str) -> CommandError {
    CommandError::new(
        Code::API_STRICT_ERROR,
        format!("BSON field '{path}' is not allowed with apiStrict:true"),
    )
}
