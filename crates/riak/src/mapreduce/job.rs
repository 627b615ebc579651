//! What a client asks: inputs, phases, a time limit.

use super::inputs::Inputs;
use super::phase::{Phase, read_phases};
use crate::error::{Result, RiakError};
use crate::loose_json;
use serde_json::Value;

/// How long a job takes that says nothing of it, in milliseconds (Riak's default).
const TIMEOUT_MS_DEFAULT: u32 = 60_000;

/// A job, parsed.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) inputs: Inputs,
    pub(crate) phases: Vec<Phase>,
    pub(crate) timeout_ms: u32,
}

impl Job {
    /// Reads `{"inputs": …, "query": …, "timeout": …}`.
    pub(crate) fn read(body: &[u8]) -> Result<Job> {
        let invalid = |error| {
            RiakError::bad(format!(
                "The POST body was not valid JSON.\nThe error from the parser was:\n{error}\n"
            ))
        };
        let body = loose_json::read(body).map_err(invalid)?;
        let not_an_object = || RiakError::bad("The POST body was not a JSON object.\n");
        let body = body.as_object().ok_or_else(not_an_object)?;
        let (Some(inputs), Some(query)) = (body.get("inputs"), body.get("query")) else {
            return Err(RiakError::bad(
                "The post body was missing the \"inputs\" or \"query\" field.\n",
            ));
        };
        let of_field = |field: &str, error: RiakError| {
            let message = format!(
                "An error occurred parsing the \"{field}\" field.\n{}",
                error.message
            );
            RiakError::new(error.status, message)
        };
        let timeout = body.get("timeout").and_then(Value::as_f64);
        Ok(Job {
            inputs: Inputs::read(inputs).map_err(|error| of_field("inputs", error))?,
            phases: read_phases(query).map_err(|error| of_field("query", error))?,
            // As in Riak, what is no positive number is none.
            timeout_ms: timeout
                .filter(|&ms| ms >= 1.0)
                .map_or(TIMEOUT_MS_DEFAULT, |ms| ms as u32),
        })
    }

    /// How many phases keep their results: with more than one, each has a list of its own in the answer.
    pub(crate) fn keeps(&self) -> usize {
        self.phases.iter().filter(|phase| phase.keeps).count()
    }
}
