//! The endpoints of files: one a module.

mod delete;
mod describe;
mod digests;
mod form;
mod get;
mod headers;
mod list;
mod multipart;
mod put;
mod receive;

pub(crate) use delete::{delete_id, delete_name};
pub(crate) use describe::{describe, location};
pub(crate) use digests::Declared;
pub(crate) use form::post;
pub(crate) use get::{get_id, get_name};
pub(crate) use list::list;
pub(crate) use put::put;
