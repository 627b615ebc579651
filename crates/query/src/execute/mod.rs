//! Plans running page by page on a snapshot; finding and changing documents.

mod clustered;
mod collection_cursor;
mod count;
mod covered;
mod distinct;
mod execution;
mod find;
mod index_cursor;
mod merge;
mod near_cursor;
mod prepare;
mod race;
mod records;
mod run;
mod sort_key;
mod sorter;
mod source;
mod stream;
mod tail;
mod value_runs;
mod visit;
mod visitor;

pub use count::count;
pub use distinct::{distinct, distinct_values};
pub use execution::{Counters, Execution, Found, Paused};
pub use find::{FIRST_BATCH, FindCursor, FindSpec, find};
pub use index_cursor::ScanCounters;
pub use language::Interruption;
pub use prepare::Prepared;
pub use records::{RecordCursor, find_records};
pub use run::{Run, Task};
pub use sort_key::{scored_sort_key, sort_key};
pub use sorter::SORT_BYTES_MAX;
pub use sorter::{Sorted, Sorter};
pub use stream::{Batch, DocumentStream, StreamState};
pub use visitor::Visitor;
