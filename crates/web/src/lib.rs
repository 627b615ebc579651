//! Larder's own HTTP: the page, what it asks, files, uploads that may be interrupted, backups, health and metrics.
//!
//! | path | what |
//! |---|---|
//! | `/`, `/page/…` | GET the page and its files |
//! | `/api/session` | GET who one is, POST signs in, DELETE out |
//! | `/api/status`, `/api/collections` | GET |
//! | `/api/command/DB` | POST one of MongoDB's commands in Extended JSON |
//! | `/api/export/DB.COLLECTION` | GET it as NDJSON or CSV |
//! | `/api/tail` | GET what comes into a collection, as an event stream |
//! | `/api/couch/…`, `/api/elastic/…` | CouchDB's and Elasticsearch's protocols |
//! | `/files/BUCKET` | GET lists, POST takes a form's files, `?id=ID` names one file |
//! | `/files/BUCKET/NAME` | GET, HEAD, PUT, DELETE |
//! | `/uploads/BUCKET` | POST begins a resumable upload (tus 1.0) |
//! | `/uploads/BUCKET/ID` | HEAD, PATCH, DELETE |
//! | `/backups` | GET lists those under way, POST begins one |
//! | `/backups/ID` | GET reads a part of a file, DELETE ends it |
//! | `/health`, `/metrics`, `/metrics.css` | GET |
//!
//! A bucket is that of MongoDB's GridFS: `photos` is `default.photos.files` and `default.photos.chunks`, `fleet.photos`
//! the bucket of database `fleet`.
//!
//! What must hold: bodies are streamed both ways with flat memory; what is answered with success is on the disk; an error
//! is JSON, `{"error": …, "reason": …}`, and the reason says what to do.
//!
//! Left to others: chunks, versions and digests (`engine::files`), connections and headers' grammars (`http`), the protocols
//! below `/api`, which the program hands in ([`Mounts`]).

mod access;
mod api;
mod backups;
mod call;
mod error;
mod files;
mod health;
mod limits;
mod metrics;
mod mounts;
mod page;
mod respond;
mod route;
mod serve;
mod server;
mod sessions;
mod uploads;

pub use mounts::{Answering, Behind, Commands, Followers, Mounts, Requests};
pub use serve::{Options, serve};
