//! What an index is asked for a query.

use super::ASKED;
use super::entry::number;
use super::layout::Layout;
use super::place::FieldPlace;
use fulltext::{Key, Lookup, Number, Part};
use language::interruption::steps;
use mapping::fields::Term;
use mapping::{Field, FieldKind, Meta};
use querying::{Expanding, Leaf, Node, Statistics, Test, flag_term, is_above, is_below};
use std::ops::Bound;
use std::sync::Arc;

/// The places of a phrase that an index is asked for: with more, the documents are asked as well.
const PLACES_MAX: usize = 64;

/// What an index is asked.
#[derive(Clone, Debug)]
pub struct IndexLookup {
    /// It finds every document that matches.
    pub lookup: Lookup,
    /// Whether it finds no other; else the documents are asked.
    pub is_exact: bool,
}

/// What an index is asked for a query; `ids` gives the keys that a document may have whose `_id` is this text.
pub(crate) fn wanted(node: &Node, asker: Asker<'_>) -> IndexLookup {
    asker.node(node)
}

impl IndexLookup {
    fn exact(lookup: Lookup) -> IndexLookup {
        IndexLookup {
            lookup,
            is_exact: true,
        }
    }

    fn more(lookup: Lookup) -> IndexLookup {
        IndexLookup {
            lookup,
            is_exact: false,
        }
    }

    /// The same of the field that entries are sorted by, where it asks for a range.
    fn of_times(self) -> IndexLookup {
        let whole = |end: Bound<Number>| match end {
            Bound::Unbounded => Some(Bound::Unbounded),
            Bound::Included(Number::Integer(ms)) => Some(Bound::Included(ms)),
            Bound::Excluded(Number::Integer(ms)) => Some(Bound::Excluded(ms)),
            Bound::Included(_) | Bound::Excluded(_) => None,
        };
        match self.lookup {
            Lookup::Range(key, low, high) => match (whole(low), whole(high)) {
                (Some(low), Some(high)) => IndexLookup {
                    lookup: Lookup::Times(key, low, high),
                    ..self
                },
                _ => self,
            },
            _ => self,
        }
    }

    /// What is asked of an index with entries that could not say all of their documents.
    pub(crate) fn with_asked(self) -> IndexLookup {
        IndexLookup::more(Lookup::Some(vec![self.lookup, Lookup::Present(ASKED)], 1))
    }

    /// Whether an index has such entries.
    pub(crate) fn asked() -> Lookup {
        Lookup::Present(ASKED)
    }
}

/// Makes lookups of queries.
#[derive(Clone, Copy)]
pub(crate) struct Asker<'a> {
    layout: &'a Layout,
    /// The name of the index.
    index: &'a str,
    ids: &'a dyn Fn(&str) -> Vec<Vec<u8>>,
    /// What was counted: the terms that stand for patterns.
    statistics: &'a Statistics,
    /// The path of the nested objects that are asked.
    scope: Option<&'a str>,
}

