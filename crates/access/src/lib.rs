//! CouchDB's databases and who may use them: names and ids, settings, accounts and their documents, logins, rights.
//!
//! [`login::authenticate`] finds the user of a request, [`database::Database::open`] opens a database for that user, and [`users`]
//! keeps the accounts as the documents of `_users` say. The behaviour is that of CouchDB 3.5.
//!
//! What must hold: a document gives nobody rights that its writer may not grant; refusals are worded as CouchDB's ([`error`]).
//!
//! Left to others: requests and answers (`couch`), accounts of all protocols and what roles allow (`engine`, `auth`).

pub mod config;
pub mod database;
pub mod error;
pub mod ids;
pub mod limits;
pub mod login;
pub mod names;
mod passwords;
pub mod security;
pub mod sequence;
pub mod user;
pub mod users;
