//! The limits of settings and logins, one constant each.

/// The bytes of one document (CouchDB's `max_document_size`).
pub const DOCUMENT_BYTES_MAX: usize = 8_000_000;

/// How many revisions of a document functions see, unless `[query_server_config] revs_limit` says otherwise.
pub const REVISIONS_SHOWN: usize = 20;

/// How long a login by cookie lasts, in seconds (CouchDB's `timeout`).
pub const SESSION_SECONDS: u64 = 600;

/// How many passwords that were right are remembered, so that basic authentication need not hash each time.
pub const PASSWORDS_REMEMBERED_MAX: usize = 1_000;
