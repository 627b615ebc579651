//! What the page asks, a file an endpoint. All of it is documented, and open to any program.
//!
//! A browser sends requests here for pages of other sites too, so everything below `/api` is guarded ([`guard`]).

mod collections;
mod command;
mod export;
mod guard;
mod mounted;
mod session;
mod status;
mod trim;

pub(crate) use collections::collections;
pub(crate) use command::command;
pub(crate) use export::export;
pub(crate) use guard::guard;
pub(crate) use mounted::{couch, elastic, tail};
pub(crate) use session::session;
pub(crate) use status::status;
