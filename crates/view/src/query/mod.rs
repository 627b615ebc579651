//! Queries of a view: what is asked, and the rows that answer it, page by page.
//!
//! A query becomes ranges of ranks in the tree. So `skip`, `offset` and `total_rows` cost a path each, and a reduction
//! reads no row that a page's summary stands for.

mod answer;
mod group_by;
mod groups;
mod ranges;
mod runs;

pub use answer::{Answer, AnswerRow};
pub(crate) use runs::KeptRuns;

use crate::{Error, Result};
use serde_json::Value;
use store::Order;

/// When the rows are brought up to date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Update {
    /// Before the answer.
    #[default]
    Before,
    /// Not at all.
    No,
    /// After the answer.
    After,
}

/// How rows are grouped before they are reduced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Grouping {
    /// All are one group.
    #[default]
    None,
    /// Those of one key are a group.
    Exact,
    /// Rows whose keys begin with the same n elements are a group.
    Level(u64),
}

/// The options of a query, as CouchDB documents them (`/db/_design/ddoc/_view/view`).
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The partition whose rows are asked for. A partitioned view needs one, and no other view takes one.
    pub partition: Option<String>,
    /// The key at which rows begin.
    pub start_key: Option<Value>,
    /// The key at which they end.
    pub end_key: Option<Value>,
    /// Among rows of the start key, the document at which they begin.
    pub start_id: Option<String>,
    /// Among rows of the end key, the document at which they end.
    pub end_id: Option<String>,
    /// Only rows of these keys, in this order.
    pub keys: Option<Vec<Value>>,
    /// Whether the end belongs to the rows.
    pub inclusive_end: bool,
    /// Which way rows are read; the start is where the reading starts.
    pub order: Order,
    /// The rows to leave out first.
    pub skip: u64,
    /// The most rows to give.
    pub limit: Option<u64>,
    /// Whether to reduce; by default where the view can.
    pub reduce: Option<bool>,
    /// `group`.
    pub group: Option<bool>,
    /// `group_level`.
    pub group_level: Option<u64>,
    /// Whether rows come with documents; the caller adds them.
    pub include_docs: bool,
    /// Whether these documents list their conflicts.
    pub conflicts: Option<bool>,
    /// When the rows are brought up to date.
    pub update: Update,
}

impl Default for Query {
    fn default() -> Query {
        Query {
            partition: None,
            start_key: None,
            end_key: None,
            start_id: None,
            end_id: None,
            keys: None,
            inclusive_end: true,
            order: Order::Forward,
            skip: 0,
            limit: None,
            reduce: None,
            group: None,
            group_level: None,
            include_docs: false,
            conflicts: None,
            update: Update::Before,
        }
    }
}

impl Query {
    /// Refuses options that contradict each other or the view, in CouchDB's order and words
    /// (`couch_mrview_util:validate_args`).
    pub fn check(&self, has_reduce: bool, partitioned: bool) -> Result<()> {
        let refuse = |message: &str| Err(Error::QueryParse(message.to_owned()));
        let grouping = self.grouping()?;
        let reduces = has_reduce && self.reduce != Some(false);
        if !has_reduce && self.reduce == Some(true) {
            return refuse("Reduce is invalid for map-only views.");
        }
        if reduces && self.keys.is_some() && grouping != Grouping::Exact {
            return refuse("Multi-key fetches for reduce views must use `group=true`");
        }
        if self.keys.as_ref().is_some_and(|keys| !keys.is_empty()) && !self.keys_agree() {
            return refuse("`keys` is incompatible with `key`, `start_key` and `end_key`");
        }
        if !reduces && !matches!(grouping, Grouping::None | Grouping::Level(0)) {
            return refuse("Invalid use of grouping on a map view.");
        }
        if reduces && self.include_docs {
            return refuse("`include_docs` is invalid for reduce");
        }
        if reduces && self.conflicts.is_some() {
            return refuse("`conflicts` is invalid for reduce views.");
        }
        match (partitioned, &self.partition) {
            (true, None) => refuse("`partition` parameter is mandatory for queries to this view."),
            (false, Some(_)) => refuse("`partition` parameter is not supported in this design doc"),
            _ => Ok(()),
        }
    }

    /// What `group` and `group_level` come to.
    pub fn grouping(&self) -> Result<Grouping> {
        match (self.group, self.group_level) {
            (None | Some(false), None) => Ok(Grouping::None),
            (Some(false), Some(level)) if level > 0 => Err(Error::QueryParse(
                "Can't specify group=false and group_level>0 at the same time".to_owned(),
            )),
            (Some(true), None) => Ok(Grouping::Exact),
            (_, Some(0)) => Ok(Grouping::None),
            (_, Some(level)) => Ok(Grouping::Level(level)),
        }
    }

    fn keys_agree(&self) -> bool {
        match (&self.start_key, &self.end_key, self.keys.as_deref()) {
            (None, None, _) => true,
            (Some(start), Some(end), Some([key])) => start == key && end == key,
            _ => false,
        }
    }
}
