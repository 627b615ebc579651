//! Replication as CouchDB starts, runs and shows it (`src/couch_replicator`).
//!
//! A [`request::Request`] says what is copied from where to where; [`jobs::Jobs`] runs it, tries again what failed, and shows
//! how far each has come; [`documents`] starts what the documents of `_replicator` ask for, and [`states`] tells them what
//! became of it. The algorithm is the crate `replicate`; here are the two ways to reach a peer, which both speak the CouchDB
//! protocol: over HTTP, or the same endpoints called within this process ([`transport`]), which the server hands in
//! ([`crate::server::Answer`]). So a local database is read and written by the same rules as any other.

pub(crate) mod context;
pub(crate) mod documents;
pub(crate) mod endpoint;
mod filter;
mod id;
pub(crate) mod job;
pub(crate) mod jobs;
pub(crate) mod peer;
pub(crate) mod report;
pub(crate) mod request;
mod run;
pub(crate) mod start;
mod states;
pub(crate) mod transport;
