//! Whether the server is well: for load balancers and Nagios' check_http.

use crate::call::Call;
use crate::error::{Result, WebError};
use crate::respond;
use http::{Response, StatusCode};
use serde_json::json;

/// 200 while documents can be read and written, 503 once a flush has failed.
pub(crate) async fn get(call: &Call) -> Result<Response> {
    match call.server.engine.flush().await {
        Ok(()) => Ok(respond::json(StatusCode::OK, &json!({"status": "ok"}))),
        Err(error) => Err(WebError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "not_writable",
            error.message,
        )),
    }
}
