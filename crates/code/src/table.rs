//! The one table of error codes that have a name.
//!
//! Source: `src/mongo/base/error_codes.yml` of MongoDB 8.

use crate::Code;

/// Declares a constant for each code, and the table from numbers to names.
macro_rules! codes {
    ($($constant:ident = $number:literal, $name:literal;)*) => {
        #[allow(missing_docs, reason = "the names are MongoDB's")]
        impl Code {
            $(pub const $constant: Code = Code($number);)*
        }

        /// Numbers and names, in the order of the numbers.
        pub(crate) const NAMES: &[(i32, &str)] = &[$(($number, $name)),*];
    };
}

codes! {
    INTERNAL_ERROR = 1, "InternalError";
    BAD_VALUE = 2, "BadValue";
    NO_SUCH_KEY = 4, "NoSuchKey";
    GRAPH_CONTAINS_CYCLE = 5, "GraphContainsCycle";
    HOST_UNREACHABLE = 6, "HostUnreachable";
    HOST_NOT_FOUND = 7, "HostNotFound";
    UNKNOWN_ERROR = 8, "UnknownError";
    FAILED_TO_PARSE = 9, "FailedToParse";
    CANNOT_MUTATE_OBJECT = 10, "CannotMutateObject";
    USER_NOT_FOUND = 11, "UserNotFound";
    UNSUPPORTED_FORMAT = 12, "UnsupportedFormat";
    UNAUTHORIZED = 13, "Unauthorized";
    TYPE_MISMATCH = 14, "TypeMismatch";
    OVERFLOW = 15, "Overflow";
    INVALID_LENGTH = 16, "InvalidLength";
    PROTOCOL_ERROR = 17, "ProtocolError";
    AUTHENTICATION_FAILED = 18, "AuthenticationFailed";
    ILLEGAL_OPERATION = 20, "IllegalOperation";
    INVALID_BSON = 22, "InvalidBSON";
    ALREADY_INITIALIZED = 23, "AlreadyInitialized";
    LOCK_TIMEOUT = 24, "LockTimeout";
    NAMESPACE_NOT_FOUND = 26, "NamespaceNotFound";
    INDEX_NOT_FOUND = 27, "IndexNotFound";
    PATH_NOT_VIABLE = 28, "PathNotViable";
    ROLE_NOT_FOUND = 31, "RoleNotFound";
    CONFLICTING_UPDATE_OPERATORS = 40, "ConflictingUpdateOperators";
    CURSOR_NOT_FOUND = 43, "CursorNotFound";
    LOCK_BUSY = 46, "LockBusy";
    NO_MATCHING_DOCUMENT = 47, "NoMatchingDocument";
    NAMESPACE_EXISTS = 48, "NamespaceExists";
    INVALID_ROLE_MODIFICATION = 49, "InvalidRoleModification";
    MAX_TIME_MS_EXPIRED = 50, "MaxTimeMSExpired";
    MANUAL_INTERVENTION_REQUIRED = 51, "ManualInterventionRequired";
    DOLLAR_PREFIXED_FIELD_NAME = 52, "DollarPrefixedFieldName";
    INVALID_ID_FIELD = 53, "InvalidIdField";
    NOT_SINGLE_VALUE_FIELD = 54, "NotSingleValueField";
    INVALID_DB_REF = 55, "InvalidDBRef";
    EMPTY_FIELD_NAME = 56, "EmptyFieldName";
    DOTTED_FIELD_NAME = 57, "DottedFieldName";
    ROLE_MODIFICATION_FAILED = 58, "RoleModificationFailed";
    COMMAND_NOT_FOUND = 59, "CommandNotFound";
    WRITE_CONCERN_TIMEOUT = 64, "WriteConcernTimeout";
    IMMUTABLE_FIELD = 66, "ImmutableField";
    CANNOT_CREATE_INDEX = 67, "CannotCreateIndex";
    INDEX_ALREADY_EXISTS = 68, "IndexAlreadyExists";
    SHARD_NOT_FOUND = 70, "ShardNotFound";
    INVALID_OPTIONS = 72, "InvalidOptions";
    INVALID_NAMESPACE = 73, "InvalidNamespace";
    NO_REPLICATION_ENABLED = 76, "NoReplicationEnabled";
    UNKNOWN_REPL_WRITE_CONCERN = 79, "UnknownReplWriteConcern";
    INDEX_OPTIONS_CONFLICT = 85, "IndexOptionsConflict";
    INDEX_KEY_SPECS_CONFLICT = 86, "IndexKeySpecsConflict";
    NETWORK_TIMEOUT = 89, "NetworkTimeout";
    SHUTDOWN_IN_PROGRESS = 91, "ShutdownInProgress";
    OPERATION_FAILED = 96, "OperationFailed";
    NO_PROJECTION_FOUND = 97, "NoProjectionFound";
    UNSATISFIABLE_WRITE_CONCERN = 100, "UnsatisfiableWriteConcern";
    NOT_EXACT_VALUE_FIELD = 111, "NotExactValueField";
    WRITE_CONFLICT = 112, "WriteConflict";
    COMMAND_NOT_SUPPORTED = 115, "CommandNotSupported";
    DOC_TOO_LARGE_FOR_CAPPED = 116, "DocTooLargeForCapped";
    CONFLICTING_OPERATION_IN_PROGRESS = 117, "ConflictingOperationInProgress";
    NAMESPACE_NOT_SHARDED = 118, "NamespaceNotSharded";
    DOCUMENT_VALIDATION_FAILURE = 121, "DocumentValidationFailure";
    NOT_A_REPLICA_SET = 123, "NotAReplicaSet";
    COMMAND_FAILED = 125, "CommandFailed";
    FAILED_TO_SATISFY_READ_PREFERENCE = 133, "FailedToSatisfyReadPreference";
    READ_CONCERN_MAJORITY_NOT_AVAILABLE_YET = 134, "ReadConcernMajorityNotAvailableYet";
    CAPPED_POSITION_LOST = 136, "CappedPositionLost";
    JS_INTERPRETER_FAILURE = 139, "JSInterpreterFailure";
    CURSOR_IN_USE = 143, "CursorInUse";
    EXCEEDED_MEMORY_LIMIT = 146, "ExceededMemoryLimit";
    DURATION_OVERFLOW = 159, "DurationOverflow";
    MAX_STALENESS_OUT_OF_RANGE = 160, "MaxStalenessOutOfRange";
    INCOMPATIBLE_COLLATION_VERSION = 161, "IncompatibleCollationVersion";
    VIEW_DEPTH_LIMIT_EXCEEDED = 165, "ViewDepthLimitExceeded";
    COMMAND_NOT_SUPPORTED_ON_VIEW = 166, "CommandNotSupportedOnView";
    OPTION_NOT_SUPPORTED_ON_VIEW = 167, "OptionNotSupportedOnView";
    INVALID_PIPELINE_OPERATOR = 168, "InvalidPipelineOperator";
    CANNOT_INDEX_PARALLEL_ARRAYS = 171, "CannotIndexParallelArrays";
    QUERY_PLAN_KILLED = 175, "QueryPlanKilled";
    AMBIGUOUS_INDEX_KEY_PATTERN = 181, "AmbiguousIndexKeyPattern";
    INVALID_VIEW_DEFINITION = 182, "InvalidViewDefinition";
    CLIENT_METADATA_MISSING_FIELD = 183, "ClientMetadataMissingField";
    CLIENT_METADATA_APP_NAME_TOO_LARGE = 184, "ClientMetadataAppNameTooLarge";
    CLIENT_METADATA_DOCUMENT_TOO_LARGE = 185, "ClientMetadataDocumentTooLarge";
    CLIENT_METADATA_CANNOT_BE_MUTATED = 186, "ClientMetadataCannotBeMutated";
    PRIMARY_STEPPED_DOWN = 189, "PrimarySteppedDown";
    FAIL_POINT_ENABLED = 192, "FailPointEnabled";
    VIEW_PIPELINE_MAX_SIZE_EXCEEDED = 195, "ViewPipelineMaxSizeExceeded";
    INVALID_INDEX_SPECIFICATION_OPTION = 197, "InvalidIndexSpecificationOption";
    CANNOT_BUILD_INDEX_KEYS = 201, "CannotBuildIndexKeys";
    NETWORK_INTERFACE_EXCEEDED_TIME_LIMIT = 202, "NetworkInterfaceExceededTimeLimit";
    NO_SUCH_SESSION = 206, "NoSuchSession";
    INVALID_UUID = 207, "InvalidUUID";
    CANNOT_BACKFILL_ARRAY = 209, "CannotBackfillArray";
    DATABASE_DROP_PENDING = 215, "DatabaseDropPending";
    INCOMPLETE_TRANSACTION_HISTORY = 217, "IncompleteTransactionHistory";
    ILLEGAL_OP_MSG_FLAG = 223, "IllegalOpMsgFlag";
    QUERY_FEATURE_NOT_ALLOWED = 224, "QueryFeatureNotAllowed";
    TRANSACTION_TOO_OLD = 225, "TransactionTooOld";
    MAX_SUB_PIPELINE_DEPTH_EXCEEDED = 232, "MaxSubPipelineDepthExceeded";
    TOO_MANY_DOCUMENT_SEQUENCES = 233, "TooManyDocumentSequences";
    CURSOR_KILLED = 237, "CursorKilled";
    NOT_IMPLEMENTED = 238, "NotImplemented";
    SNAPSHOT_TOO_OLD = 239, "SnapshotTooOld";
    CONVERSION_FAILURE = 241, "ConversionFailure";
    SNAPSHOT_UNAVAILABLE = 246, "SnapshotUnavailable";
    NO_SUCH_TRANSACTION = 251, "NoSuchTransaction";
    TRANSACTION_COMMITTED = 256, "TransactionCommitted";
    TRANSACTION_TOO_LARGE = 257, "TransactionTooLarge";
    INVALID_RESUME_TOKEN = 260, "InvalidResumeToken";
    TOO_MANY_LOGICAL_SESSIONS = 261, "TooManyLogicalSessions";
    EXCEEDED_TIME_LIMIT = 262, "ExceededTimeLimit";
    OPERATION_NOT_SUPPORTED_IN_TRANSACTION = 263, "OperationNotSupportedInTransaction";
    PREPARED_TRANSACTION_IN_PROGRESS = 267, "PreparedTransactionInProgress";
    INDEX_BUILD_ABORTED = 276, "IndexBuildAborted";
    CLIENT_DISCONNECT = 279, "ClientDisconnect";
    CHANGE_STREAM_FATAL_ERROR = 280, "ChangeStreamFatalError";
    CHANGE_STREAM_HISTORY_LOST = 286, "ChangeStreamHistoryLost";
    CHECKSUM_MISMATCH = 290, "ChecksumMismatch";
    NO_QUERY_EXECUTION_PLANS = 291, "NoQueryExecutionPlans";
    QUERY_EXCEEDED_MEMORY_LIMIT_NO_DISK_USE_ALLOWED = 292, "QueryExceededMemoryLimitNoDiskUseAllowed";
    FEATURE_NOT_SUPPORTED = 303, "FeatureNotSupported";
    OBJECT_IS_BUSY = 314, "ObjectIsBusy";
    API_VERSION_ERROR = 322, "APIVersionError";
    API_STRICT_ERROR = 323, "APIStrictError";
    API_DEPRECATION_ERROR = 324, "APIDeprecationError";
    MECHANISM_UNAVAILABLE = 334, "MechanismUnavailable";
    API_MISMATCH_ERROR = 347, "APIMismatchError";
    UNSUPPORTED_OP_QUERY_COMMAND = 352, "UnsupportedOpQueryCommand";
    CANNOT_CONVERT_INDEX_TO_UNIQUE = 359, "CannotConvertIndexToUnique";
    COLLECTION_UUID_MISMATCH = 361, "CollectionUUIDMismatch";
    USER_WRITES_BLOCKED = 371, "UserWritesBlocked";
    REAUTHENTICATION_REQUIRED = 391, "ReauthenticationRequired";
    QUERY_REJECTED_BY_SETTINGS = 411, "QueryRejectedBySettings";
    SOCKET_EXCEPTION = 9001, "SocketException";
    CANNOT_GROW_DOCUMENT_IN_CAPPED_NAMESPACE = 10_003, "CannotGrowDocumentInCappedNamespace";
    NOT_WRITABLE_PRIMARY = 10_107, "NotWritablePrimary";
    BSON_OBJECT_TOO_LARGE = 10_334, "BSONObjectTooLarge";
    DUPLICATE_KEY = 11_000, "DuplicateKey";
    INTERRUPTED_AT_SHUTDOWN = 11_600, "InterruptedAtShutdown";
    INTERRUPTED = 11_601, "Interrupted";
    INTERRUPTED_DUE_TO_REPL_STATE_CHANGE = 11_602, "InterruptedDueToReplStateChange";
    STALE_CONFIG = 13_388, "StaleConfig";
    NOT_PRIMARY_NO_SECONDARY_OK = 13_435, "NotPrimaryNoSecondaryOk";
    NOT_PRIMARY_OR_SECONDARY = 13_436, "NotPrimaryOrSecondary";
    OUT_OF_DISK_SPACE = 14_031, "OutOfDiskSpace";
    NOT_A_RETRYABLE_WRITE_COMMAND = 50_768, "NotARetryableWriteCommand";
}
