//! Texts that are analyzed as their fields are, and become tests on terms.

mod graph;

use super::super::minimum::minimum;
use super::super::patterns;
use super::{Compiler, leaf, refuse_keyed};
use crate::matching::Node;
use crate::matching::patterns::TermPattern;
use crate::matching::test::Test;
use crate::query::{Match, MatchKind, MultiKind, too_many_clauses};
use mapping::analysis::{Analyzer, Token};
use mapping::error::{Result, SearchError};
use mapping::json::scalar;
use mapping::{Field, FieldKind};
use std::sync::Arc;

impl Compiler<'_> {
    pub(super) fn match_text(self, name: &str, text: &Match, boost: f32) -> Result<Node> {
        let Some(field) = self.searchable(name)? else {
            return Ok(Node::Nothing);
        };
        if field.kind != FieldKind::Text {
            self.clauses.add(1)?;
            return self.match_value(&field, text, boost);
        }
        let analyzer = self.search_analyzer(&field, text)?;
        let tokens = analyzer.tokens(&scalar(&text.text).unwrap_or_default());
        self.clauses.add(tokens.len().max(1))?;
        let is_graph = tokens.iter().any(|token| token.length > 1);
        if is_graph || matches!(text.kind, MatchKind::Terms | MatchKind::BoolPrefix) {
            check_terms(tokens.len())?;
        }
        if tokens.is_empty() {
            return Ok(if text.zero_terms_all {
                Node::All(boost)
            } else {
                Node::Nothing
            });
        }
        match text.kind {
            MatchKind::Phrase | MatchKind::PhrasePrefix if is_graph => {
                graph::phrases(&field, &tokens, text, boost)
            }
            MatchKind::Terms | MatchKind::BoolPrefix if is_graph => {
                joined(graph::places(&field, &tokens, text)?, text, boost)
            }
            MatchKind::Phrase | MatchKind::PhrasePrefix => Ok(phrase(field, &tokens, text, boost)),
            MatchKind::Terms | MatchKind::BoolPrefix => terms(&field, &tokens, text, boost),
        }
    }

    fn search_analyzer(self, field: &Field, text: &Match) -> Result<Analyzer> {
        match &text.analyzer {
            None => Ok(field.search_analyzer.clone()),
            Some(name) => self
                .mapping
                .analysis()
                .analyzer(name)
                .ok_or_else(|| SearchError::illegal(format!("[match] analyzer [{name}] not found"))),
        }
    }

    /// A field that is not analyzed has the text as it is or not at all.
    fn match_value(self, field: &Arc<Field>, text: &Match, boost: f32) -> Result<Node> {
        if field.kind == FieldKind::Keyword {
            let word = scalar(&text.text).unwrap_or_default();
            if field.splits_queries && text.kind == MatchKind::Terms {
                return self.words_of(field, &word, text, boost);
            }
            let pattern = match (text.kind, &text.fuzziness) {
                (MatchKind::PhrasePrefix | MatchKind::BoolPrefix, _) => {
                    Some(TermPattern::Prefix(word.clone()))
                }
                (MatchKind::Terms, Some(fuzziness)) => {
                    refuse_keyed(field, "fuzzy")?;
                    Some(patterns::fuzzy(&word, fuzziness, text.prefix_length, true)?)
                }
                _ => None,
            };
            if let Some(pattern) = pattern {
                return Ok(leaf(field.clone(), Test::Pattern(pattern), boost));
            }
        }
        match self.term(&field.name, &text.text, false, boost) {
            Err(_) if text.lenient => Ok(Node::Nothing),
            node => node,
        }
    }

    /// Each word of a text is looked for by itself, where the mapping says so.
    fn words_of(self, field: &Arc<Field>, words: &str, text: &Match, boost: f32) -> Result<Node> {
        let mut terms = Vec::new();
        for word in words.split_whitespace() {
            terms.push(match &text.fuzziness {
                None => self.term(&field.name, &word.into(), false, 1.0)?,
                Some(fuzziness) => {
                    self.clauses.add(1)?;
                    refuse_keyed(field, "fuzzy")?;
                    let pattern = patterns::fuzzy(word, fuzziness, text.prefix_length, true)?;
                    leaf(field.clone(), Test::Pattern(pattern), 1.0)
                }
            });
        }
        match terms.is_empty() {
            true if text.zero_terms_all => Ok(Node::All(boost)),
            true => Ok(Node::Nothing),
            false => joined(terms, text, boost),
        }
    }

    pub(super) fn multi_match(
        self,
        fields: &[(String, f32)],
        kind: MultiKind,
        tie_breaker: Option<f32>,
        text: &Match,
        boost: f32,
    ) -> Result<Node> {
        let all = [("*".to_owned(), 1.0)];
        let named = if fields.is_empty() { &all[..] } else { fields };
        // Where all fields are meant, not all of them can have the text.
        let text = &Match {
            lenient: text.lenient || fields.is_empty(),
            ..text.clone()
        };
        let mut targets: Vec<(Arc<Field>, f32)> = Vec::new();
        for (name, boost) in named {
            let found = self.fields(name).into_iter().filter(|field| {
                !field.is_object()
                    && field.index
                    && field.kind != FieldKind::Binary
                    && (!name.contains('*') || (field.nested.is_none() && !field.is_vector()))
            });
            targets.extend(found.map(|field| (field, *boost)));
        }
        let is_text = |kind: &FieldKind| matches!(kind, FieldKind::Text | FieldKind::Keyword);
        if named.iter().any(|(name, _)| name.contains('*')) && text.kind != MatchKind::Terms {
            targets.retain(|(field, _)| is_text(&field.kind));
        }
        if kind == MultiKind::Cross {
            return self.cross_fields(&targets, text, boost);
        }
        let nodes = targets
            .iter()
            .map(|(field, factor)| self.match_text(&field.name, text, *factor));
        let nodes: Vec<Node> = nodes.collect::<Result<_>>()?;
        let tie = tie_breaker.unwrap_or(if kind == MultiKind::Most { 1.0 } else { 0.0 });
        Ok(Node::DisMax(nodes, tie, boost))
    }

    /// Each term may be in any of the fields, as if they were one.
    fn cross_fields(self, targets: &[(Arc<Field>, f32)], text: &Match, boost: f32) -> Result<Node> {
        let Some((first, _)) = targets.first() else {
            return Ok(Node::Nothing);
        };
        let tokens = self
            .search_analyzer(first, text)?
            .tokens(&scalar(&text.text).unwrap_or_default());
        check_terms(tokens.len().saturating_mul(targets.len()))?;
        let mut words = Vec::new();
        for token in &tokens {
            let mut nodes = Vec::new();
            for (field, factor) in targets {
                let one = Match {
                    text: token.text.as_str().into(),
                    kind: MatchKind::Terms,
                    minimum: None,
                    ..text.clone()
                };
                nodes.push(self.match_text(&field.name, &one, *factor)?);
            }
            words.push(Node::DisMax(nodes, 0.0, 1.0));
        }
        joined(words, text, boost)
    }
}

