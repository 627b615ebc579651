//! Where the terms of spans stand in a text, and how often (Lucene's `Spans`).

use super::TermPattern;
use super::test;
use crate::work::work;
use mapping::Field;
use mapping::fields::View;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// A span that is ready to be asked of documents.
#[derive(Debug)]
pub enum ReadySpan {
    /// Nothing.
    Nothing,
    /// A term of a field.
    Term(Arc<Field>, String),
    /// The terms of a pattern.
    Multi(Arc<Field>, TermPattern),
    /// Some near each other, with so many places between them at most, in their order or not.
    Near(Vec<ReadySpan>, i64, bool),
    /// So many places.
    Gap(i64),
    /// Any of several.
    Or(Vec<ReadySpan>),
    /// The first, without the second from so many places before it to so many behind it.
    Not(Box<ReadySpan>, Box<ReadySpan>, i64, i64),
    /// One that ends here at the latest.
    First(Box<ReadySpan>, i64),
    /// The first, with the second within it.
    Containing(Box<ReadySpan>, Box<ReadySpan>),
    /// The second, within the first.
    Within(Box<ReadySpan>, Box<ReadySpan>),
}

/// From a place up to another, and how far apart what is in it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    start: i64,
    end: i64,
    width: i64,
}

impl Place {
    fn has(self, other: Place) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

impl ReadySpan {
    /// How often it is there; what stands further apart counts less.
    pub(super) fn frequency(&self, view: &View<'_>) -> f32 {
        let found = self.found(view);
        found.iter().map(|place| 1.0 / (1.0 + place.width as f32)).sum()
    }

    /// The spans that it is made of.
    fn parts(&self) -> Vec<&ReadySpan> {
        match self {
            ReadySpan::Nothing | ReadySpan::Gap(_) | ReadySpan::Term(..) | ReadySpan::Multi(..) => Vec::new(),
            ReadySpan::Near(spans, ..) | ReadySpan::Or(spans) => spans.iter().collect(),
            ReadySpan::First(span, _) => vec![&**span],
            ReadySpan::Not(one, other, ..)
            | ReadySpan::Containing(one, other)
            | ReadySpan::Within(one, other) => vec![&**one, &**other],
        }
    }

    /// Whether all that it asks is of this field.
    pub fn is_all_of(&self, field: &Field) -> bool {
        let own = match self {
            ReadySpan::Term(of, _) | ReadySpan::Multi(of, _) => of.name == field.name,
            _ => true,
        };
        own && self.parts().into_iter().all(|part| part.is_all_of(field))
    }

    /// Whether it is about a term.
    pub(super) fn asks(&self, text: &str) -> bool {
        match self {
            ReadySpan::Term(_, term) => term == text,
            ReadySpan::Multi(_, pattern) => pattern.is_match(text),
            // What must not be there is not what was looked for.
            ReadySpan::Not(one, ..) => one.asks(text),
            _ => self.parts().into_iter().any(|part| part.asks(text)),
        }
    }

    /// The terms of a field that it asks for by themselves.
    pub(super) fn terms<'s>(&'s self, field: &str, out: &mut Vec<&'s str>) {
        if let ReadySpan::Term(of, term) = self
            && of.name == field
        {
            out.push(term);
        }
        for part in self.parts() {
            part.terms(field, out);
        }
    }

    /// Where it is, in the order of the text; nothing once the operation must end, which whoever asked finds too.
    fn found(&self, view: &View<'_>) -> Vec<Place> {
        let found = self.all_found(view);
        match work(1 + found.len()) {
            Ok(()) => found,
            Err(_) => Vec::new(),
        }
    }

