//! Sizes as text, in the unit that is asked for.

use super::table;
use crate::parameters::Parameters;
use indices::error::{ElasticError, Result};

/// The unit of sizes; the one that fits best where none is named.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit(Option<u64>);

impl Unit {
    pub(crate) fn take(parameters: &mut Parameters) -> Result<Unit> {
        let Some(name) = parameters.take("bytes") else {
            return Ok(Unit(None));
        };
        let units = ["b", "k", "m", "g", "t", "p"];
        let at = units
            .iter()
            .position(|unit| *unit == name || (*unit != "b" && format!("{unit}b") == name));
        match at {
            Some(at) => Ok(Unit(Some(1 << (10 * at)))),
            None => Err(ElasticError::illegal(format!(
                "failed to parse setting [bytes] with value [{name}] as a unit of sizes"
            ))),
        }
    }

    pub(crate) fn of(self, bytes: u64) -> String {
        match self.0 {
            None => table::bytes(bytes),
            Some(unit) => (bytes / unit).to_string(),
        }
    }
}