impl<'a> Asker<'a> {
    /// An asker of an index that is laid out so.
    pub(crate) fn new(
        layout: &'a Layout,
        index: &'a str,
        ids: &'a dyn Fn(&str) -> Vec<Vec<u8>>,
        statistics: &'a Statistics,
    ) -> Asker<'a> {
        Asker {
            layout,
            index,
            ids,
            statistics,
            scope: None,
        }
    }

    pub(super) fn node(self, node: &'a Node) -> IndexLookup {
        match node {
            Node::All(_) => IndexLookup::exact(Lookup::All),
            Node::Nothing => IndexLookup::exact(Lookup::Nothing),
            Node::Constant(node, _) => self.node(node),
            Node::Ids(ids, _) => {
                let keys = ids.iter().flat_map(|id| (self.ids)(id));
                IndexLookup::exact(Lookup::Ids(keys.collect()))
            }
            Node::DisMax(nodes, ..) => self.some(nodes, 1),
            Node::Covering(covering) => IndexLookup::more(self.some(covering.nodes(), 1).lookup),
            Node::Boosting { positive, .. } => self.node(positive),
            Node::Functions(functions) => self.scored(functions.matched()),
            Node::ScriptScore(script) => self.scored(script.matched()),
            Node::Script(..) | Node::Slice(..) => IndexLookup::more(Lookup::All),
            // What other documents have the text of such an `_id` is asked of them.
            Node::Found(found, _) => {
                let keys = found.ids(self.index).flat_map(|id| (self.ids)(id));
                IndexLookup::more(Lookup::Ids(keys.collect()))
            }
            Node::Nested { path, node, .. } => {
                let scope = Some(path.as_str());
                IndexLookup::more(Asker { scope, ..self }.node(node).lookup)
            }
            Node::Bool {
                must,
                filter,
                should,
                must_not,
                minimum,
                ..
            } => {
                let mut every: Vec<IndexLookup> =
                    must.iter().chain(filter).map(|node| self.node(node)).collect();
                if *minimum > 0 {
                    every.push(self.some(should, *minimum));
                }
                let mut is_exact = every.iter().all(|wanted| wanted.is_exact);
                let mut lookup = Lookup::Every(every.into_iter().map(|wanted| wanted.lookup).collect());
                // Of what is found too much, nothing can be taken away.
                let (exact, more): (Vec<IndexLookup>, Vec<IndexLookup>) = must_not
                    .iter()
                    .map(|node| self.node(node))
                    .partition(|wanted| wanted.is_exact && self.scope.is_none());
                is_exact &= more.is_empty();
                if !exact.is_empty() {
                    let others = exact.into_iter().map(|wanted| wanted.lookup).collect();
                    lookup = Lookup::Except(Box::new(lookup), others);
                }
                IndexLookup { lookup, is_exact }
            }
            Node::Leaf(leaf) => self.leaf(leaf),
        }
    }

    /// A query whose scores may leave some out.
    fn scored(self, (node, leaves_out): (&'a Node, bool)) -> IndexLookup {
        let wanted = self.node(node);
        IndexLookup {
            is_exact: wanted.is_exact && !leaves_out,
            ..wanted
        }
    }

    fn some(self, nodes: &'a [Node], least: usize) -> IndexLookup {
        let wanted: Vec<IndexLookup> = nodes.iter().map(|node| self.node(node)).collect();
        IndexLookup {
            is_exact: wanted.iter().all(|wanted| wanted.is_exact),
            lookup: Lookup::Some(wanted.into_iter().map(|wanted| wanted.lookup).collect(), least),
        }
    }

    fn leaf(self, leaf: &'a Leaf) -> IndexLookup {
        let field = &leaf.field;
        if let Test::Sequence(low, high) = &leaf.test {
            return match (low, high) {
                (Bound::Unbounded, Bound::Unbounded) => IndexLookup::exact(Lookup::All),
                _ => IndexLookup::exact(Lookup::Sequence(*low, *high)),
            };
        }
        if let Some(meta) = field.meta {
            return self.meta(meta, &leaf.test);
        }
        // Documents are as near as what is nested in them.
        let is_seen = field.nested.as_deref() == self.scope || matches!(leaf.test, Test::Nearest(_));
        if !is_seen {
            return IndexLookup::exact(Lookup::Nothing);
        }
        match self.layout.place(field) {
            None => IndexLookup::exact(Lookup::Nothing),
            Some(place) if field.nested.is_some() => {
                IndexLookup::more(self.flat(&place, field, &leaf.test).lookup)
            }
            Some(place) => match self.test(&place, field, &leaf.test) {
                wanted if self.layout.time() == Some(&field.name) => wanted.of_times(),
                wanted => wanted,
            },
        }
    }

    /// What every document has that is in none.
    fn meta(self, meta: Meta, test: &Test) -> IndexLookup {
        let is_it = match (meta, test) {
            (Meta::Index, Test::Term(name)) => name == self.index,
            (Meta::Index, Test::AnyTerm(names)) => names.contains(self.index),
            (Meta::Index, Test::Pattern(pattern)) => pattern.is_match(self.index),
            _ => return IndexLookup::more(Lookup::All),
        };
        IndexLookup::exact(if is_it { Lookup::All } else { Lookup::Nothing })
    }

    /// A test on a field of nested objects.
    fn flat(self, place: &FieldPlace, field: &Field, test: &Test) -> IndexLookup {
        match test {
            Test::Term(_) | Test::Values(_) | Test::Range(..) if !field.is_textual() => {
                IndexLookup::more(place.present())
            }
            Test::Exists => IndexLookup::more(place.present()),
            test => self.test(place, field, test),
        }
    }

    fn test(self, place: &FieldPlace, field: &Field, test: &Test) -> IndexLookup {
        let present = || IndexLookup::more(place.present());
        let part = part(field);
        if !is_said(field) {
            return present();
        }
        match test {
            Test::Exists => IndexLookup::exact(place.present()),
            Test::Term(term) if flag(field, term).is_some() => {
                IndexLookup::exact(flagged(place.key, flag(field, term) == Some(true)))
            }
            Test::Term(term) | Test::Blended { term, .. } => IndexLookup::exact(place.terms(part, [term])),
            Test::AnyTerm(terms) => IndexLookup::exact(place.terms(part, terms)),
            Test::Pattern(pattern) => IndexLookup::exact(place.pattern(part, pattern)),
            Test::Expanded(expanding) => IndexLookup::exact(self.expanded(place, part, field, expanding)),
            Test::Phrase {
                terms,
                slop,
                beginnings,
            } => self.phrase(place, field, (terms, *slop), beginnings),
            Test::Values(values) => {
                let one = |value: &Term| {
                    let number = number(value)?;
                    let end = Bound::Included(number);
                    Some(Lookup::Range(place.key, end, end))
                };
                match values.iter().map(one).collect::<Option<Vec<_>>>() {
                    Some(lookups) => IndexLookup::exact(Lookup::Some(lookups, 1)),
                    None => present(),
                }
            }
            Test::Range(low, high) if field.is_textual() => {
                let (low, high) = (low.clone(), high.clone());
                let is_in = move |text: &str| {
                    steps(1).ok()?;
                    let term = Term::Text(text.to_owned());
                    Some(is_above(&term, &low) && is_below(&term, &high))
                };
                IndexLookup::exact(place.matching(part, "", is_in))
            }
            Test::Range(Bound::Unbounded, Bound::Unbounded) => IndexLookup::exact(place.present()),
            Test::Range(low, high) => match (end(low), end(high)) {
                (Some(low), Some(high)) => IndexLookup::exact(Lookup::Range(place.key, low, high)),
                _ => present(),
            },
            Test::Intervals(rule) if !rule.is_all_of(field) => IndexLookup::more(Lookup::All),
            Test::Spans(span) if !span.is_all_of(field) => IndexLookup::more(Lookup::All),
            Test::Interval(..)
            | Test::Intervals(_)
            | Test::Spans(_)
            | Test::Nearness { .. }
            | Test::Nearest(_)
            | Test::Distance(..)
            | Test::Network(..)
            | Test::Near(..)
            | Test::Within(_)
            | Test::Sequence(..) => present(),
        }
    }

    fn phrase(
        self,
        place: &FieldPlace,
        field: &Field,
        (terms, slop): (&[(u32, Vec<String>)], u32),
        beginnings: &[Arc<Expanding>],
    ) -> IndexLookup {
        let part = part(field);
        let is_plain = slop == 0
            && beginnings.is_empty()
            && (2..=PLACES_MAX).contains(&terms.len())
            && part == Part::Text;
        if is_plain && terms.iter().all(|(_, words)| words.len() == 1) {
            let words = terms
                .iter()
                .flat_map(|(place, words)| words.iter().map(|word| (*place, word.clone())));
            return IndexLookup::exact(Lookup::Phrase(place.key, words.collect()));
        }
        let one = |(at, (_, words)): (usize, &(u32, Vec<String>))| match !beginnings.is_empty()
            && at + 1 == terms.len()
        {
            false => place.terms(part, words),
            true => {
                let begun = beginnings.iter();
                let begun = begun.map(|one| self.expanded(place, part, field, one));
                Lookup::Some(begun.collect(), 1)
            }
        };
        let places = terms.iter().enumerate().take(PLACES_MAX);
        IndexLookup::more(Lookup::Every(places.map(one).collect()))
    }

    /// The terms that stand for a pattern; before they are counted, all of it.
    fn expanded(self, place: &FieldPlace, part: Part, field: &Field, expanding: &Expanding) -> Lookup {
        match self.statistics.expansion(&field.name, expanding) {
            Some(expansion) if self.statistics.is_counted() => place.terms(part, expansion.terms()),
            _ => place.pattern(part, &expanding.pattern),
        }
    }
}

/// What a term stands for of a field that is true or false.
pub(super) fn flag(field: &Field, term: &str) -> Option<bool> {
    (field.kind == FieldKind::Boolean).then(|| term == flag_term(true))
}

/// What is true, or false, in the column of a key.
pub(super) fn flagged(key: Key, flag: bool) -> Lookup {
    let end = Bound::Included(Number::Integer(i64::from(flag)));
    Lookup::Range(key, end, end)
}

pub(super) fn part(field: &Field) -> Part {
    match field.kind {
        FieldKind::Text if field.nested.is_none() => Part::Text,
        _ => Part::Word,
    }
}

/// Whether entries have the values of a field, and not only that there are some.
fn is_said(field: &Field) -> bool {
    !matches!(field.kind, FieldKind::Range(_) | FieldKind::Completion)
}

fn end(end: &Bound<Term>) -> Option<Bound<Number>> {
    Some(match end {
        Bound::Unbounded => Bound::Unbounded,
        Bound::Included(term) => Bound::Included(number(term)?),
        Bound::Excluded(term) => Bound::Excluded(number(term)?),
    })
}
