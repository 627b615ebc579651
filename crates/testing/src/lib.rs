//! What the tests of several crates share: choices that are the same for the same seed, requests over HTTP as data ([`http`]),
//! the paths that a protocol answers, as its source has them ([`routes`]), and what serves in the process of a test ([`Host`]).
//!
//! What must hold: a test that names its seed when it fails can be run again with that seed alone (`LARDER_SEED=17 cargo test …`) and
//! does the same again; a path that nobody asks for fails a test.
//!
//! Left to others: what is chosen from, in each crate's own `tests/support`; a store that crashes on demand (`kv`); the
//! servers that answer (the protocols).

mod host;
pub mod http;
pub mod routes;
mod seeds;

pub use host::Host;
pub use seeds::{Random, seed, seeds};
