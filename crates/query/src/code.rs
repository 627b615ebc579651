//! MongoDB's error codes that the query language and the store give.
//!
//! Source: MongoDB 8 `error_codes.yml` (names) and the codes that its parsers use without a name (`Location…`).

/// An error code of MongoDB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code(pub i32);

#[allow(missing_docs, reason = "the names are MongoDB's")]
impl Code {
    pub const BAD_VALUE: Code = Code(2);
    pub const FAILED_TO_PARSE: Code = Code(9);
    pub const TYPE_MISMATCH: Code = Code(14);
    pub const OVERFLOW: Code = Code(15);
    pub const PATH_NOT_VIABLE: Code = Code(28);
    pub const CONFLICTING_UPDATE_OPERATORS: Code = Code(40);
    pub const DOLLAR_PREFIXED_FIELD_NAME: Code = Code(52);
    pub const INVALID_ID_FIELD: Code = Code(53);
    pub const NOT_SINGLE_VALUE_FIELD: Code = Code(54);
    pub const EMPTY_FIELD_NAME: Code = Code(56);
    pub const IMMUTABLE_FIELD: Code = Code(66);
    pub const CANNOT_CREATE_INDEX: Code = Code(67);
    pub const INVALID_OPTIONS: Code = Code(72);
    pub const DOCUMENT_VALIDATION_FAILURE: Code = Code(121);
    pub const CANNOT_BACKFILL_ARRAY: Code = Code(209);
    pub const QUERY_FEATURE_NOT_ALLOWED: Code = Code(224);
    pub const NOT_IMPLEMENTED: Code = Code(238);
    pub const LOCATION_51074: Code = Code(51074);
    pub const LOCATION_51075: Code = Code(51075);
    pub const LOCATION_51091: Code = Code(51091);
    pub const LOCATION_51108: Code = Code(51108);
    pub const LOCATION_5429102: Code = Code(5_429_102);
}

/// The code and message of a store's error.
pub fn of_store_error(error: &store::StoreError) -> (Code, String) {
    (Code::BAD_VALUE, error.to_string())
}
