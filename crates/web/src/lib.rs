//! Larder's own HTTP: files, uploads that may be interrupted, backups, health and metrics.
//!
//! | path | what |
//! |---|---|
//! | `/files/BUCKET` | GET lists, POST takes a form's files, `?id=ID` names one file |
//! | `/files/BUCKET/NAME` | GET, HEAD, PUT, DELETE |
//! | `/uploads/BUCKET` | POST begins a resumable upload (tus 1.0) |
//! | `/uploads/BUCKET/ID` | HEAD, PATCH, DELETE |
//! | `/backups` | GET lists those under way, POST begins one |
//! | `/backups/ID` | GET reads a part of a file, DELETE ends it |
//! | `/health`, `/metrics` | GET |
//!
//! A bucket is that of MongoDB's GridFS: `photos` is `default.photos.files` and `default.photos.chunks`, `fleet.photos`
//! the bucket of database `fleet`.
//!
//! What must hold: bodies are streamed both ways with flat memory; what is answered with success is on the disk; an error
//! is JSON, `{"error": …, "reason": …}`, and the reason says what to do.
//!
//! Left to others: chunks, versions and digests (`engine::files`), connections and headers' grammars (`http`).

mod access;
mod backups;
mod call;
mod error;
mod files;
mod health;
mod limits;
mod metrics;
mod respond;
mod route;
mod serve;
mod server;
mod uploads;

pub use limits::{CHECKED_UPLOAD_BYTES_MAX, LIST_FILES_MAX, UPLOADS_KEPT_MS};
pub use serve::{Options, serve};
