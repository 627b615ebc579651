//! `validate`.

use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;
use value::{Document, Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let full = arguments.flag("full")?.unwrap_or(false);
    if full && arguments.flag("background")?.unwrap_or(false) {
        return Err(CommandError::invalid_options(
            "Running the validate command with both { background: true } and { full: true } is not supported.",
        ));
    }
    for name in ["repair", "fixMultikey"] {
        if arguments.flag(name)?.unwrap_or(false) {
            return Err(CommandError::new(
                Code::NOT_IMPLEMENTED,
                format!("validate with '{name}' is not supported yet"),
            ));
        }
    }
    for name in [
        "background",
        "metadata",
        "checkBSONConformance",
        "logDiagnostics",
        "scandata",
        "enforceFastCount",
    ] {
        arguments.flag(name)?;
    }
    arguments.finish()?;
    let engine = &call.server.engine;
    if engine
        .collection_entry(&namespace)
        .is_some_and(|entry| entry.is_view)
    {
        return Err(CommandError::new(
            Code::COMMAND_NOT_SUPPORTED_ON_VIEW,
            "Cannot validate a view",
        ));
    }
    let report = engine.validate(&namespace, full).await?;
    let (mut keys, mut details) = (Document::new(), Document::new());
    for (name, count) in &report.index_entries {
        keys.set(name, Value::Int64(*count as i64));
        details.set(name, doc! {"valid": report.is_valid()});
    }
    let valid = report.is_valid();
    Ok(doc! {
        "ns": namespace.to_string(),
        "nInvalidDocuments": 0_i64,
        "nNonCompliantDocuments": 0_i64,
        "nrecords": report.records as i64,
        "nIndexes": keys.len() as i32,
        "keysPerIndex": keys,
        "indexDetails": details,
        "valid": valid,
        "repaired": false,
        "readTimestamp": Value::Null,
        "warnings": Value::Array(Vec::new()),
        "errors": Value::from(report.findings),
        "extraIndexEntries": Value::Array(Vec::new()),
        "missingIndexEntries": Value::Array(Vec::new()),
        "corruptRecords": Value::Array(Vec::new()),
    }
    .into())
}
