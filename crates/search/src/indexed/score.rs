//! Scores of entries as their documents would have them, made of what an index knows.

use super::layout::Layout;
use super::lookup::{Asker, flag, flagged, part};
use fulltext::{Part, Probe, Probes};
use querying::Weigh;
use querying::{Expanding, Leaf, Node, Statistics, Test, Weighing};

/// How entries are scored: what is asked of each, and what is made of that.
#[derive(Debug)]
pub struct Scoring {
    /// What is asked of an entry.
    pub probes: Vec<Probe>,
    root: Step,
}

/// A query as probes know it; of entries that match it alone.
#[derive(Debug)]
enum Step {
    /// The same for each, if the probe says so.
    Constant(f32, Option<usize>),
    Term {
        frequency: usize,
        /// Which probe says how long the text is; without one, it counts as a single term.
        length: Option<usize>,
        /// What the score is but for the term's weight in the text.
        factor: f32,
        weighing: Weighing,
    },
    Bool {
        must: Vec<Step>,
        should: Vec<Step>,
        /// How many of `should` must match for it to match.
        least: usize,
        boost: f32,
    },
    DisMax(Vec<Step>, f32, f32),
}

impl Scoring {
    /// How entries that match this query are scored; `None` where an index cannot tell.
    pub(crate) fn new(
        node: &Node,
        asker: Asker<'_>,
        layout: &Layout,
        statistics: &Statistics,
    ) -> Option<Scoring> {
        let mut maker = Maker {
            asker,
            layout,
            statistics,
            probes: Vec::new(),
        };
        let root = maker.step(node, true)?;
        Some(Scoring {
            probes: maker.probes,
            root,
        })
    }

    /// The score of an entry that matches.
    pub fn score(&self, probes: &mut Probes, entry: u32) -> f32 {
        self.root.score(probes, entry).unwrap_or(0.0)
    }
}

struct Maker<'a> {
    asker: Asker<'a>,
    layout: &'a Layout,
    statistics: &'a Statistics,
    probes: Vec<Probe>,
}

impl<'a> Maker<'a> {
    fn put(&mut self, probe: Probe) -> usize {
        self.probes.push(probe);
        self.probes.len() - 1
    }

    /// `matches` where only entries are asked that match the node.
    fn step(&mut self, node: &'a Node, matches: bool) -> Option<Step> {
        Some(match node {
            Node::All(boost) => Step::Constant(*boost, None),
            Node::Constant(_, boost) | Node::Ids(_, boost) => self.constant(node, *boost, matches)?,
            Node::DisMax(nodes, tie, boost) => Step::DisMax(self.steps(nodes, false)?, *tie, *boost),
            Node::Bool {
                must, should, boost, ..
            } if matches => Step::Bool {
                must: self.steps(must, true)?,
                should: self.steps(should, false)?,
                least: 0,
                boost: *boost,
            },
            // Of others, not only what is scored says whether it matches.
            Node::Bool {
                must,
                filter,
                should,
                must_not,
                minimum,
                boost,
            } if filter.is_empty() && must_not.is_empty() && must.is_empty() && *minimum == 1 => Step::Bool {
                must: Vec::new(),
                should: self.steps(should, false)?,
                least: 1,
                boost: *boost,
            },
            Node::Leaf(leaf) => match &leaf.test {
                Test::Term(text) => self.term(leaf, text, self.statistics.rarity(&leaf.field.name, text))?,
                Test::Blended { term, blend, at } => {
                    self.term(leaf, term, blend.rarity(*at, self.statistics))?
                }
                Test::Expanded(expanding) => self.expanded(leaf, expanding)?,
                Test::Phrase { .. }
                | Test::Nearness { .. }
                | Test::Nearest(_)
                | Test::Distance(..)
                | Test::Intervals(_)
                | Test::Spans(_) => return None,
                _ => self.constant(node, leaf.boost(), matches)?,
            },
            Node::Nothing
            | Node::Bool { .. }
            | Node::Boosting { .. }
            | Node::Nested { .. }
            | Node::Functions(_)
            | Node::ScriptScore(_)
            | Node::Found(..)
            | Node::Covering(_)
            | Node::Script(..)
            | Node::Slice(..) => return None,
        })
    }

