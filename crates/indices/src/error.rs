//! What clients are told when something cannot be done: Elasticsearch's status, type and reason.

use code::Code;
use http::{BodyError, StatusCode};
use indexing::IndexingError;
use ingest::{Failure, PipelineError};
use json::JsonError;
use memory::Full;
use search::{ErrorKind, SearchError};
use serde_json::{Map, Value, json};

/// The types of errors by which something is decided here.
pub mod kinds {
    /// There is no such index.
    pub const NO_INDEX: &str = "index_not_found_exception";
    /// There is an index of this name already.
    pub const EXISTS: &str = "resource_already_exists_exception";
    /// A document is not in the state that a write is for.
    pub const CONFLICT: &str = "version_conflict_engine_exception";
    /// A mapping cannot be taken, or a document does not fit it.
    pub const MAPPING: &str = "mapper_parsing_exception";
}

/// What the endpoints give back.
pub type Result<T, E = ElasticError> = std::result::Result<T, E>;

/// An error as a client sees it.
#[derive(Clone, Debug)]
pub struct ElasticError {
    /// The status of the answer.
    pub status: StatusCode,
    /// Its type.
    pub kind: &'static str,
    /// The message.
    pub reason: String,
    /// What the error says besides, such as the index.
    pub more: Option<Box<Map<String, Value>>>,
    /// What led to it.
    pub cause: Option<Box<ElasticError>>,
    /// What it all began with, where that is another error.
    pub root: Option<Box<ElasticError>>,
}

impl ElasticError {
    /// An error without a cause.
    pub fn new(status: StatusCode, kind: &'static str, reason: impl Into<String>) -> ElasticError {
        ElasticError {
            status,
            kind,
            reason: reason.into(),
            more: None,
            cause: None,
            root: None,
        }
    }

    /// An argument has a value that is not allowed.
    pub fn illegal(reason: impl Into<String>) -> ElasticError {
        ElasticError::new(StatusCode::BAD_REQUEST, "illegal_argument_exception", reason)
    }

    /// Something of the server's own went wrong.
    pub fn failed(reason: impl Into<String>) -> ElasticError {
        ElasticError::new(StatusCode::INTERNAL_SERVER_ERROR, "exception", reason)
    }

    /// The body of a request is not of its form.
    pub fn malformed(reason: impl Into<String>) -> ElasticError {
        ElasticError::new(StatusCode::BAD_REQUEST, "parse_exception", reason)
    }

    /// A query, an aggregation or the like cannot be parsed.
    pub fn parsing(reason: impl Into<String>) -> ElasticError {
        ElasticError::new(StatusCode::BAD_REQUEST, "parsing_exception", reason)
    }

    /// Several things are wrong with a request, each in a sentence.
    pub fn validation(reasons: &[String]) -> ElasticError {
        let listed: Vec<String> = reasons
            .iter()
            .enumerate()
            .map(|(at, reason)| format!("{}: {reason};", at + 1))
            .collect();
        let reason = format!("Validation Failed: {}", listed.join(""));
        ElasticError::new(
            StatusCode::BAD_REQUEST,
            "action_request_validation_exception",
            reason,
        )
    }

    /// There is no memory for it; clients try again, later.
    pub fn no_memory(full: &Full) -> ElasticError {
        let status = StatusCode::TOO_MANY_REQUESTS;
        ElasticError::new(status, "circuit_breaking_exception", full.to_string())
    }

    /// Larder does not do this.
    pub fn unsupported(what: impl std::fmt::Display) -> ElasticError {
        ElasticError::new(
            StatusCode::NOT_IMPLEMENTED,
            "unsupported_operation_exception",
            format!("{what} is not supported"),
        )
    }

    /// There is no such index.
    pub fn no_index(name: &str) -> ElasticError {
        ElasticError::new(
            StatusCode::NOT_FOUND,
            kinds::NO_INDEX,
            format!("no such index [{name}]"),
        )
        .of_index(name)
    }

    /// There is an index of this name already.
    pub fn exists(name: &str) -> ElasticError {
        let reason = format!("index [{name}] already exists");
        ElasticError::new(StatusCode::BAD_REQUEST, kinds::EXISTS, reason).of_index(name)
    }

