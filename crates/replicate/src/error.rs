//! What can go wrong.

/// What kind of failure a peer had, which decides what is done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerErrorKind {
    /// There is no such database.
    NoDatabase,
    /// The credentials do not suffice.
    Unauthorized,
    /// The user who replicates may not send requests to the peer's address.
    Forbidden,
    /// The peer could not be reached, or the connection broke: it may work later.
    Unreachable,
    /// The peer answered with an error, or with something that is not the protocol.
    Answer,
    /// What was sent at once is more than the peer takes.
    TooLarge,
    /// The peer takes nothing of what was sent at once, since something of it has a form that it does not take.
    Invalid,
    /// A document was changed by somebody else meanwhile.
    Conflict,
    /// The connection broke while a document with attachments was on its way: what is missing may be asked for again.
    Interrupted,
    /// The target lacks an attachment that it was thought to have, so it was not sent.
    AttachmentMissing,
}

/// A peer could not do what was asked.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct PeerError {
    /// The kind.
    pub kind: PeerErrorKind,
    /// What was asked of whom, and what came back; credentials stripped.
    pub message: String,
}

impl PeerError {
    /// A failure of this kind.
    pub fn new(kind: PeerErrorKind, message: impl Into<String>) -> PeerError {
        PeerError {
            kind,
            message: message.into(),
        }
    }
}

/// Why a run ended before its end.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ReplicateError {
    /// A database is not there.
    #[error("could not open {0}")]
    NoDatabase(String),
    /// A database may not be opened or made.
    #[error("unauthorized to access or create database {0}")]
    Unauthorized(String),
    /// How far the run has come could not be recorded.
    #[error("{0}")]
    Checkpoint(String),
    /// A database was deleted and made again under the run.
    #[error("instance_start_time on {0} database has changed since last checkpoint.")]
    Replaced(&'static str),
    /// A peer failed on the way.
    #[error("{0}")]
    Peer(#[from] PeerError),
}

impl ReplicateError {
    /// CouchDB's short word for it (`src/couch_replicator/src/couch_replicator_scheduler_job.erl`).
    pub fn word(&self) -> &'static str {
        match self {
            ReplicateError::NoDatabase(_) => "db_not_found",
            ReplicateError::Unauthorized(_) => "unauthorized",
            ReplicateError::Checkpoint(_) | ReplicateError::Replaced(_) => "checkpoint_commit_failure",
            ReplicateError::Peer(error) if error.kind == PeerErrorKind::Forbidden => "forbidden",
            ReplicateError::Peer(_) => "replication_failed",
        }
    }
}
