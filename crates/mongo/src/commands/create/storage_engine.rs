//! `storageEngine`: options of MongoDB's own engine, which mean nothing here but are checked, kept and shown.

use crate::error::{CommandError, Result};
use value::{DocumentRef, ValueRef};

/// Refuses what MongoDB's engine would not take.
pub(super) fn check(engines: DocumentRef<'_>) -> Result<()> {
    for (engine, options) in engines.iter() {
        let ValueRef::Document(options) = options else {
            return Err(CommandError::bad_value(format!(
                "'storageEngine.{engine}' has to be an embedded document."
            )));
        };
        if engine != "wiredTiger" {
            return Err(CommandError::invalid_options(format!(
                "{engine} is not a registered storage engine for this server"
            )));
        }
        for (option, value) in options.iter() {
            match (option, value) {
                ("configString", ValueRef::String(_)) => {}
                ("configString", _) => {
                    return Err(CommandError::type_mismatch("'configString' must be a string."));
                }
                _ => {
                    return Err(CommandError::invalid_options(format!(
                        "'{option}' is not a supported option in storageEngine.wiredTiger"
                    )));
                }
            }
        }
    }
    Ok(())
}
