//! Queries by selector and their indexes (`src/mango/src/mango_httpd.erl`).

mod find;
mod index;

pub(crate) use find::{explain, find};
pub(crate) use index::{design_info, run as index};
