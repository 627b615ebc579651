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

/// What is damaged is in the log and in `serverStatus`: whoever asks here need not log in.
fn state(call: &Call) -> Value {
    match call.server.engine.scrub_report().findings_count {
        0 => json!({"status": "ok"}),
        findings => json!({"status": "damaged", "findings": findings}),
    }
}
