//! Map/reduce: a message for each phase that has something to keep, then one that says it is done.

use super::connection::Connection;
use super::frame::code;
use super::messages::{MapRedReq, MapRedResp};
use crate::error::{Result, RiakError};
use crate::mapreduce::{Failure, Job, Run};
use serde_json::Value;

pub(crate) async fn run(connection: &mut Connection, request: MapRedReq) -> Result<()> {
    if request.content_type != b"application/json" {
        return Err(RiakError::unsupported(format_args!(
            "map/reduce of the content type {} (in place of application/json)",
            String::from_utf8_lossy(&request.content_type)
        )));
    }
    let _room = connection.server.room_to_decode(&request.request)?;
    let job = Job::read(&request.request)?;
    let access = connection.granted()?.clone();
    let mut run = Run::start(connection.server.clone(), access, job)
        .await
        .map_err(told)?;
    while let Some(kept) = run.next().await.map_err(told)? {
        for (phase, values) in kept {
            let message = MapRedResp {
                phase: Some(phase as u32),
                response: Some(Value::Array(values).to_string().into_bytes()),
                done: None,
            };
            connection.send(code::MAP_RED_RESP, &message).await?;
        }
    }
    let done = MapRedResp {
        done: Some(true),
        ..MapRedResp::default()
    };
    connection.put(code::MAP_RED_RESP, &done);
    Ok(())
}

fn told(failure: Failure) -> RiakError {
    match failure {
        // The message alone, where HTTP answers with an object.
        Failure::Timeout => RiakError::bad("timeout"),
        failure => match failure.told() {
            Ok(told) => RiakError::bad(told.to_string()),
            Err(error) => error,
        },
    }
}
