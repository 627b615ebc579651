//! Whether the server is well: for load balancers and Nagios' check_http.

use crate::call::Call;
use crate::error::{Result, WebError};
use crate::respond;
use http::{Response, StatusCode};
use serde_json::{Value, json};

/// 200 while documents can be read and written, though some may be damaged; 503 once a flush has failed, and
/// while the disk is nearly full.
pub(crate) async fn get(call: &Call) -> Result<Response> {
    let engine = &call.server.engine;
    let writable = match engine.flush().await {
        Ok(()) => engine.check_disk(),
        failed => failed,
    };
    match writable {
        Ok(()) => Ok(respond::json(StatusCode::OK, &state(call))),
        Err(error) => Err(WebError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "not_writable",
            error.message,
        )),
    }
}

/// Which collections are damaged is in the log and in `serverStatus`: whoever asks here need not log in. Files that cannot be merged are
/// named, since reads become slower until something is done.
fn state(call: &Call) -> Value {
    let report = call.server.engine.scrub_report();
    match (report.findings_count, report.in_merges.is_empty()) {
        (0, _) => json!({"status": "ok"}),
        (findings, true) => json!({"status": "damaged", "findings": findings}),
        (findings, false) => {
            json!({"status": "damaged", "findings": findings, "merges": report.in_merges})
        }
    }
}