    fn steps(&mut self, nodes: &'a [Node], matches: bool) -> Option<Vec<Step>> {
        nodes.iter().map(|node| self.step(node, matches)).collect()
    }

    fn constant(&mut self, node: &'a Node, boost: f32, matches: bool) -> Option<Step> {
        if matches {
            return Some(Step::Constant(boost, None));
        }
        let wanted = self.asker.node(node);
        wanted.is_exact.then(|| {
            let probe = self.put(Probe::Is(wanted.lookup));
            Step::Constant(boost, Some(probe))
        })
    }

    /// Each of the terms that stand for a pattern as a term of its own.
    fn expanded(&mut self, leaf: &Leaf, expanding: &Expanding) -> Option<Step> {
        let name = &leaf.field.name;
        let expansion = self.statistics.expansion(name, expanding)?;
        let terms = expansion.terms().map(|text| match expanding.weigh {
            Weigh::Nearness => {
                let place = self.layout.place(&leaf.field)?;
                let probe = self.put(Probe::Is(place.terms(part(&leaf.field), [text])));
                Some(Step::Constant(
                    leaf.boost() * expansion.nearness(text),
                    Some(probe),
                ))
            }
            _ => self.term(leaf, text, expanding.factor(name, text, self.statistics)),
        });
        Some(Step::Bool {
            must: Vec::new(),
            should: terms.collect::<Option<_>>()?,
            least: 1,
            boost: 1.0,
        })
    }

    /// A term that is worth so much, but for its weight in a text.
    fn term(&mut self, leaf: &Leaf, text: &str, factor: f32) -> Option<Step> {
        let field = &leaf.field;
        let is_text = part(field) == Part::Text;
        // Of keywords, entries do not say how many there are.
        if field.nested.is_some() || field.meta.is_some() || (field.has_norms && !is_text) {
            return None;
        }
        let place = self.layout.place(field)?;
        let key = place.key;
        let frequency = self.put(match flag(field, text) {
            Some(flag) => Probe::Is(flagged(key, flag)),
            None => Probe::Frequency(key, part(field), place.term(text)),
        });
        Some(Step::Term {
            frequency,
            length: field.has_norms.then(|| self.put(Probe::Length(key))),
            factor: leaf.boost() * factor,
            weighing: self.statistics.weighing(&field.name),
        })
    }
}

impl Step {
    /// `None` where it does not match.
    fn score(&self, probes: &mut Probes, entry: u32) -> Option<f32> {
        match self {
            Step::Constant(score, None) => Some(*score),
            Step::Constant(score, Some(probe)) => (probes.ask(*probe, entry) > 0).then_some(*score),
            Step::Term {
                frequency,
                length,
                factor,
                weighing,
            } => {
                let frequency = probes.ask(*frequency, entry);
                (frequency > 0).then(|| {
                    let length = length.map_or(1, |length| probes.ask(length, entry));
                    factor * weighing.weight(frequency as f32, length)
                })
            }
            Step::Bool {
                must,
                should,
                least,
                boost,
            } => {
                let (mut total, mut matched) = (0.0, 0);
                for step in must {
                    total += step.score(probes, entry)?;
                }
                for step in should {
                    if let Some(score) = step.score(probes, entry) {
                        total += score;
                        matched += 1;
                    }
                }
                (matched >= *least).then_some(total * boost)
            }
            Step::DisMax(steps, tie, boost) => {
                let (mut best, mut sum) = (None, 0.0);
                for score in steps.iter().filter_map(|step| step.score(probes, entry)) {
                    best = Some(best.map_or(score, |best: f32| best.max(score)));
                    sum += score;
                }
                let best = best?;
                Some((best + (sum - best) * tie) * boost)
            }
        }
    }
}