    fn all_found(&self, view: &View<'_>) -> Vec<Place> {
        match self {
            ReadySpan::Nothing | ReadySpan::Gap(_) => Vec::new(),
            ReadySpan::Term(field, term) => places(view, field, |text| text == term),
            ReadySpan::Multi(field, pattern) => places(view, field, |text| pattern.is_match(text)),
            ReadySpan::Near(spans, slop, true) => in_order(spans, *slop, view),
            ReadySpan::Near(spans, slop, false) => {
                let lists: Vec<Vec<Place>> = spans.iter().map(|span| span.found(view)).collect();
                in_any_order(&lists, *slop)
            }
            ReadySpan::Or(spans) => {
                let mut found: Vec<Place> = spans.iter().flat_map(|span| span.found(view)).collect();
                found.sort();
                found
            }
            ReadySpan::Not(include, exclude, before, after) => {
                let excluded = exclude.found(view);
                let is_near = |place: Place, other: &Place| {
                    other.end > place.start - before && other.start - after < place.end
                };
                kept(include.found(view), &excluded, |place, others| {
                    !others.iter().any(|other| is_near(place, other))
                })
            }
            ReadySpan::First(span, end) => {
                let mut found = span.found(view);
                found.retain(|place| place.end <= *end);
                found
            }
            ReadySpan::Containing(big, little) => {
                kept(big.found(view), &little.found(view), |place, others| {
                    others.iter().any(|other| place.has(*other))
                })
            }
            ReadySpan::Within(big, little) => kept(little.found(view), &big.found(view), |place, others| {
                others.iter().any(|other| other.has(place))
            }),
        }
    }
}

/// The places that stand to others as they must.
fn kept(mut found: Vec<Place>, others: &[Place], is_one: impl Fn(Place, &[Place]) -> bool) -> Vec<Place> {
    /// The places that one is compared with in the time of one step.
    const COMPARED_PER_STEP: usize = 32;
    found.retain(|place| work(1 + others.len() / COMPARED_PER_STEP).is_ok() && is_one(*place, others));
    found
}

fn places(view: &View<'_>, field: &Field, is_one: impl Fn(&str) -> bool) -> Vec<Place> {
    let terms = test::terms(view, field).terms;
    let there = terms.iter().filter(|(text, _)| is_one(text));
    let mut found: Vec<Place> = there
        .map(|(_, place)| Place {
            start: *place,
            end: place + 1,
            width: 0,
        })
        .collect();
    found.sort();
    found
}

/// Each place of the first with the next ones of the others, none of which begins before the one in front of it ends.
fn in_order(spans: &[ReadySpan], slop: i64, view: &View<'_>) -> Vec<Place> {
    let Some((first, rest)) = spans.split_first() else {
        return Vec::new();
    };
    let lists: Vec<Vec<Place>> = rest.iter().map(|span| span.found(view)).collect();
    let mut at = vec![0; rest.len()];
    let mut found = Vec::new();
    for begin in first.found(view) {
        let (mut end, mut width) = (begin.end, 0);
        for ((span, list), at) in rest.iter().zip(&lists).zip(&mut at) {
            if let ReadySpan::Gap(places) = span {
                end += places;
                continue;
            }
            // They only go on.
            while list.get(*at).is_some_and(|place| place.start < end) {
                *at += 1;
            }
            let Some(next) = list.get(*at) else {
                return found;
            };
            width += next.start - end;
            end = next.end;
        }
        if width <= slop {
            found.push(Place {
                start: begin.start,
                end,
                width,
            });
        }
    }
    found
}

/// One of each list, always going on with the one that begins first.
fn in_any_order(lists: &[Vec<Place>], slop: i64) -> Vec<Place> {
    let firsts: Option<Vec<Place>> = lists.iter().map(|list| list.first().copied()).collect();
    let Some(firsts) = firsts else {
        return Vec::new();
    };
    let mut length: i64 = firsts.iter().map(|place| place.end - place.start).sum();
    let mut end = firsts.iter().map(|place| place.end).max().unwrap_or(0);
    let begun = firsts.into_iter().enumerate();
    let mut heap: BinaryHeap<Reverse<(Place, usize, usize)>> =
        begun.map(|(list, place)| Reverse((place, list, 0))).collect();
    let mut found = Vec::new();
    while let Some(Reverse((first, list, at))) = heap.pop() {
        if end - first.start - length <= slop {
            found.push(Place {
                start: first.start,
                end,
                width: end - first.start,
            });
        }
        let Some(next) = lists.get(list).and_then(|list| list.get(at + 1)) else {
            break;
        };
        length += (next.end - next.start) - (first.end - first.start);
        end = end.max(next.end);
        heap.push(Reverse((*next, list, at + 1)));
    }
    found
}
