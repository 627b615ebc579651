//! Clients of the wire protocols, as thin as they can be: a blocking socket, one request at a time, buffers
//! used again. What is measured is the server, not a driver.

mod http;
mod mongo;
mod postgres;
mod riak;
mod wrk;

pub use http::Http;
pub use mongo::{Mongo, as_f64, as_i64, batch_of};
pub use postgres::Postgres;
pub use riak::Riak;
pub use wrk::{Wrk, WrkFound};
