//! A document on its way through a run: whether it matches, what aggregations take of it, whether it is among the best hits.

use super::Run;
use crate::aggregations::Context;
use crate::hit::Hit;
use crate::order::{after, compare, sort_values};
use crate::seen::Seen;
use mapping::Mapping;
use mapping::error::Result;
use mapping::fields::View;
use value::DocumentBuf;

impl Run<'_> {
    /// Takes a document if it matches; false where no more are wanted.
    pub fn see(&mut self, seen: &Seen<'_>) -> Result<bool> {
        let Some((at, query, filter)) = &self.current else {
            return Ok(false);
        };
        let Some(index) = self.indices.get(*at) else {
            return Ok(false);
        };
        if let Some(profile) = self.profiling.present() {
            profile.read += 1;
        }
        let view = seen.view(*at, index);
        let score = query.score(&view, &self.statistics);
        self.check_scores()?;
        let Some(score) = score else {
            return Ok(true);
        };
        let score = score * index.boost;
        if self.request.min_score.is_some_and(|least| score < least) {
            return Ok(true);
        }
        if self
            .request
            .terminate_after
            .is_some_and(|most| self.collected >= most)
        {
            self.terminated_early = true;
            return Ok(false);
        }
        self.collected += 1;
        if !self.request.aggregations.is_empty() && !self.is_grouped {
            let context = Context {
                filters: &self.filters,
                statistics: &self.statistics,
                weight: 1,
                score,
                held: &self.held,
            };
            self.collected_values
                .collect(&self.aggregations, &view.scored(score), &context, 0)?;
        }
        if filter
            .as_ref()
            .is_some_and(|filter| filter.score(&view, &self.statistics).is_none())
        {
            return Ok(true);
        }
        self.total += 1;
        let score = self.wants_scores().then_some(score);
        self.max_score = match (self.max_score, score) {
            (Some(best), Some(score)) => Some(best.max(score)),
            (best, score) => best.or(score),
        };
        if self.request.size == 0 {
            return Ok(true);
        }
        let hit = self.hit(*at, seen, &view, score)?;
        if self.is_asked_for(&hit, &index.mapping)? {
            self.keep(hit)?;
        }
        Ok(true)
    }

    /// A document as a hit.
    fn hit(&self, index: usize, seen: &Seen<'_>, view: &View<'_>, score: Option<f32>) -> Result<Hit> {
        let document = match self.request.is_bare {
            true => DocumentBuf::from(&value::Document::new()),
            false => seen.document.clone(),
        };
        Ok(Hit {
            index,
            id: seen.id.to_owned(),
            sequence: seen.sequence,
            version: seen.version,
            score,
            document,
            nested: Vec::new(),
            ignored: Vec::new(),
            matched: Vec::new(),
            sort: sort_values(&self.sort, view, score, seen.sequence)?,
            counted: None,
        })
    }

    /// Whether a hit comes after those that the client has already.
    fn is_asked_for(&self, hit: &Hit, mapping: &Mapping) -> Result<bool> {
        if let Some(values) = &self.request.search_after
            && !after(hit, values, &self.request.sort, mapping)?
        {
            return Ok(false);
        }
        let last = self.request.after.as_ref();
        Ok(last.is_none_or(|last| compare(&self.request.sort, last, hit).is_lt()))
    }

    fn keep(&mut self, hit: Hit) -> Result<()> {
        let bytes = hit.bytes();
        if !self.held.fit(bytes) {
            // Those that are not among the best make room.
            self.trim();
            self.held.add(bytes)?;
        }
        self.hits.push(hit);
        if self.hits.len() >= 2 * (self.request.from + self.request.size) + 1000 {
            self.trim();
        }
        Ok(())
    }

    /// Keeps no more hits than can be asked for.
    pub(super) fn trim(&mut self) {
        let sort = &self.request.sort;
        self.hits.sort_by(|a, b| compare(sort, a, b));
        let kept = self.kept().min(self.hits.len());
        let others = self.hits.drain(kept..);
        self.held.give_back(others.map(|hit| hit.bytes()).sum());
    }
}
