//! What is known of the full-text index of a collection.

use crate::tail::Tail;
use engine::{RevisionedCollection, Sequence};
use fulltext::Reader;
use memory::Budget;
use parking_lot::Mutex;
use search::{Layout, Mapping};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The version of what is in an index; one of another is made anew.
const VERSION: i64 = 6;
/// How long the store remembers deletions, less a day: an index that was not brought up to date for so long is made anew.
const BEHIND_MS_MAX: i64 = 29 * 24 * 3600 * 1000;

/// How long a search waits for an index to be opened.
const OPEN_TIME_MAX: Duration = Duration::from_secs(5);

/// Where indexes are.
#[derive(Clone, Debug)]
pub struct Indexes {
    /// The folder with a folder for each; `None` if the store has none.
    pub folder: Option<PathBuf>,
    /// The documents from which on a collection has an index: a few are read as fast.
    pub documents_min: u64,
    /// The memory of those that are written.
    pub memory: Budget,
}

/// The index of a collection, if it has one, and the task that writes it.
#[derive(Debug)]
pub struct Following {
    pub(crate) indexes: Indexes,
    published: Mutex<Option<Arc<Published>>>,
    /// The collection, while its index cannot be brought up to date.
    failing: Mutex<Option<RevisionedCollection>>,
    task: Mutex<Option<JoinHandle<()>>>,
    /// Whether the task has looked for what an earlier start has left.
    is_opened: watch::Sender<bool>,
    /// The last mapping that was compared with the index's layout.
    fitting: Mutex<Option<Fitting>>,
}

/// Whether an index holds all that a mapping says.
#[derive(Debug)]
struct Fitting {
    mapping: Arc<Mapping>,
    published: Arc<Published>,
    fits: bool,
}

/// An index as of a commit.
#[derive(Debug)]
pub struct Published {
    pub(crate) reader: Reader,
    pub(crate) layout: Layout,
    /// How far it knows the collection.
    pub(crate) reached: Sequence,
    pub(crate) collection: RevisionedCollection,
    /// What has changed since, as far as the last search has seen it.
    pub(crate) tail: Mutex<Option<Arc<Tail>>>,
    /// The memory of that.
    pub(crate) memory: Budget,
}

impl Following {
    /// What follows a collection that has no index yet.
    pub fn new(indexes: Indexes) -> Following {
        Following {
            // Without a folder there is nothing to wait for.
            is_opened: watch::Sender::new(indexes.folder.is_none()),
            indexes,
            published: Mutex::default(),
            failing: Mutex::default(),
            task: Mutex::default(),
            fitting: Mutex::default(),
        }
    }

    /// Starts the task, once.
    pub(crate) fn start<T: Future<Output = ()> + Send + 'static>(&self, task: impl FnOnce() -> T) {
        let mut present = self.task.lock();
        if present.is_none() {
            *present = Some(tokio::spawn(task()));
        }
    }

    /// Says that what an earlier start has left is there, if it can be used.
    pub(crate) fn set_opened(&self) {
        self.is_opened.send_replace(true);
    }

    /// Waits, though not for long, until what an earlier start has left is there: opening it is quicker than reading the documents.
    pub(crate) async fn opened(&self) {
        let mut is_opened = self.is_opened.subscribe();
        let opened = is_opened.wait_for(|is_opened| *is_opened);
        // It goes on without where that takes too long.
        let _ = tokio::time::timeout(OPEN_TIME_MAX, opened).await;
    }

    /// How many changes of the collection the index has not reached: all, while it cannot be opened or written. `None` where there
    /// is no index.
    pub fn changes_behind(&self) -> Option<u64> {
        if let Some(published) = self.published.lock().clone() {
            return Some(published.collection.head().changes_since(&published.reached));
        }
        let failing = self.failing.lock();
        let collection = failing.as_ref()?;
        Some(collection.head().changes_since(&Sequence::START))
    }

    /// Whether there is an index: where there is none, all documents are read for a search.
    pub fn is_published(&self) -> bool {
        self.published.lock().is_some()
    }

    /// Ends the task.
    pub fn stop(&self) {
        if let Some(task) = &*self.task.lock() {
            task.abort();
        }
    }

    pub(crate) fn publish(&self, published: Option<Published>) {
        if published.is_some() {
            *self.failing.lock() = None;
        }
        *self.published.lock() = published.map(Arc::new);
    }

    /// Notes that the index cannot be brought up to date: searches read the documents until it is published again.
    pub(crate) fn fail(&self, collection: &RevisionedCollection) {
        *self.failing.lock() = Some(collection.clone());
        self.publish(None);
    }

    /// The index, if it holds all that a mapping says, and the collection has not been made capped since.
    pub fn published(&self, mapping: &Arc<Mapping>) -> Option<Arc<Published>> {
        let published = self.published.lock().clone()?;
        if published.collection.is_capped() {
            return None;
        }
        let mut last = self.fitting.lock();
        if let Some(known) = &*last
            && Arc::ptr_eq(&known.mapping, mapping)
            && Arc::ptr_eq(&known.published, &published)
        {
            return known.fits.then_some(published);
        }
        let fits = published.layout.extended(mapping).is_some();
        *last = Some(Fitting {
            mapping: mapping.clone(),
            published: published.clone(),
            fits,
        });
        fits.then_some(published)
    }
}

/// The note of a commit: how far it reaches.
pub(crate) fn note(collection: &RevisionedCollection, layout: &Layout, reached: &Sequence) -> String {
    json!({
        "version": VERSION,
        "collection": uuid_text(&collection.uuid()),
        "reached": reached.to_string(),
        "at": value::date::now_ms(),
        "layout": layout.note(),
    })
    .to_string()
}

/// What a note says; `None` if it is of another collection, or of too long ago.
pub(crate) fn of_note(collection: &RevisionedCollection, note: &str) -> Option<(Layout, Sequence)> {
    let note: Value = serde_json::from_str(note).ok()?;
    let is_ours = note.get("version")?.as_i64()? == VERSION
        && note.get("collection")?.as_str()? == uuid_text(&collection.uuid());
    let age_ms = value::date::now_ms() - note.get("at")?.as_i64()?;
    let reached: Sequence = note.get("reached")?.as_str()?.parse().ok()?;
    let is_good = is_ours && age_ms < BEHIND_MS_MAX && reached <= collection.head();
    is_good
        .then(|| Some((Layout::of_note(note.get("layout")?)?, reached)))
        .flatten()
}

/// A collection's id as text.
pub fn uuid_text(uuid: &[u8; 16]) -> String {
    use std::fmt::Write;
    uuid.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
