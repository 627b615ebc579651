//! Collections of documents on a key-value store.
//!
//! Every change of a document, whoever asks for it, goes through `Collection::commit`: one committer a shard takes
//! all that wait, looks at the present documents, checks conditions and unique keys, computes index entries,
//! numbers the changes and commits them together. Readers use a `Snapshot`, page by page.
//!
//! What must hold:
//! - a record, its index entries and its place in the change log are written in one atomic commit;
//! - the sequence numbers of a shard rise by one a change, and the change log names each live record once;
//! - counts and sizes in the shard's head agree with the records.
//!
//! Left to others: what filters and updates mean (`query`; a `Transform` is handed in), users and sessions (`engine`).

mod error;

pub use error::StoreError;