/// The terms of a text that is searched for at most, as many as clauses where Elasticsearch's `indices.query.bool.max_clause_count`
/// says nothing.
const TERMS_MAX: usize = 1024;

fn check_terms(terms: usize) -> Result<()> {
    match terms <= TERMS_MAX {
        true => Ok(()),
        false => Err(too_many_clauses(TERMS_MAX)),
    }
}

/// Clauses of which all, or as many as asked for, or one must match.
fn joined(nodes: Vec<Node>, text: &Match, boost: f32) -> Result<Node> {
    let least = match (&text.minimum, text.all) {
        (_, true) => nodes.len(),
        (Some(spec), false) => minimum(spec, nodes.len())?.max(1),
        (None, false) => 1,
    };
    Ok(Node::Bool {
        must: Vec::new(),
        filter: Vec::new(),
        should: nodes,
        must_not: Vec::new(),
        minimum: least,
        boost,
    })
}

/// The terms of a text, those at one place together.
fn places(tokens: &[Token]) -> Vec<(u32, Vec<String>)> {
    let mut places: Vec<(u32, Vec<String>)> = Vec::new();
    for token in tokens {
        match places.last_mut().filter(|(place, _)| *place == token.position) {
            Some((_, words)) => words.push(token.text.clone()),
            None => places.push((token.position, vec![token.text.clone()])),
        }
    }
    places
}

fn phrase(field: Arc<Field>, tokens: &[Token], text: &Match, boost: f32) -> Node {
    let is_prefix = text.kind == MatchKind::PhrasePrefix;
    let terms = places(tokens);
    if let [(_, words)] = &terms[..]
        && let [word] = &words[..]
        && !is_prefix
    {
        return leaf(field, Test::Term(word.clone()), boost);
    }
    leaf(
        field,
        Test::Phrase {
            terms,
            slop: text.slop,
            is_prefix,
        },
        boost,
    )
}

fn terms(field: &Arc<Field>, tokens: &[Token], text: &Match, boost: f32) -> Result<Node> {
    let places = places(tokens);
    let last = places.len() - 1;
    let mut nodes = Vec::new();
    for (at, (_, words)) in places.iter().enumerate() {
        let is_prefix = text.kind == MatchKind::BoolPrefix && at == last;
        let mut alike = Vec::new();
        for word in words {
            let test = match &text.fuzziness {
                _ if is_prefix => Test::Pattern(TermPattern::Prefix(word.clone())),
                Some(fuzziness) => Test::Pattern(patterns::fuzzy(word, fuzziness, text.prefix_length, true)?),
                None => Test::Term(word.clone()),
            };
            alike.push(leaf(field.clone(), test, 1.0));
        }
        nodes.push(match alike.len() {
            1 => alike.remove(0),
            _ => Node::DisMax(alike, 0.0, 1.0),
        });
    }
    if let [Node::Leaf(only)] = &mut nodes[..] {
        only.boost = boost;
        return Ok(nodes.remove(0));
    }
    joined(nodes, text, boost)
}
