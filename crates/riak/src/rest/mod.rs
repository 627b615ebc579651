//! Riak's HTTP: paths old (`/riak/B/K`) and new (`/buckets/B/keys/K`, `/types/T/buckets/B/keys/K`).

mod buckets;
mod call;
mod headers;
mod index;
mod link_header;
mod links;
mod mapred;
mod multipart;
mod objects;
mod operations;
mod respond;
mod root;
mod route;
mod typed;

pub(crate) use call::Call;
pub(crate) use respond::error;
pub(crate) use route::run;