    /// No index can have this name.
    pub fn invalid_name(name: &str, why: &str) -> ElasticError {
        let reason = format!("Invalid index name [{name}], {why}");
        ElasticError::new(StatusCode::BAD_REQUEST, "invalid_index_name_exception", reason)
            .with("index_uuid", "_na_")
            .with("index", name)
    }

    /// The index is closed.
    pub fn closed(name: &str) -> ElasticError {
        ElasticError::new(StatusCode::BAD_REQUEST, "index_closed_exception", "closed")
            .with("index_uuid", "_na_")
            .with("index", name)
    }

    /// A setting of the index forbids this.
    pub fn blocked(name: &str, block: &str) -> ElasticError {
        // Whoever writes may try again once there is room on the disk.
        let (status, word) = match block.starts_with("12/") {
            true => (StatusCode::TOO_MANY_REQUESTS, "TOO_MANY_REQUESTS"),
            false => (StatusCode::FORBIDDEN, "FORBIDDEN"),
        };
        let reason = format!("index [{name}] blocked by: [{word}/{block}];");
        ElasticError::new(status, "cluster_block_exception", reason)
    }

    /// Adds a member to the error.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> ElasticError {
        self.more
            .get_or_insert_default()
            .insert(name.to_owned(), value.into());
        self
    }

    /// Names the index.
    pub fn of_index(self, name: &str) -> ElasticError {
        self.with("resource.type", "index_or_alias")
            .with("resource.id", name)
            .with("index_uuid", "_na_")
            .with("index", name)
    }

    /// Adds the cause.
    pub fn because(mut self, cause: ElasticError) -> ElasticError {
        self.cause = Some(Box::new(cause));
        self
    }

    /// Says what it all began with.
    pub fn of_root(mut self, root: ElasticError) -> ElasticError {
        self.root = Some(Box::new(root));
        self
    }

    /// What is said of it without its cause.
    fn alone(&self) -> Map<String, Value> {
        let mut object = Map::new();
        object.insert("type".to_owned(), json!(self.kind));
        object.insert("reason".to_owned(), json!(self.reason));
        object.extend(self.more.iter().flat_map(|more| Map::clone(more)));
        object
    }

    /// The error of one item in the answer to a bulk request.
    pub fn to_json(&self) -> Value {
        let mut object = self.alone();
        if let Some(cause) = &self.cause {
            object.insert("caused_by".to_owned(), cause.to_json());
        }
        Value::Object(object)
    }

    /// What is answered before anything looks at a request: a text alone.
    pub fn plain(status: StatusCode, reason: impl Into<String>) -> ElasticError {
        ElasticError::new(status, "", reason)
    }

    /// The whole answer.
    pub fn to_answer(&self) -> Value {
        if self.kind.is_empty() {
            return json!({"error": self.reason, "status": self.status.as_u16()});
        }
        let mut error = self.to_json();
        if let Value::Object(error) = &mut error {
            let root = self.root.as_deref().unwrap_or(self).alone();
            error.insert("root_cause".to_owned(), json!([root]));
        }
        json!({"error": error, "status": self.status.as_u16()})
    }
}

impl From<SearchError> for ElasticError {
    fn from(error: SearchError) -> ElasticError {
        let kind = error.kind.name();
        let status = match error.kind {
            ErrorKind::Ended(code) => return engine::Error::new(code, error.reason).into(),
            ErrorKind::TooManyBuckets => StatusCode::SERVICE_UNAVAILABLE,
            ErrorKind::Memory => StatusCode::TOO_MANY_REQUESTS,
            ErrorKind::Unsupported => StatusCode::NOT_IMPLEMENTED,
            ErrorKind::Aggregation | ErrorKind::AggregationStart | ErrorKind::OutOfBounds => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
            _ => StatusCode::BAD_REQUEST,
        };
        let own = ElasticError::new(status, kind, error.reason);
        match error.cause {
            None => own,
            Some(cause) => own.because((*cause).into()),
        }
    }
}

impl From<mustache::Error> for ElasticError {
    fn from(error: mustache::Error) -> ElasticError {
        match error {
            mustache::Error::Failed(reason) => {
                ElasticError::new(StatusCode::BAD_REQUEST, "general_script_exception", reason)
            }
            mustache::Error::Unsupported(what) => ElasticError::unsupported(what),
        }
    }
}

impl From<JsonError> for ElasticError {
    fn from(error: JsonError) -> ElasticError {
        ElasticError::new(StatusCode::BAD_REQUEST, "json_parse_exception", error.to_string())
    }
}

