//! `dbStats`.

use super::coll_stats::scale;
use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use value::doc;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let scale_factor = scale(&arguments)?;
    let scale = scale_factor as f64;
    let with_free_storage = arguments.flag("freeStorage")?.unwrap_or(false);
    arguments.any(call.called);
    arguments.finish()?;
    let report = call.server.engine.database_report(&call.database).await?;
    let average = if report.documents == 0 {
        0.0
    } else {
        report.data_bytes as f64 / report.documents as f64
    };
    let server = call.server.engine.server_report();
    let mut reply = doc! {
        "db": &call.database,
        "collections": report.collections as i64,
        "views": report.views as i64,
        "objects": report.documents as i64,
        "avgObjSize": average,
        "dataSize": report.data_bytes as f64 / scale,
        "storageSize": report.storage_bytes as f64 / scale,
        "indexes": report.indexes as i64,
        "indexSize": report.index_bytes as f64 / scale,
        "totalSize": (report.storage_bytes + report.index_bytes) as f64 / scale,
        "scaleFactor": scale_factor as i64,
        "fsUsedSize": server.volume_used_bytes as f64 / scale,
        "fsTotalSize": server.volume_bytes as f64 / scale,
    };
    if with_free_storage {
        // Files have no room that is kept for later documents.
        for name in ["freeStorageSize", "indexFreeStorageSize", "totalFreeStorageSize"] {
            reply.push(name, 0.0);
        }
    }
    Ok(reply.into())
}
