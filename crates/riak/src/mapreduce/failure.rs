//! Why a job ended without a result.

use crate::error::RiakError;
use serde_json::{Value, json};

/// The bytes of an input that an error shows.
const SHOWN_BYTES: usize = 500;

/// Why a job has no result.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// A phase failed; what Riak tells of it, an object of JSON.
    Phase(Value),
    /// The time of the job is over.
    Timeout,
    /// Anything else.
    Other(RiakError),
}

impl Failure {
    /// The phase of this number failed.
    pub(crate) fn phase(phase: usize, error: &str, input: Option<&str>, stack: Option<&str>) -> Failure {
        Failure::Phase(json!({
            "phase": phase,
            "error": shortened(error),
            "input": input.map(shortened),
            "type": null,
            "stack": stack.map(shortened),
        }))
    }

    /// The JSON object that describes it; other errors are answered as those of any request.
    pub(crate) fn told(self) -> Result<Value, RiakError> {
        match self {
            Failure::Phase(told) => Ok(told),
            Failure::Timeout => Ok(json!({"error": "timeout"})),
            Failure::Other(error) => Err(error),
        }
    }
}

fn shortened(text: &str) -> String {
    let end = text.floor_char_boundary(SHOWN_BYTES);
    match end == text.len() {
        true => text.to_owned(),
        false => format!("{}…", &text[..end]),
    }
}

impl<E: Into<RiakError>> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::Other(error.into())
    }
}
