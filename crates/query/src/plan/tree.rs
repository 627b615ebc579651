//! Plans: where documents come from, and the steps after that.

use super::facts::{FieldKind, IndexFacts};
use super::index_bounds::Unsuited;
use super::interval::Intervals;
use super::key_bounds::KeyBounds;
use super::near::NearScan;
use super::sort::SortPattern;
use std::sync::Arc;
use store::{Index, Order};
use value::Value;

/// One way to answer a query.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where documents come from.
    pub access: Access,
    /// Whether documents must still be matched against the filter.
    pub residual: bool,
    /// The order by which the documents must still be sorted.
    pub sort: Option<SortPattern>,
    /// Whether the results are made of index keys alone.
    pub covered: bool,
    /// Whether index keys are sorted, and only those that remain are looked up.
    pub sort_keys: bool,
}

/// Where documents come from.
#[derive(Clone, Debug)]
pub enum Access {
    /// Nothing can match.
    Nothing,
    /// All documents in natural order, or its reverse.
    Collection(Order),
    /// The document of this id.
    Id(Value),
    /// Those found in an index.
    Index(Arc<IndexScan>),
    /// Those found in an index of places, nearest first.
    Near(Arc<NearScan>),
    /// Those found in at least one of these.
    Union(Vec<Arc<IndexScan>>),
    /// Those found in at least one of these, each of which comes sorted by the query's sort.
    Merge(Vec<Arc<IndexScan>>, SortPattern),
}

/// One scan of an index.
#[derive(Clone, Debug)]
pub struct IndexScan {
    /// The index that is read.
    pub index: Arc<Index>,
    /// Its facts.
    pub facts: Arc<IndexFacts>,
    /// The allowed keys of each field.
    pub bounds: Vec<Intervals>,
    /// The bounds in bytes.
    pub keys: KeyBounds,
    /// The direction in which it is read.
    pub order: Order,
    /// `min` and `max` of the query, as keys of the index: from (included) and to (excluded).
    pub clip: Option<Clip>,
}

/// A range of keys to which a scan is restricted.
#[derive(Clone, Debug, Default)]
pub struct Clip {
    /// The first key; `None` for the beginning of the index.
    pub low: Option<Vec<u8>>,
    /// The excluded end; `None` for the end of the index.
    pub high: Option<Vec<u8>>,
}

/// The result of planning.
#[derive(Clone, Debug)]
pub struct Candidates {
    /// Ways to answer the query, in the order in which they were found.
    pub plans: Vec<Arc<Plan>>,
    /// Indexes that cannot answer the query, and why.
    pub unsuited: Vec<(String, Unsuited)>,
}

impl Candidates {
    /// A single plan, because none can be better.
    pub fn only(plan: Plan) -> Candidates {
        Candidates {
            plans: vec![Arc::new(plan)],
            unsuited: Vec::new(),
        }
    }
}

impl IndexScan {
    /// A scan of an index within bounds.
    pub fn new(index: Arc<Index>, facts: Arc<IndexFacts>, bounds: Vec<Intervals>, order: Order) -> IndexScan {
        let keys = KeyBounds::new(
            bounds
                .iter()
                .zip(facts.fields.iter().map(|field| field.kind.direction())),
        );
        IndexScan {
            index,
            facts,
            bounds,
            keys,
            order,
            clip: None,
        }
    }

    /// The least range that holds all wanted keys: from (included) and to (excluded, or the end).
    pub fn range(&self) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
        let (mut low, mut high) = self.keys.range()?;
        if let Some(clip) = &self.clip {
            if let Some(from) = &clip.low {
                low = low.max(from.clone());
            }
            if let Some(to) = &clip.high {
                high = Some(high.map_or_else(|| to.clone(), |high| high.min(to.clone())));
            }
        }
        if high.as_ref().is_some_and(|high| *high <= low) {
            return None;
        }
        Some((low, high))
    }

    /// Whether it can find a record more than once: a record may have several keys if arrays were indexed, and one for each
    /// path in a wildcard index.
    pub fn repeats(&self) -> bool {
        let mut fields = self.facts.fields.iter().zip(&self.bounds);
        let several_paths = fields.any(|(field, bound)| field.kind == FieldKind::Path && !bound.is_point());
        self.facts.is_multikey() || several_paths
    }

    /// Whether documents came into the index since the plan was made, with arrays on paths that had none before.
    pub fn has_new_arrays(&self) -> bool {
        // The path in the keys of a wildcard index is not a field of the index.
        let fields = self.facts.fields.iter();
        let mut fields = fields.filter(|field| field.kind != FieldKind::Path).enumerate();
        fields.any(|(position, field)| !field.multikey && self.index.is_multikey_field(position))
    }

    /// Whether it can find at most one record.
    pub fn is_one_key(&self) -> bool {
        self.facts.unique && !self.repeats() && self.bounds.iter().all(Intervals::is_point)
    }
}

impl Plan {
    /// Its index scans.
    pub fn scans(&self) -> &[Arc<IndexScan>] {
        match &self.access {
            Access::Nothing | Access::Collection(_) | Access::Id(_) => &[],
            Access::Index(scan) => std::slice::from_ref(scan),
            Access::Near(near) => std::slice::from_ref(&near.scan),
            Access::Union(scans) | Access::Merge(scans, _) => scans,
        }
    }

    /// Whether it can find a record more than once.
    pub fn repeats(&self) -> bool {
        match &self.access {
            // A scan for `$near` returns each record once.
            Access::Nothing | Access::Collection(_) | Access::Id(_) | Access::Near(_) => false,
            Access::Index(scan) => scan.repeats(),
            Access::Union(_) | Access::Merge(..) => true,
        }
    }

    /// Whether every document of the collection is read.
    pub fn is_full_scan(&self) -> bool {
        matches!(self.access, Access::Collection(_))
    }

    /// Whether the first result can be returned before the last is found.
    pub fn streams(&self) -> bool {
        self.sort.is_none()
    }

    /// A text that distinguishes this plan from others for queries of the same shape: the indexes that it reads, and how.
    pub fn signature(&self) -> String {
        let mut signature = match &self.access {
            Access::Nothing => "nothing".to_owned(),
            Access::Collection(Order::Forward) => "collection >".to_owned(),
            Access::Collection(Order::Backward) => "collection <".to_owned(),
            Access::Id(_) => "id".to_owned(),
            Access::Index(_) => "index".to_owned(),
            Access::Near(_) => "near".to_owned(),
            Access::Union(_) => "union".to_owned(),
            Access::Merge(..) => "merge".to_owned(),
        };
        for scan in self.scans() {
            signature.push_str(match scan.order {
                Order::Forward => " >",
                Order::Backward => " <",
            });
            signature.push_str(&scan.facts.name);
            if let Some(path) = &scan.facts.wildcard_path {
                signature.push(' ');
                signature.push_str(path);
            }
            if matches!(self.access, Access::Merge(..)) {
                // The number of merged scans follows from the filter's values.
                break;
            }
        }
        signature
    }
}
