//! `collStats`.

use super::writes::number;
use crate::arguments::Arguments;
use crate::dispatch::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use value::{Document, Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let scale = scale(&arguments)?;
    arguments.flag("verbose")?;
    arguments.finish()?;
    let engine = &call.server.engine;
    if engine
        .collection_entry(&namespace)
        .is_some_and(|entry| entry.is_view)
    {
        return Err(CommandError::new(
            166,
            format!("Namespace {namespace} is a view, not a collection"),
        ));
    }
    let report = engine.collection_report(&namespace).await?;
    let index_bytes: u64 = report.indexes.iter().map(|(_, bytes)| bytes).sum();
    let sizes: Document = report
        .indexes
        .iter()
        .map(|(name, bytes)| (name.clone(), number(bytes / scale)))
        .collect();
    let mut reply = doc! {
        "ns": namespace.to_string(),
        "size": number(report.data_bytes / scale),
        "count": number(report.documents),
        "numOrphanDocs": 0,
        "storageSize": number(report.storage_bytes / scale),
        "totalIndexSize": number(index_bytes / scale),
        "totalSize": number((report.storage_bytes + index_bytes) / scale),
        "indexSizes": sizes,
        "nindexes": report.indexes.len() as i32,
        "indexBuilds": Value::Array(Vec::new()),
        "scaleFactor": number(scale),
        "capped": report.capped.is_some(),
        "sharded": false,
    };
    if let Some(average) = report.data_bytes.checked_div(report.documents) {
        reply.push("avgObjSize", number(average));
    }
    if let Some((size, max)) = report.capped {
        reply.push("max", max.map_or(Value::Int64(0), number));
        reply.push("maxSize", number(size / scale));
    }
    Ok(reply.into())
}

/// `scale`: sizes are divided by it.
pub(super) fn scale(arguments: &Arguments<'_>) -> Result<u64> {
    match arguments.integer("scale")? {
        None => Ok(1),
        Some(scale) => u64::try_from(scale)
            .ok()
            .filter(|scale| *scale > 0)
            .ok_or_else(|| {
                CommandError::bad_value(format!(
                    "BSON field 'scale' value must be >= 1, actual value '{scale}'"
                ))
            }),
    }
}
