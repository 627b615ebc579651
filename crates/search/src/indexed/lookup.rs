//! What an index is asked for a query.

use super::ASKED;
use super::entry::number;
use super::layout::Layout;
use crate::matching::{Leaf, Node, TermPattern, Test, is_above, is_below};
use fulltext::{Key, Lookup, Matcher, Number, Part};
use mapping::fields::Term;
use mapping::{Field, FieldKind, Meta};
use std::ops::Bound;
use std::sync::Arc;

/// The places of a phrase that an index is asked for: with more, the documents are asked as well.
const PLACES_MAX: usize = 64;

/// What an index is asked.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// It finds every document that matches.
    pub lookup: Lookup,
    /// Whether it finds no other; else the documents are asked.
    pub is_exact: bool,
}

/// What an index is asked for a query; `ids` gives the keys that a document may have whose `_id` is this text.
pub(crate) fn wanted(
    node: &Node,
    layout: &Layout,
    index: &str,
    ids: &dyn Fn(&str) -> Vec<Vec<u8>>,
) -> Wanted {
    Asker::new(layout, index, ids).node(node)
}

impl Wanted {
    fn exact(lookup: Lookup) -> Wanted {
        Wanted {
            lookup,
            is_exact: true,
        }
    }

    fn more(lookup: Lookup) -> Wanted {
        Wanted {
            lookup,
            is_exact: false,
        }
    }

    /// The same of the field that entries are sorted by, where it asks for a range.
    fn of_times(self) -> Wanted {
        let whole = |end: Bound<Number>| match end {
            Bound::Unbounded => Some(Bound::Unbounded),
            Bound::Included(Number::Integer(ms)) => Some(Bound::Included(ms)),
            Bound::Excluded(Number::Integer(ms)) => Some(Bound::Excluded(ms)),
            Bound::Included(_) | Bound::Excluded(_) => None,
        };
        match self.lookup {
            Lookup::Range(key, low, high) => match (whole(low), whole(high)) {
                (Some(low), Some(high)) => Wanted {
                    lookup: Lookup::Times(key, low, high),
                    ..self
                },
                _ => self,
            },
            _ => self,
        }
    }

    /// For an index with entries that could not say all of their documents.
    pub(crate) fn with_asked(self) -> Wanted {
        Wanted::more(Lookup::Some(vec![self.lookup, Lookup::Present(ASKED)], 1))
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
    /// The path of the nested objects that are asked.
    scope: Option<&'a str>,
}

impl<'a> Asker<'a> {
    /// For an index that is laid out so.
    pub(crate) fn new(
        layout: &'a Layout,
        index: &'a str,
        ids: &'a dyn Fn(&str) -> Vec<Vec<u8>>,
    ) -> Asker<'a> {
        Asker {
            layout,
            index,
            ids,
            scope: None,
        }
    }

