//! `storageEngine`: options of a collection or an index for MongoDB's own engine. They have no effect here, but are checked, kept
//! and shown.

use crate::error::{Error, Result};
use code::Code;
use value::{Document, Value};

/// Refuses options that MongoDB's engine would refuse.
pub fn check_storage_engine(engines: &Document) -> Result<()> {
    for (engine, options) in engines.iter() {
        let Value::Document(options) = options else {
            let message = format!("'storageEngine.{engine}' has to be an embedded document.");
            return Err(Error::new(Code::BAD_VALUE, message));
        };
        if engine != "wiredTiger" {
            let message = format!("{engine} is not a registered storage engine for this server");
            return Err(Error::new(Code::INVALID_OPTIONS, message));
        }
        for (option, value) in options.iter() {
            match (option, value) {
                ("configString", Value::String(_)) => {}
                ("configString", _) => {
                    return Err(Error::new(
                        Code::TYPE_MISMATCH,
                        "'configString' must be a string.",
                    ));
                }
                _ => {
                    let message = format!("'{option}' is not a supported option in storageEngine.wiredTiger");
                    return Err(Error::new(Code::INVALID_OPTIONS, message));
                }
            }
        }
    }
    Ok(())
}

/// As [`check_storage_engine`], for an index, whose options must not be empty.
pub(crate) fn check_of_index(value: &Value) -> Result<()> {
    let refused = |message| Err(Error::new(Code::CANNOT_CREATE_INDEX, message));
    match value {
        Value::Document(engines) if engines.is_empty() => refused(
            "Empty \"storageEngine\" options are invalid. Please remove the field or include valid options.",
        ),
        Value::Document(engines) => check_storage_engine(engines),
        _ => refused("\"storageEngine\" options must be a document if present"),
    }
}
