//! MongoDB's error codes: the one table of numbers and names that every level uses.
//!
//! A code that MongoDB has a name for is a constant ([`Code::BAD_VALUE`]); a check that MongoDB knows by its number
//! only is a location ([`Code::location`]), as MongoDB calls it. Errors of other protocols are chosen by these names,
//! never by numbers.

mod table;

use std::borrow::Cow;

/// An error code of MongoDB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code(i32);

impl Code {
    /// A field that a command or stage needs is not there.
    pub const MISSING_FIELD: Code = Code(40_414);
    /// A field that a command or stage does not know.
    pub const UNKNOWN_FIELD: Code = Code(40_415);
    /// A field that is given twice.
    pub const DUPLICATE_FIELD: Code = Code(40_413);

    // Checks that are told apart where they are not made: stages and index specifications give some of the language's
    // errors other codes, as MongoDB does.

    /// A document with an operator and other fields beside it.
    pub const OPERATOR_WITH_OTHERS: Code = Code(15_983);
    /// A field name that begins with a dollar sign.
    pub const FIELD_NAME_WITH_DOLLAR: Code = Code(16_410);
    /// A field name with a zero byte.
    pub const FIELD_NAME_WITH_NUL: Code = Code(16_411);
    /// `$mod` by zero.
    pub const MOD_BY_ZERO: Code = Code(16_610);
    /// `$mod` of decimals by zero.
    pub const DECIMAL_MOD_BY_ZERO: Code = Code(5_733_415);
    /// A path below one that is named already.
    pub const PATH_BELOW_ANOTHER: Code = Code(31_249);
    /// A path that is named already, or has one named below it.
    pub const PATH_ABOVE_ANOTHER: Code = Code(31_250);
    /// A positional `$` in a stage's projection.
    pub const POSITIONAL_IN_STAGE: Code = Code(31_324);

    /// The code of a check that has a number but no name.
    pub const fn location(number: i32) -> Code {
        Code(number)
    }

    /// The code that a client names by its number.
    pub const fn from_number(number: i32) -> Code {
        Code(number)
    }

    /// The number on the wire.
    pub const fn number(self) -> i32 {
        self.0
    }

    /// Whether it says that an operation was ended from outside, rather than that it failed.
    pub const fn is_interruption(self) -> bool {
        matches!(
            self,
            Code::MAX_TIME_MS_EXPIRED
                | Code::INTERRUPTED
                | Code::INTERRUPTED_AT_SHUTDOWN
                | Code::CLIENT_DISCONNECT
        )
    }

    /// MongoDB's name: `Location` and the number for a code that has none.
    pub fn name(self) -> Cow<'static, str> {
        match table::NAMES.binary_search_by_key(&self.0, |(number, _)| *number) {
            Ok(at) => Cow::Borrowed(table::NAMES.get(at).map_or("", |(_, name)| name)),
            Err(_) => Cow::Owned(format!("Location{}", self.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_mongodbs_names() {
        assert!(table::NAMES.is_sorted_by_key(|(number, _)| *number));
        assert_eq!(Code::DUPLICATE_KEY.name(), "DuplicateKey");
        assert_eq!(Code::NAMESPACE_NOT_FOUND.number(), 26);
        assert_eq!(Code::UNKNOWN_FIELD.name(), "Location40415");
    }
}