    pub(super) fn node(self, node: &'a Node) -> Wanted {
        match node {
            Node::All(_) => Wanted::exact(Lookup::All),
            Node::Nothing => Wanted::exact(Lookup::Nothing),
            Node::Constant(node, _) => self.node(node),
            Node::Ids(ids, _) => {
                let keys = ids.iter().flat_map(|id| (self.ids)(id));
                Wanted::exact(Lookup::Ids(keys.collect()))
            }
            Node::DisMax(nodes, ..) => self.some(nodes, 1),
            Node::Boosting { positive, .. } => self.node(positive),
            Node::Functions(functions) => self.scored(functions.matched()),
            Node::ScriptScore(script) => self.scored(script.matched()),
            Node::Script(..) => Wanted::more(Lookup::All),
            // What other documents have the text of such an `_id` is asked of them.
            Node::Found(found, _) => {
                let keys = found.ids(self.index).flat_map(|id| (self.ids)(id));
                Wanted::more(Lookup::Ids(keys.collect()))
            }
            Node::Nested { path, node, .. } => {
                let scope = Some(path.as_str());
                Wanted::more(Asker { scope, ..self }.node(node).lookup)
            }
            Node::Bool {
                must,
                filter,
                should,
                must_not,
                minimum,
                ..
            } => {
                let mut every: Vec<Wanted> = must.iter().chain(filter).map(|node| self.node(node)).collect();
                if *minimum > 0 {
                    every.push(self.some(should, *minimum));
                }
                let mut is_exact = every.iter().all(|wanted| wanted.is_exact);
                let mut lookup = Lookup::Every(every.into_iter().map(|wanted| wanted.lookup).collect());
                // Of what is found too much, nothing can be taken away.
                let (exact, more): (Vec<Wanted>, Vec<Wanted>) = must_not
                    .iter()
                    .map(|node| self.node(node))
                    .partition(|wanted| wanted.is_exact && self.scope.is_none());
                is_exact &= more.is_empty();
                if !exact.is_empty() {
                    let others = exact.into_iter().map(|wanted| wanted.lookup).collect();
                    lookup = Lookup::Except(Box::new(lookup), others);
                }
                Wanted { lookup, is_exact }
            }
            Node::Leaf(leaf) => self.leaf(leaf),
        }
    }

