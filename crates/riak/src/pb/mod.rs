//! Riak's protocol buffers: frames, each a length, a code and a message, answered in the order in which they come.

mod buckets;
mod connection;
mod conversation;
mod dispatch;
pub mod frame;
mod index;
mod large;
mod mapred;
pub mod messages;
mod objects;
mod pipelined;
mod secure;
mod typed;
pub mod wire;

pub(crate) use conversation::run;
pub(crate) use objects::refuse_datatype;
pub(crate) use typed::require_siblings;