impl From<serde_json::Error> for ElasticError {
    fn from(error: serde_json::Error) -> ElasticError {
        ElasticError::new(StatusCode::BAD_REQUEST, "json_parse_exception", error.to_string())
    }
}

impl From<BodyError> for ElasticError {
    fn from(error: BodyError) -> ElasticError {
        let (status, kind) = match error {
            BodyError::TooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, "content_too_long_exception"),
            BodyError::NoMemory(_) => (StatusCode::TOO_MANY_REQUESTS, "circuit_breaking_exception"),
            BodyError::Late(_) => (StatusCode::REQUEST_TIMEOUT, "timeout_exception"),
            _ => (StatusCode::BAD_REQUEST, "parse_exception"),
        };
        ElasticError::new(status, kind, error.to_string())
    }
}

impl From<engine::Error> for ElasticError {
    /// MongoDB's codes, which the engine speaks, in Elasticsearch's terms.
    fn from(error: engine::Error) -> ElasticError {
        let (status, kind) = match error.code {
            Code::NAMESPACE_NOT_FOUND | Code::QUERY_PLAN_KILLED => (StatusCode::NOT_FOUND, kinds::NO_INDEX),
            Code::NAMESPACE_EXISTS => (StatusCode::BAD_REQUEST, kinds::EXISTS),
            Code::INVALID_NAMESPACE => (StatusCode::BAD_REQUEST, "invalid_index_name_exception"),
            Code::DUPLICATE_KEY => (StatusCode::CONFLICT, kinds::CONFLICT),
            Code::BSON_OBJECT_TOO_LARGE => (StatusCode::PAYLOAD_TOO_LARGE, "content_too_long_exception"),
            Code::EXCEEDED_MEMORY_LIMIT => (StatusCode::TOO_MANY_REQUESTS, "circuit_breaking_exception"),
            Code::MAX_TIME_MS_EXPIRED => (StatusCode::GATEWAY_TIMEOUT, "timeout_exception"),
            Code::INTERRUPTED | Code::CLIENT_DISCONNECT => {
                (StatusCode::BAD_REQUEST, "task_cancelled_exception")
            }
            Code::INTERRUPTED_AT_SHUTDOWN => (StatusCode::SERVICE_UNAVAILABLE, "node_closed_exception"),
            Code::DOCUMENT_VALIDATION_FAILURE
            | Code::BAD_VALUE
            | Code::FAILED_TO_PARSE
            | Code::TYPE_MISMATCH
            | Code::INVALID_ID_FIELD
            | Code::COMMAND_NOT_SUPPORTED_ON_VIEW => (StatusCode::BAD_REQUEST, "illegal_argument_exception"),
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "exception"),
        };
        ElasticError::new(status, kind, error.message)
    }
}

impl From<Failure> for ElasticError {
    fn from(failure: Failure) -> ElasticError {
        let status = match failure.kind {
            "fail_processor_exception" | "illegal_state_exception" => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::BAD_REQUEST,
        };
        let mut header = json!({"processor_type": failure.processor});
        if let Some(tag) = failure.tag {
            header["processor_tag"] = tag.into();
        }
        ElasticError::new(status, failure.kind, failure.reason).with("header", header)
    }
}

impl From<PipelineError> for ElasticError {
    fn from(error: PipelineError) -> ElasticError {
        if error.is_unsupported {
            return ElasticError::new(
                StatusCode::NOT_IMPLEMENTED,
                "unsupported_operation_exception",
                error.reason,
            );
        }
        let mut made = ElasticError::new(StatusCode::BAD_REQUEST, "parse_exception", error.reason);
        for (name, value) in [
            ("processor_type", error.processor),
            ("processor_tag", error.tag),
            ("property_name", error.property),
        ] {
            if let Some(value) = value {
                made = made.with(name, value);
            }
        }
        made
    }
}

impl From<IndexingError> for ElasticError {
    fn from(error: IndexingError) -> ElasticError {
        match error {
            IndexingError::Engine(error) => error.into(),
            IndexingError::Search(error) => error.into(),
            IndexingError::Memory(reason) => ElasticError::illegal(reason),
            IndexingError::Fulltext(error) => ElasticError::failed(error.to_string()),
            IndexingError::Failed(reason) => ElasticError::failed(reason),
        }
    }
}
