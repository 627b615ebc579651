//! Hits in groups by the values of a field.
//!
//! Reference: Clouseau's `IndexService.scala`, `group1` and `group2`: the first finds the groups whose best hits are the best, the
//! second the hits of each.

use crate::definition::TextIndex;
use crate::error::Result;
use crate::found::{FoundHit, TextSearch, parsed};
use crate::highlights::{Marker, found_hit};
use crate::run::{IndexRows, Reading};
use crate::sort::{SortBy, distances, keys};
use memory::Budget;
use search::{Hit, Request};
use serde_json::Value as Json;
use std::collections::{HashMap, HashSet};

/// How hits are grouped.
#[derive(Clone, Debug)]
pub struct Grouping {
    /// The field.
    pub field: String,
    /// Groups at most.
    pub limit: usize,
    /// The order of groups: that of the best hit of each by this.
    pub sort: Vec<SortBy>,
}

/// One group.
#[derive(Debug)]
pub struct Group {
    /// The value that its documents have; `None` for those without one.
    pub by: Option<String>,
    /// The documents of the group that match.
    pub total: u64,
    /// The best of them.
    pub hits: Vec<FoundHit>,
}

/// What was found.
#[derive(Debug)]
pub struct Groups {
    /// The documents that match.
    pub total: u64,
    /// Those of them that are in the groups.
    pub total_grouped: u64,
    /// The best groups.
    pub groups: Vec<Group>,
}

/// The groups among hits: how many each has, and which are first.
#[derive(Default)]
struct Ranked {
    order: Vec<Option<String>>,
    totals: HashMap<Option<String>, u64>,
}

impl TextSearch {
    /// Looks at all that the index holds.
    pub async fn find_groups(
        &self,
        index: &TextIndex,
        grouping: &Grouping,
        memory: &Budget,
    ) -> Result<Groups> {
        let distances = distances(&[&self.sort, &grouping.sort]);
        let reading = Reading {
            partition: None,
            distances: &distances,
            group_field: Some(&grouping.field),
        };
        let entries = IndexRows::read(index, reading, memory).await?;
        let mapping = entries.mapping(index, distances.len())?;
        let keys = |sort: &[SortBy]| keys(sort, &entries.fields, &distances, self.by_greatest);
        let by_groups = self.request_all(&keys(&grouping.sort), &entries)?;
        let found = entries.run(&by_groups, &mapping, |_| true)?;
        let mut ranked = Ranked::of(&found.hits, &entries);
        ranked.order.truncate(grouping.limit);
        let total = found.total;
        let hits = match self.sort == grouping.sort {
            true => found.hits,
            false => {
                drop(found);
                let chosen: HashSet<&Option<String>> = ranked.order.iter().collect();
                let by_hits = self.request_all(&keys(&self.sort), &entries)?;
                entries
                    .run(&by_hits, &mapping, |entry| chosen.contains(&entry.group))?
                    .hits
            }
        };
        let mut groups = ranked.groups();
        let marker = Marker::of(self.highlights.as_ref(), &by_groups, &mapping, index)?;
        self.fill(&mut groups, hits, &entries, marker.as_ref())?;
        Ok(Groups {
            total,
            total_grouped: groups.iter().map(|group| group.total).sum(),
            groups,
        })
    }

    /// A request for all hits, since any may be among the best of its group.
    fn request_all(&self, sort: &Json, entries: &IndexRows) -> Result<Request> {
        Ok(Request {
            window_max: usize::MAX,
            ..parsed(&self.body(sort, entries.all.len()))?
        })
    }

    /// Gives each group its best hits.
    fn fill(
        &self,
        groups: &mut [Group],
        hits: Vec<Hit>,
        entries: &IndexRows,
        marker: Option<&Marker<'_>>,
    ) -> Result<()> {
        let places = groups
            .iter()
            .enumerate()
            .map(|(at, group)| (group.by.clone(), at));
        let places: HashMap<Option<String>, usize> = places.collect();
        for hit in hits {
            let group = places
                .get(group_of(&hit, entries))
                .and_then(|at| groups.get_mut(*at));
            if let Some(group) = group.filter(|group| group.hits.len() < self.limit) {
                group.hits.push(found_hit(hit, marker)?);
            }
        }
        Ok(())
    }
}

impl Ranked {
    fn of(hits: &[Hit], entries: &IndexRows) -> Ranked {
        let mut ranked = Ranked::default();
        for hit in hits {
            let group = group_of(hit, entries);
            if let Some(total) = ranked.totals.get_mut(group) {
                *total += 1;
            } else {
                ranked.totals.insert(group.clone(), 1);
                ranked.order.push(group.clone());
            }
        }
        ranked
    }

    fn groups(self) -> Vec<Group> {
        let group = |by: Option<String>| Group {
            total: self.totals.get(&by).copied().unwrap_or(0),
            by,
            hits: Vec::new(),
        };
        self.order.into_iter().map(group).collect()
    }
}

/// A hit's number is its place among the entries.
fn group_of<'e>(hit: &Hit, entries: &'e IndexRows) -> &'e Option<String> {
    let at = usize::try_from(hit.sequence).ok();
    at.and_then(|at| entries.all.get(at))
        .map_or(&None, |entry| &entry.group)
}
