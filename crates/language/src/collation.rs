//! Errors in the description of a collation, with MongoDB's codes and messages.

use crate::{Code, Error, fields};
use value::collation::CollationError;

impl From<CollationError> for Error {
    fn from(error: CollationError) -> Error {
        let path = |option: &str| format!("collation.{option}");
        match error {
            CollationError::Unknown(option) => fields::unknown(&path(&option)),
            CollationError::Missing(option) => fields::missing(&path(option)),
            CollationError::WrongType {
                option,
                found,
                wanted,
            } => fields::wrong_type(&path(option), found, &format!("'{wanted}'")),
            CollationError::NotAChoice { option, word } => fields::bad_enumeration(&path(option), &word),
            CollationError::Strength(number) => Error::bad_value(format!(
                "BSON field 'collation.strength' value must be >= 1 and <= 5, actual value '{number}'"
            )),
            CollationError::Invalid(message) => Error::bad_value(message),
            CollationError::NotSupported(message) => Error::new(Code::NOT_IMPLEMENTED, message),
            CollationError::OtherVersion(message) => {
                Error::new(Code::INCOMPATIBLE_COLLATION_VERSION, message)
            }
        }
    }
}
