//! Plans running page by page on a snapshot; finding and changing documents.

mod stream;

pub use stream::{DocumentStream, Interruption, StreamState};
