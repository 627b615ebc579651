//! Document validators, which are compiled once for each collection and checked by every write. A validator that reads the clock is
//! compiled for each command, with the command's time.

use crate::catalog::collations::of_options;
use crate::error::{Error, Result};
use code::Code;
use language::expression::{Variables, reads_clock};
use language::filter::{Filter, FilterScope};
use parking_lot::Mutex;
use query::write::{ValidationAction, ValidationLevel, Validator};
use std::collections::HashMap;
use std::sync::Arc;
use store::{Collection, CollectionOptions};
use value::date::now_ms;
use value::{Document, Value};

/// Collections whose validators are kept compiled. Those of dropped ones are among them, so beyond that all are compiled anew.
const COMPILED_MAX: usize = 1_000;

/// Compiled validators by the collection's UUID.
#[derive(Debug, Default)]
pub(crate) struct Validators {
    compiled: Mutex<HashMap<[u8; 16], Compiled>>,
}

/// A validator with the options that it was compiled from, which are others once they have changed.
#[derive(Debug)]
struct Compiled {
    options: Arc<CollectionOptions>,
    validator: Option<Arc<Validator>>,
}

impl Validators {
    /// The validator of a collection, if it has one.
    pub(crate) fn of(&self, collection: &Collection) -> Result<Option<Arc<Validator>>> {
        let options = collection.options();
        let Some(source) = options.kept.get("validator") else {
            return Ok(None);
        };
        if let Some(known) = self.compiled.lock().get(&collection.uuid())
            && Arc::ptr_eq(&known.options, &options)
        {
            return Ok(known.validator.clone());
        }
        let validator = compile(&options.kept)?.map(Arc::new);
        if !reads_clock(source) {
            let compiled = Compiled {
                options: options.clone(),
                validator: validator.clone(),
            };
            self.keep(collection.uuid(), compiled);
        }
        Ok(validator)
    }

    fn keep(&self, collection: [u8; 16], compiled: Compiled) {
        let mut kept = self.compiled.lock();
        if kept.len() >= COMPILED_MAX {
            kept.clear();
        }
        kept.insert(collection, compiled);
    }
}

/// Refuses options whose validator cannot be compiled.
pub(crate) fn check(options: &Document) -> Result<()> {
    compile(options).map(drop)
}

fn compile(options: &Document) -> Result<Option<Validator>> {
    let Some(Value::Document(source)) = options.get("validator") else {
        return Ok(None);
    };
    let text = |name: &str| match options.get(name) {
        Some(Value::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let level = match text("validationLevel") {
        Some("off") => return Ok(None),
        Some("moderate") => ValidationLevel::Moderate,
        _ => ValidationLevel::Strict,
    };
    let action = match text("validationAction") {
        Some("warn") => ValidationAction::Warn,
        _ => ValidationAction::Refuse,
    };
    let variables = Variables::new(now_ms()).with_collation(of_options(options)?);
    let filter = Filter::parse(source, &FilterScope::validator(&variables))?;
    // What should have been encrypted must not come into the log.
    let is_logged = matches!(text("validationAction"), Some("warn" | "errorAndLog"));
    if filter.has_encryption() && (is_logged || level == ValidationLevel::Moderate) {
        return Err(Error::new(
            Code::QUERY_FEATURE_NOT_ALLOWED,
            "Encryption-related validator keywords are not allowed in this context",
        ));
    }
    Ok((!source.is_empty()).then(|| Validator {
        filter: Arc::new(filter),
        source: source.clone(),
        level,
        action,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn validators_of_dropped_collections_are_forgotten_in_time() {
        let validators = Validators::default();
        for number in 0..3 * COMPILED_MAX as u128 {
            let compiled = Compiled {
                options: Arc::default(),
                validator: None,
            };
            validators.keep(number.to_le_bytes(), compiled);
        }
        assert!(validators.compiled.lock().len() <= COMPILED_MAX);
    }
}
