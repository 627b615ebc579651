//! The plans that won, remembered for the shape of their query.

use super::catalog::KnownIndex;
use super::index_filters::shape_of;
use super::shape::Shape;
use crate::execute::FindSpec;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use store::Collection;
use value::{Document, doc};

/// The most shapes that are remembered for one collection.
pub const SHAPES_MAX: usize = 1000;

/// A remembered plan has done badly once it has examined this many times as many keys as when it won.
pub const WORSE_FACTOR: u64 = 10;

/// A remembered plan may examine this many keys before it is judged, so that small numbers decide nothing.
pub const WORKS_MIN: u64 = 100;

/// The plans remembered for one collection.
#[derive(Debug, Default)]
pub struct PlanCache {
    state: Mutex<State>,
    /// How often all documents were read in their natural order.
    collection_scans: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    /// The indexes for which the plans were chosen. When the indexes change, all are forgotten.
    indexes: Vec<(u32, bool)>,
    plans: HashMap<Shape, Remembered>,
    clock: u64,
}

/// A remembered plan.
#[derive(Clone, Debug)]
pub struct Remembered {
    /// The plan's signature.
    pub signature: String,
    /// The number of keys or documents that it examined when it won.
    pub works: u64,
    /// How often it was used since.
    pub uses: u64,
    last_use: u64,
}

/// Forgets the plans remembered for a collection.
pub fn forget_plans(collection: &Collection) {
    PlanCache::of(collection).clear();
}

/// Forgets the plan remembered for the shape of a query.
pub fn forget_plan(collection: &Collection, spec: &FindSpec) {
    PlanCache::of(collection).forget(&shape_of(spec));
}

/// How often a query read all documents of a collection, since it was opened.
pub fn collection_scans(collection: &Collection) -> u64 {
    PlanCache::of(collection).collection_scans.load(Ordering::Relaxed)
}

/// The plans remembered for a collection, as documents.
pub fn remembered_plans(collection: &Collection) -> Vec<Document> {
    let entries = PlanCache::of(collection).entries();
    let documents = entries.into_iter().map(|(shape, plan)| {
        doc! {
            "planCacheShapeHash": shape.hash(),
            "planCacheKey": shape.hash(),
            "version": "1",
            "isActive": true,
            "works": plan.works as i64,
            "uses": plan.uses as i64,
            "cachedPlan": {"signature": plan.signature},
        }
    });
    documents.collect()
}

impl PlanCache {
    /// Counts a query that reads all documents.
    pub fn note_collection_scan(&self) {
        self.collection_scans.fetch_add(1, Ordering::Relaxed);
    }

    /// The plans remembered for a collection.
    pub fn of(collection: &Collection) -> Arc<PlanCache> {
        collection.companion()
    }

    /// The plan remembered for a shape, if the indexes are still the same.
    pub fn get(&self, shape: &Shape, indexes: &[KnownIndex]) -> Option<Remembered> {
        let mut state = self.state.lock();
        state.check(indexes);
        state.clock += 1;
        let now = state.clock;
        let remembered = state.plans.get_mut(shape)?;
        remembered.uses += 1;
        remembered.last_use = now;
        Some(remembered.clone())
    }

    /// Remembers the winner of a shape.
    pub fn put(&self, shape: Shape, signature: String, works: u64, indexes: &[KnownIndex]) {
        let mut state = self.state.lock();
        state.check(indexes);
        if state.plans.len() >= SHAPES_MAX && !state.plans.contains_key(&shape) {
            let oldest = state
                .plans
                .iter()
                .min_by_key(|(_, plan)| plan.last_use)
                .map(|(shape, _)| shape.clone());
            if let Some(oldest) = oldest {
                state.plans.remove(&oldest);
            }
        }
        state.clock += 1;
        let last_use = state.clock;
        state.plans.insert(
            shape,
            Remembered {
                signature,
                works,
                uses: 0,
                last_use,
            },
        );
    }

    /// Forgets one shape.
    pub fn forget(&self, shape: &Shape) {
        self.state.lock().plans.remove(shape);
    }

    /// Forgets all plans.
    pub fn clear(&self) {
        self.state.lock().plans.clear();
    }

    /// All remembered plans.
    pub fn entries(&self) -> Vec<(Shape, Remembered)> {
        self.state
            .lock()
            .plans
            .iter()
            .map(|(shape, plan)| (shape.clone(), plan.clone()))
            .collect()
    }
}

impl State {
    fn check(&mut self, indexes: &[KnownIndex]) {
        let now = indexes.iter().map(|known| (known.index.id(), known.facts.hidden));
        if !self.indexes.iter().copied().eq(now.clone()) {
            self.indexes = now.collect();
            self.plans.clear();
        }
    }
}
