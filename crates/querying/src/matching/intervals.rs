//! Where in a text the terms of rules stand.
//!
//! A rule finds intervals, none of which has another within it, in the order of the text: a term where it stands, several
//! terms from the first of them to the last.

use super::TermPattern;
use super::test;
use crate::query::Standing as Relation;
use language::interruption::steps;
use mapping::Field;
use mapping::fields::View;
use std::fmt;
use std::sync::Arc;

/// The intervals that one is compared with in the time of one step.
const FOUND_PER_STEP: usize = 32;

/// A rule that is ready to be asked of documents.
#[derive(Debug)]
pub struct Rule {
    pub(super) kind: ReadyKind,
    pub(super) filter: Option<(Relation, Box<Rule>)>,
}

pub(super) enum ReadyKind {
    Nothing,
    /// A term of a field, with the n places before it that belong to it.
    Term(Arc<Field>, String, i64),
    Pattern(Arc<Field>, TermPattern),
    /// Each so often as it stands in the list.
    All {
        rules: Vec<Rule>,
        max_gaps: i64,
        ordered: bool,
    },
    /// The same interval n times in a row.
    Repeated(Box<Rule>, usize),
    Any(Vec<Rule>),
}

impl fmt::Debug for ReadyKind {
    /// Fields by their names, so that rules are written alike which ask the same, and shortly.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadyKind::Nothing => f.write_str("Nothing"),
            ReadyKind::Term(field, text, before) => write!(f, "Term({:?}, {text:?}, {before})", field.name),
            ReadyKind::Pattern(field, pattern) => write!(f, "Pattern({:?}, {pattern:?})", field.name),
            ReadyKind::All {
                rules,
                max_gaps,
                ordered,
            } => write!(f, "All({rules:?}, {max_gaps}, {ordered})"),
            ReadyKind::Repeated(rule, count) => write!(f, "Repeated({rule:?}, {count})"),
            ReadyKind::Any(rules) => write!(f, "Any({rules:?})"),
        }
    }
}

/// From a place to another one, and how many places between are of no term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Found {
    start: i64,
    end: i64,
    gaps: i64,
}

impl Found {
    fn width(self) -> i64 {
        self.end - self.start + 1
    }

    fn has(self, other: Found) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

impl Rule {
    /// A score from 0 to 1: the nearer its terms are to each other, and the more often, the higher.
    pub(super) fn score(&self, view: &View<'_>) -> Option<f32> {
        let found = self.found(view);
        let least = self.width_min();
        let near = |found: &Found| 1.0 / (found.width() - least + 1).max(1) as f32;
        let sum: f32 = found.iter().map(near).sum();
        (!found.is_empty()).then(|| sum / (sum + 1.0))
    }

    /// The places that it takes at least.
    fn width_min(&self) -> i64 {
        match &self.kind {
            ReadyKind::Nothing | ReadyKind::Pattern(..) => 1,
            ReadyKind::Term(_, _, before) => 1 + before,
            ReadyKind::All { rules, .. } => rules.iter().map(Rule::width_min).sum(),
            // As Lucene has it: one of them.
            ReadyKind::Repeated(rule, _) => rule.width_min(),
            ReadyKind::Any(rules) => rules.iter().map(Rule::width_min).min().unwrap_or(1),
        }
    }

    /// Whether all that it asks is of this field.
    pub fn is_all_of(&self, field: &Field) -> bool {
        let own = match &self.kind {
            ReadyKind::Nothing => true,
            ReadyKind::Term(of, ..) | ReadyKind::Pattern(of, _) => of.name == field.name,
            ReadyKind::All { rules, .. } | ReadyKind::Any(rules) => {
                rules.iter().all(|rule| rule.is_all_of(field))
            }
            ReadyKind::Repeated(rule, _) => rule.is_all_of(field),
        };
        own && self.filter.as_ref().is_none_or(|(_, rule)| rule.is_all_of(field))
    }

    /// Whether it is about a term.
    pub(super) fn asks(&self, text: &str) -> bool {
        match &self.kind {
            ReadyKind::Nothing => false,
            ReadyKind::Term(_, term, _) => term == text,
            ReadyKind::Pattern(_, pattern) => pattern.is_match(text),
            ReadyKind::All { rules, .. } | ReadyKind::Any(rules) => rules.iter().any(|rule| rule.asks(text)),
            ReadyKind::Repeated(rule, _) => rule.asks(text),
        }
    }

    fn found(&self, view: &View<'_>) -> Vec<Found> {
        let mut lists = self.alternatives(view);
        match lists.len() {
            1 => lists.pop().unwrap_or_default(),
            _ => smallest(lists.concat()),
        }
    }