    /// A query whose scores may leave some out.
    fn scored(self, (node, leaves_out): (&'a Node, bool)) -> Wanted {
        let wanted = self.node(node);
        Wanted {
            is_exact: wanted.is_exact && !leaves_out,
            ..wanted
        }
    }

    fn some(self, nodes: &'a [Node], least: usize) -> Wanted {
        let wanted: Vec<Wanted> = nodes.iter().map(|node| self.node(node)).collect();
        Wanted {
            is_exact: wanted.iter().all(|wanted| wanted.is_exact),
            lookup: Lookup::Some(wanted.into_iter().map(|wanted| wanted.lookup).collect(), least),
        }
    }

    fn leaf(self, leaf: &'a Leaf) -> Wanted {
        let field = &leaf.field;
        if let Test::Sequence(low, high) = &leaf.test {
            return match (low, high) {
                (Bound::Unbounded, Bound::Unbounded) => Wanted::exact(Lookup::All),
                _ => Wanted::exact(Lookup::Sequence(*low, *high)),
            };
        }
        if let Some(meta) = field.meta {
            return self.meta(meta, &leaf.test);
        }
        // Documents are as near as what is nested in them.
        let is_seen = field.nested.as_deref() == self.scope || matches!(leaf.test, Test::Nearest(_));
        if !is_seen {
            return Wanted::exact(Lookup::Nothing);
        }
        match self.layout.key(&field.name) {
            None => Wanted::exact(Lookup::Nothing),
            Some(key) if field.nested.is_some() => Wanted::more(flat(key, field, &leaf.test).lookup),
            Some(key) => match test(key, field, &leaf.test) {
                wanted if self.layout.time() == Some(&field.name) => wanted.of_times(),
                wanted => wanted,
            },
        }
    }

    /// What every document has that is in none.
    fn meta(self, meta: Meta, test: &Test) -> Wanted {
        let is_it = match (meta, test) {
            (Meta::Index, Test::Term(name)) => name == self.index,
            (Meta::Index, Test::AnyTerm(names)) => names.contains(self.index),
            (Meta::Index, Test::Pattern(pattern)) => pattern.is_match(self.index),
            _ => return Wanted::more(Lookup::All),
        };
        Wanted::exact(if is_it { Lookup::All } else { Lookup::Nothing })
    }
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

/// A test on a field of nested objects.
fn flat(key: Key, field: &Field, test: &Test) -> Wanted {
    match test {
        Test::Values(_) | Test::Range(..) if !field.is_textual() => Wanted::more(Lookup::Present(key)),
        Test::Exists => Wanted::more(Lookup::Present(key)),
        test => self::test(key, field, test),
    }
}

fn test(key: Key, field: &Field, test: &Test) -> Wanted {
    let present = || Wanted::more(Lookup::Present(key));
    let part = part(field);
    if !is_said(field) {
        return present();
    }
    match test {
        Test::Exists => Wanted::exact(Lookup::Present(key)),
        Test::Term(term) => Wanted::exact(Lookup::Terms(key, part, vec![term.clone()])),
        Test::AnyTerm(terms) => Wanted::exact(Lookup::Terms(key, part, terms.iter().cloned().collect())),
        Test::Pattern(pattern) => Wanted::exact(matching(key, part, pattern)),
        Test::Phrase {
            terms,
            slop,
            is_prefix,
        } => phrase(key, part, terms, *slop, *is_prefix),
        Test::Values(values) => {
            let one = |value: &Term| {
                let number = number(value)?;
                let end = Bound::Included(number);
                Some(Lookup::Range(key, end, end))
            };
            match values.iter().map(one).collect::<Option<Vec<_>>>() {
                Some(lookups) => Wanted::exact(Lookup::Some(lookups, 1)),
                None => present(),
            }
        }
        Test::Range(low, high) if field.is_textual() => {
            let (low, high) = (low.clone(), high.clone());
            let is_in = move |text: &str| {
                let term = Term::Text(text.to_owned());
                is_above(&term, &low) && is_below(&term, &high)
            };
            Wanted::exact(Lookup::Matching(
                key,
                part,
                String::new(),
                Matcher(Arc::new(is_in)),
            ))
        }
        Test::Range(Bound::Unbounded, Bound::Unbounded) => Wanted::exact(Lookup::Present(key)),
        Test::Range(low, high) => match (end(low), end(high)) {
            (Some(low), Some(high)) => Wanted::exact(Lookup::Range(key, low, high)),
            _ => present(),
        },
        Test::Intervals(rule) if !rule.is_all_of(field) => Wanted::more(Lookup::All),
        Test::Interval(..)
        | Test::Intervals(_)
        | Test::Nearness { .. }
        | Test::Nearest(_)
        | Test::Distance(..)
        | Test::Network(..)
        | Test::Near(..)
        | Test::Within(_)
        | Test::Sequence(..) => present(),
    }
}

fn end(end: &Bound<Term>) -> Option<Bound<Number>> {
    Some(match end {
        Bound::Unbounded => Bound::Unbounded,
        Bound::Included(term) => Bound::Included(number(term)?),
        Bound::Excluded(term) => Bound::Excluded(number(term)?),
    })
}

fn matching(key: Key, part: Part, pattern: &TermPattern) -> Lookup {
    let prefix = match pattern {
        TermPattern::Prefix(prefix) => prefix.clone(),
        _ => String::new(),
    };
    let pattern = pattern.clone();
    Lookup::Matching(
        key,
        part,
        prefix,
        Matcher(Arc::new(move |text| pattern.is_match(text))),
    )
}

fn phrase(key: Key, part: Part, terms: &[(u32, Vec<String>)], slop: u32, is_prefix: bool) -> Wanted {
    let is_plain = slop == 0 && !is_prefix && (2..=PLACES_MAX).contains(&terms.len()) && part == Part::Text;
    if is_plain && terms.iter().all(|(_, words)| words.len() == 1) {
        let words = terms
            .iter()
            .flat_map(|(place, words)| words.iter().map(|word| (*place, word.clone())));
        return Wanted::exact(Lookup::Phrase(key, words.collect()));
    }
    let place = |(at, (_, words)): (usize, &(u32, Vec<String>))| match is_prefix && at + 1 == terms.len() {
        false => Lookup::Terms(key, part, words.clone()),
        true => {
            let starts = words
                .iter()
                .map(|word| matching(key, part, &TermPattern::Prefix(word.clone())));
            Lookup::Some(starts.collect(), 1)
        }
    };
    let places = terms.iter().enumerate().take(PLACES_MAX);
    Wanted::more(Lookup::Every(places.map(place).collect()))
}
