//! Which path and method is answered by what.

use crate::call::{Call, file_name};
use crate::error::{Result, WebError};
use crate::{api, backups, files, health, metrics, page, uploads};
use http::Response;

pub(crate) async fn run(call: &mut Call) -> Result<Response> {
    let path = call.request.path().to_owned();
    let parts: Vec<&str> = path.trim_start_matches('/').splitn(3, '/').collect();
    match &parts[..] {
        [""] => {
            call.only_reads()?;
            page::index(call)
        }
        ["page", version, path] => {
            call.only_reads()?;
            page::file(call, &format!("{version}/{path}"))
        }
        ["api", "session"] => api::session(call).await,
        ["api", "status"] => api::status(call).await,
        ["api", "collections"] => api::collections(call).await,
        ["api", "command", database] => api::command(call, database).await,
        ["api", "export", collection] => api::export(call, collection).await,
        ["api", "tail"] => api::tail(call).await,
        ["api", "couch", path] => api::couch(call, path).await,
        ["api", "elastic", path] => api::elastic(call, path).await,
        ["files", bucket] | ["files", bucket, ""] if !bucket.is_empty() => in_bucket(call, bucket).await,
        ["files", bucket, name] if !bucket.is_empty() => {
            let name = file_name(name)?;
            by_name(call, bucket, &name).await
        }
        ["uploads", bucket] | ["uploads", bucket, ""] if !bucket.is_empty() => {
            uploads::in_bucket(call, bucket).await
        }
        ["uploads", bucket, id] if !bucket.is_empty() => uploads::one(call, bucket, id).await,
        ["backups"] => backups::all(call).await,
        ["backups", id] => backups::one(call, id).await,
        ["health"] => {
            call.only_reads()?;
            health::get(call).await
        }
        ["metrics"] => {
            call.only_reads()?;
            metrics::get(call).await
        }
        ["metrics.css"] => {
            call.only_reads()?;
            Ok(metrics::stylesheet())
        }
        _ => Err(WebError::not_found(
            "there is nothing at this path; there are /, /api, /files/BUCKET, /files/BUCKET/NAME, /uploads/BUCKET, /backups, /health and /metrics",
        )),
    }
}

/// One bucket, or one file of it by its id.
async fn in_bucket(call: &mut Call, bucket: &str) -> Result<Response> {
    let id = call.parameter("id")?;
    match (call.request.method.as_str(), id) {
        ("GET" | "HEAD", None) => files::list(call, bucket).await,
        ("GET" | "HEAD", Some(id)) => files::get_id(call, bucket, &id).await,
        ("POST", None) => files::post(call, bucket).await,
        ("DELETE", Some(id)) => files::delete_id(call, bucket, &id).await,
        (_, None) => Err(WebError::not_allowed("GET, HEAD, POST")),
        (_, Some(_)) => Err(WebError::not_allowed("GET, HEAD, DELETE")),
    }
}

async fn by_name(call: &mut Call, bucket: &str, name: &str) -> Result<Response> {
    match call.request.method.as_str() {
        "GET" | "HEAD" => files::get_name(call, bucket, name).await,
        "PUT" => files::put(call, bucket, name).await,
        "DELETE" => files::delete_name(call, bucket, name).await,
        _ => Err(WebError::not_allowed("GET, HEAD, PUT, DELETE")),
    }
}
