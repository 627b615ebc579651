//! View groups: the rows of one design document's views in one collection, kept up with its change log.

mod registry;
mod round;
mod state;
mod update;

pub use registry::Views;
pub use update::Progress;

use crate::design::Definition;
use crate::query::{Answer, KeptRuns};
use crate::tree::{GroupPages, Tree};
use crate::{Error, Query, Result};
use memory::Budget;
use parking_lot::Mutex;
use state::GroupState;
use std::sync::Arc;
use store::{Collection, Derived, DerivedSnapshot, DocumentHistory, Record, Sequence};

/// How documents become the JSON that map functions see; the protocol's to say.
pub trait Render: Send + Sync {
    /// Appends the document's JSON text to `out` and returns its id; returns `None` and appends nothing if the record
    /// is no document to the protocol. `history` is given if the document has branches, or if `_local_seq` is asked
    /// for.
    fn document(
        &self,
        record: &Record,
        history: Option<&DocumentHistory>,
        options: RenderOptions<'_>,
        out: &mut String,
    ) -> Option<String>;

    /// The id of a document that was deleted.
    fn id(&self, id: &value::Value) -> Option<String>;
}

/// What a design document asks for besides the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RenderOptions<'a> {
    /// `_local_seq`: the number of the document's last change.
    pub local_sequence: bool,
    /// The members that the map functions look at: only these and the id need be rendered. `None` if all are needed.
    pub members: Option<&'a [String]>,
}

/// The rows of the views of one design document.
pub struct Group {
    collection: Arc<Collection>,
    derived: Arc<Derived>,
    definition: Definition,
    /// The design document as JSON text.
    design: String,
    render: Arc<dyn Render>,
    memory: Budget,
    kept: Arc<KeptRuns>,
    pages: GroupPages,
    /// Its holder is the only one in this process who updates.
    updating: tokio::sync::Mutex<()>,
    progress: Mutex<Option<Progress>>,
    /// What the map functions look at, once it is known.
    members: tokio::sync::OnceCell<Option<Vec<String>>>,
    /// All changes up to here are in the rows, or change no row.
    reached: Mutex<Sequence>,
}

impl std::fmt::Debug for Group {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Group")
            .field("collection", &self.collection.namespace())
            .field("design", &self.definition.id)
            .field("signature", &self.definition.signature)
            .finish_non_exhaustive()
    }
}

/// What a group holds and how far it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupInfo {
    /// The signature of its definition.
    pub signature: String,
    /// The language of its functions.
    pub language: String,
    /// The position in the collection's change log that the rows have reached.
    pub sequence: Sequence,
    /// The changes that are not in the rows yet, about.
    pub pending: u64,
    /// About how many bytes it takes on disk.
    pub disk_bytes: u64,
    /// The rows of all its views.
    pub rows: u64,
    /// The bytes of ids, keys and values of all rows.
    pub external_bytes: u64,
    /// Whether it is being updated.
    pub is_updating: bool,
}

impl Group {
    /// What the design document defines.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Refuses a query that this view cannot answer, before anything is built for it.
    pub fn check(&self, view: &str, query: &Query) -> Result<()> {
        let (_, reducer) = self.definition.view(view).ok_or(Error::MissingView)?;
        query.check(reducer.is_some(), self.definition.partitioned)
    }

    /// Answers a query from the rows as they are; bring them up to date with [`Group::update`] first.
    pub async fn query(&self, view: &str, query: Query) -> Result<Answer> {
        let (place, reducer) = self.definition.view(view).ok_or(Error::MissingView)?;
        let view = &self.definition.views[place];
        query.check(reducer.is_some(), self.definition.partitioned)?;
        let (snapshot, state) = self.state().await?;
        let root = state.views.get(place).cloned().flatten();
        let tree = Tree::new(snapshot, root).keeping(self.pages.clone());
        Answer::begin(tree, view, reducer, query, state.sequence, self.kept.clone()).await
    }

    /// What it holds.
    pub async fn info(&self) -> Result<GroupInfo> {
        let (_, state) = self.state().await?;
        let roots = || state.views.iter().flatten();
        let external_bytes = roots().map(|root| root.summary.bytes).sum();
        let reached = self.reached.lock().clone().max(state.sequence.clone());
        Ok(GroupInfo {
            signature: self.definition.signature.clone(),
            language: self.definition.language.clone(),
            sequence: state.sequence.clone(),
            pending: self.collection.head().changes_since(&reached),
            disk_bytes: self.derived.disk_bytes(external_bytes).await?,
            rows: roots().map(|root| root.summary.rows).sum(),
            external_bytes,
            is_updating: self.progress.lock().is_some(),
        })
    }

    /// Rewrites its files so that they hold only what lives.
    pub async fn compact(&self) -> Result<()> {
        Ok(self.derived.compact().await?)
    }

    /// The update under way.
    pub fn progress(&self) -> Option<Progress> {
        self.progress.lock().clone()
    }

    /// Whether the rows ever held all changes that there were.
    async fn is_complete(&self) -> Result<bool> {
        Ok(self.state().await?.1.complete)
    }

    async fn state(&self) -> Result<(Arc<DerivedSnapshot>, GroupState)> {
        let snapshot = Arc::new(self.derived.snapshot().await?);
        let state = if snapshot.state().is_empty() {
            GroupState {
                design: self.design.clone(),
                views: vec![None; self.definition.views.len()],
                ..GroupState::default()
            }
        } else {
            let state = GroupState::decode(snapshot.state());
            state.ok_or_else(|| snapshot.corrupt("the head of a view"))?
        };
        Ok((snapshot, state))
    }
}