    /// What is found by each of the rules one of which is enough: a filter is asked of each, before the smallest are taken.
    fn alternatives(&self, view: &View<'_>) -> Vec<Vec<Found>> {
        let mut lists = match &self.kind {
            ReadyKind::Nothing => Vec::new(),
            ReadyKind::Term(field, term, before) => vec![places(view, field, *before, |text| text == term)],
            ReadyKind::Pattern(field, pattern) => vec![places(view, field, 0, |text| pattern.is_match(text))],
            ReadyKind::Any(rules) => rules.iter().flat_map(|rule| rule.alternatives(view)).collect(),
            ReadyKind::Repeated(rule, count) => {
                let found = rule.found(view);
                vec![found.windows((*count).max(1)).map(together).collect()]
            }
            ReadyKind::All {
                rules,
                max_gaps,
                ordered,
            } => {
                let lists: Vec<Vec<Found>> = rules.iter().map(|rule| rule.found(view)).collect();
                let mut found = match ordered {
                    true => in_order(&lists),
                    false => in_any_order(&lists),
                };
                found.retain(|found| *max_gaps < 0 || found.gaps <= *max_gaps);
                vec![found]
            }
        };
        if let Some((relation, rule)) = &self.filter {
            let others = rule.found(view);
            for list in &mut lists {
                list.retain(|found| {
                    // Once the operation must end, nothing is found any more.
                    steps(1 + others.len() / FOUND_PER_STEP).is_ok() && stands(*found, *relation, &others)
                });
            }
        }
        lists
    }
}

fn places(view: &View<'_>, field: &Field, before: i64, is_one: impl Fn(&str) -> bool) -> Vec<Found> {
    let terms = test::terms(view, field).terms;
    let there = terms.iter().filter(|(text, _)| is_one(text));
    let mut found: Vec<Found> = there
        .map(|(_, place)| Found {
            start: place - before,
            end: *place,
            gaps: 0,
        })
        .collect();
    found.dedup();
    found
}

/// One interval from the first of several to the last.
fn together(several: &[Found]) -> Found {
    let start = several.iter().map(|found| found.start).min().unwrap_or(0);
    let end = several.iter().map(|found| found.end).max().unwrap_or(0);
    let taken: i64 = several.iter().map(|found| found.width()).sum();
    Found {
        start,
        end,
        gaps: end - start + 1 - taken,
    }
}

/// Those within which there is no other.
fn smallest(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|found| (found.start, std::cmp::Reverse(found.end)));
    let mut kept: Vec<Found> = Vec::with_capacity(found.len());
    for next in found {
        while kept.last().is_some_and(|last| last.has(next)) {
            kept.pop();
        }
        kept.push(next);
    }
    kept
}

/// One of each list after one of the list before.
fn in_order(lists: &[Vec<Found>]) -> Vec<Found> {
    let Some((first, rest)) = lists.split_first() else {
        return Vec::new();
    };
    let mut all = Vec::new();
    let mut at = vec![0; rest.len()];
    for begun in first {
        let mut chain = vec![*begun];
        for (list, at) in rest.iter().zip(&mut at) {
            let end = chain.last().map_or(begun.end, |last| last.end);
            while list.get(*at).is_some_and(|next| next.start <= end) {
                *at += 1;
            }
            match list.get(*at) {
                Some(next) => chain.push(*next),
                // What begins later finds nothing either.
                None => return smallest(all),
            }
        }
        all.push(together(&chain));
    }
    smallest(all)
}

/// One of each list, wherever.
fn in_any_order(lists: &[Vec<Found>]) -> Vec<Found> {
    let mut at = vec![0; lists.len()];
    let mut all = Vec::new();
    loop {
        let current: Option<Vec<Found>> = lists
            .iter()
            .zip(&at)
            .map(|(list, at)| list.get(*at).copied())
            .collect();
        let Some(current) = current.filter(|current| !current.is_empty()) else {
            return smallest(all);
        };
        all.push(together(&current));
        let first = (0..current.len()).min_by_key(|one| (current[*one].start, current[*one].end));
        if let Some(first) = first {
            at[first] += 1;
        }
    }
}

fn stands(found: Found, relation: Relation, others: &[Found]) -> bool {
    let any = |is_so: &dyn Fn(Found) -> bool| others.iter().any(|other| is_so(*other));
    let overlaps = |other: Found| found.start <= other.end && other.start <= found.end;
    match relation {
        Relation::After => any(&|other| other.end < found.start),
        Relation::Before => any(&|other| found.end < other.start),
        Relation::ContainedBy => any(&|other| other.has(found)),
        Relation::NotContainedBy => !any(&|other| other.has(found)),
        Relation::Containing => any(&|other| found.has(other)),
        // As Lucene has it: one that goes beyond this one on both sides leaves it out, too.
        Relation::NotContaining => others
            .iter()
            .find(|other| other.start >= found.start || other.end >= found.end)
            .is_none_or(|other| other.start > found.end),
        Relation::Overlapping => any(&overlaps),
        Relation::NotOverlapping => !any(&overlaps),
    }
}
