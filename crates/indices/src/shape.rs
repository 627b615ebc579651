//! An index as clients see it spread over shards: as many as its settings say. All documents are in the first one, and
//! copies that are asked for have no other node to be on, as on Elasticsearch's single nodes.

use crate::index::Index;
use search::shard_counts::Counts;
use serde_json::{Value, json};

/// How many shards an index is said to have.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape {
    /// Shards, without their copies.
    pub primaries: u64,
    /// Copies of each.
    pub replicas: u64,
    /// Whether somebody asked for copies.
    asks_for_copies: bool,
}

impl Shape {
    /// Reads it from the settings of an index.
    pub fn of(index: &Index) -> Shape {
        let counts = Counts::of(&index.given_settings());
        Shape {
            primaries: counts.shards.into(),
            replicas: counts.replicas.unwrap_or(1).into(),
            asks_for_copies: counts.replicas.is_some_and(|copies| copies > 0),
        }
    }

    /// Shards with their copies.
    pub fn total(self) -> u64 {
        self.primaries * (1 + self.replicas)
    }

    /// Copies that are on no node.
    pub fn unassigned(self) -> u64 {
        match self.asks_for_copies {
            true => self.primaries * self.replicas,
            false => 0,
        }
    }

    /// Green where nothing is missing that was asked for.
    pub fn health(self) -> &'static str {
        if self.unassigned() > 0 { "yellow" } else { "green" }
    }
}

/// `_shards` of an answer about these indices, copies counted.
pub fn shards_of(indices: &[Index]) -> Value {
    let shapes: Vec<Shape> = indices.iter().map(Shape::of).collect();
    let total: u64 = shapes.iter().map(|shape| shape.total()).sum();
    let successful: u64 = shapes.iter().map(|shape| shape.primaries).sum();
    json!({"total": total, "successful": successful, "failed": 0})
}
