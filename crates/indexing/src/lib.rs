//! Full-text indexes of collections: each follows the change log on its own, and a search takes what it has not reached yet
//! from the documents.
//!
//! A [`Source`] is what is indexed. [`begin`] starts the task that writes its index, [`show()`] shows a search what the index and the
//! documents have. An index can be thrown away at any moment: it is made anew from the documents.
//!
//! What must hold: a search by an index answers as one of the documents does; an index never knows of a change that a crash
//! could take back.
//!
//! Left to others: what is searched for (`search`), files (`fulltext`), who asks, in which form, and how fields are read.

mod collect;
mod error;
mod find;
mod follow;
mod keys;
mod record;
mod show;
mod source;
mod state;
mod sweep;
mod tail;

pub use error::{IndexingError, Result};
pub use follow::{begin, begin_opened};
pub use record::{change_number, id_of, id_text, seen, sequence_number, steps_of};
pub use show::{Shown, show};
pub use source::Source;
pub use state::{Following, Indexes, Published, uuid_text};
pub use sweep::sweep;
