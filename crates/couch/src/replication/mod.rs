//! Replication as CouchDB starts, runs and shows it (`src/couch_replicator`).
//!
//! A [`peer::request::Request`] says what is copied from where to where; [`jobs::Jobs`] runs it, tries again what failed, and shows
//! how far each has come; [`documents`] starts what the documents of `_replicator` ask for, and [`states`] tells them what
//! became of it. The algorithm is the crate `replicate`, and the sides are reached by the crate `peer`, a local database by the
//! endpoints called within this process ([`transport`]), which the server hands in ([`crate::server::Answer`]).

pub(crate) mod context;
pub(crate) mod documents;
mod filter;
pub(crate) mod job;
pub(crate) mod jobs;
pub(crate) mod report;
mod run;
pub(crate) mod settings;
pub(crate) mod start;
mod states;
mod transport;
