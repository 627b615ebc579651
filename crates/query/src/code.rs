//! MongoDB's error codes that the query language and the store give.
//!
//! Source: MongoDB 8 `error_codes.yml` (names) and the codes that its parsers use without a name (`Location…`).

use store::StoreError;

/// An error code of MongoDB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code(pub i32);

#[allow(missing_docs, reason = "the names are MongoDB's")]
impl Code {
    pub const INTERNAL_ERROR: Code = Code(1);
    pub const BAD_VALUE: Code = Code(2);
    pub const FAILED_TO_PARSE: Code = Code(9);
    pub const TYPE_MISMATCH: Code = Code(14);
    pub const OVERFLOW: Code = Code(15);
    pub const ILLEGAL_OPERATION: Code = Code(20);
    pub const NAMESPACE_NOT_FOUND: Code = Code(26);
    pub const INDEX_NOT_FOUND: Code = Code(27);
    pub const PATH_NOT_VIABLE: Code = Code(28);
    pub const CONFLICTING_UPDATE_OPERATORS: Code = Code(40);
    pub const NAMESPACE_EXISTS: Code = Code(48);
    pub const DOLLAR_PREFIXED_FIELD_NAME: Code = Code(52);
    pub const INVALID_ID_FIELD: Code = Code(53);
    pub const NOT_SINGLE_VALUE_FIELD: Code = Code(54);
    pub const EMPTY_FIELD_NAME: Code = Code(56);
    pub const IMMUTABLE_FIELD: Code = Code(66);
    pub const CANNOT_CREATE_INDEX: Code = Code(67);
    pub const INVALID_OPTIONS: Code = Code(72);
    pub const INVALID_NAMESPACE: Code = Code(73);
    pub const INDEX_OPTIONS_CONFLICT: Code = Code(85);
    pub const INDEX_KEY_SPECS_CONFLICT: Code = Code(86);
    pub const WRITE_CONFLICT: Code = Code(112);
    pub const DOCUMENT_VALIDATION_FAILURE: Code = Code(121);
    pub const COMMAND_NOT_SUPPORTED_ON_VIEW: Code = Code(166);
    pub const INVALID_PIPELINE_OPERATOR: Code = Code(168);
    pub const QUERY_PLAN_KILLED: Code = Code(175);
    pub const CANNOT_BACKFILL_ARRAY: Code = Code(209);
    pub const QUERY_FEATURE_NOT_ALLOWED: Code = Code(224);
    pub const TRANSACTION_TOO_OLD: Code = Code(225);
    pub const NOT_IMPLEMENTED: Code = Code(238);
    pub const BSON_OBJECT_TOO_LARGE: Code = Code(10_334);
    pub const DUPLICATE_KEY: Code = Code(11_000);
    pub const INTERRUPTED: Code = Code(11_601);
    pub const LOCATION_16746: Code = Code(16_746);
    pub const LOCATION_51074: Code = Code(51074);
    pub const LOCATION_51075: Code = Code(51075);
    pub const LOCATION_51091: Code = Code(51091);
    pub const LOCATION_51108: Code = Code(51108);
    pub const LOCATION_5429102: Code = Code(5_429_102);
    pub const LOCATION_5626500: Code = Code(5_626_500);
}

/// The code and message of a store's error.
pub fn of_store_error(error: &StoreError) -> (Code, String) {
    let code = match error {
        StoreError::DuplicateKey { .. } => Code::DUPLICATE_KEY,
        StoreError::NamespaceExists(_) => Code::NAMESPACE_EXISTS,
        StoreError::NamespaceNotFound(_) => Code::NAMESPACE_NOT_FOUND,
        StoreError::InvalidNamespace(_) => Code::INVALID_NAMESPACE,
        StoreError::CollectionDropped(_) => Code::QUERY_PLAN_KILLED,
        StoreError::IsView(_) => Code::COMMAND_NOT_SUPPORTED_ON_VIEW,
        StoreError::IndexNotFound(_) => Code::INDEX_NOT_FOUND,
        StoreError::IndexOptionsConflict(_) => Code::INDEX_OPTIONS_CONFLICT,
        StoreError::IndexKeySpecsConflict(_) => Code::INDEX_KEY_SPECS_CONFLICT,
        StoreError::CannotCreateIndex(_) => Code::CANNOT_CREATE_INDEX,
        StoreError::TransactionTooOld { .. } => Code::TRANSACTION_TOO_OLD,
        StoreError::DocumentTooLarge { .. } => Code::BSON_OBJECT_TOO_LARGE,
        StoreError::ImmutableId => Code::IMMUTABLE_FIELD,
        StoreError::BadId(_) | StoreError::NoPartition => Code::INVALID_ID_FIELD,
        StoreError::CannotIndex { code, .. } | StoreError::Refused { code, .. } => Code(*code),
        StoreError::Interrupted => Code::INTERRUPTED,
        StoreError::Contention => Code::WRITE_CONFLICT,
        _ => Code::INTERNAL_ERROR,
    };
    (code, error.to_string())
}
