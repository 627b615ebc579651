//! Texts that are analyzed as their fields are, and become tests on terms.

mod cross;
mod graph;

use super::super::minimum::minimum;
use super::patterns::{leniently, no_fuzzy, no_pattern, refuse_keyed, rewritten};
use super::{Compiler, leaf, normalized};
use crate::matching::patterns::TermPattern;
use crate::matching::test::Test;
use crate::matching::{Expanding, Node};
use crate::query::{
    Fuzzy, Match, MatchKind, MultiKind, MultiMatchQuery, Query, Rewrite, TERMS_MAX, Weigh, ZeroTerms,
    are_all, too_many_clauses,
};
use mapping::analysis::{Analyzer, Token};
use mapping::error::{ErrorKind, Result, SearchError};
use mapping::json::scalar;
use mapping::{Field, FieldKind};
use std::sync::Arc;

impl Compiler<'_> {
    pub(super) fn match_text(self, name: &str, text: &Match, boost: f32) -> Result<Node> {
        self.check_analyzer(text.kind.query(), text)?;
        let Some(field) = self.searchable(name)? else {
            return Ok(Node::Nothing);
        };
        if field.kind != FieldKind::Text {
            self.clauses.add(1)?;
            let node = self.match_value(&field, text, boost);
            return if text.lenient { leniently(node) } else { node };
        }
        let analyzer = self.search_analyzer(&field, text)?;
        let tokens = analyzer.tokens(&scalar(&text.text).unwrap_or_default());
        self.clauses.add(tokens.len().max(1))?;
        let is_graph = tokens.iter().any(|token| token.length > 1);
        if is_graph || matches!(text.kind, MatchKind::Terms | MatchKind::BoolPrefix) {
            check_terms(tokens.len())?;
        }
        if tokens.is_empty() {
            return Ok(match text.zero_terms {
                ZeroTerms::All => Node::All(boost),
                ZeroTerms::Nothing | ZeroTerms::Skipped => Node::Nothing,
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
            Some(name) => self.named_analyzer(text.kind.query(), name),
        }
    }

    fn named_analyzer(self, query: &str, name: &str) -> Result<Analyzer> {
        let missing = || {
            let reason = format!("[{query}] analyzer [{name}] not found");
            SearchError::new(ErrorKind::QueryShard, reason)
        };
        self.mapping.analysis().analyzer(name).ok_or_else(missing)
    }

    /// Refuses an analyzer that the index does not have, whatever its fields are.
    fn check_analyzer(self, query: &str, text: &Match) -> Result<()> {
        match &text.analyzer {
            None => Ok(()),
            Some(name) => self.named_analyzer(query, name).map(drop),
        }
    }

    /// Whether a clause is a text without terms that is none then.
    pub(super) fn says_nothing(self, query: &Query) -> Result<bool> {
        let has_no_terms = |field: &Field, text: &Match| -> Result<bool> {
            let analyzer = self.search_analyzer(field, text)?;
            let words = scalar(&text.text).unwrap_or_default();
            Ok(field.kind == FieldKind::Text && analyzer.tokens(&words).is_empty())
        };
        match query {
            Query::Match { field, text, .. } if text.zero_terms == ZeroTerms::Skipped => {
                match self.searchable(field) {
                    Ok(Some(field)) => has_no_terms(&field, text),
                    _ => Ok(false),
                }
            }
            Query::MultiMatch(query) if query.text.zero_terms == ZeroTerms::Skipped => {
                let targets = self.targets(&query.fields, &query.text);
                for (field, _) in &targets {
                    if !has_no_terms(field, &query.text)? {
                        return Ok(false);
                    }
                }
                Ok(!targets.is_empty())
            }
            Query::Bool(query) => {
                let mut is_there = false;
                for clause in query.clauses() {
                    if !self.says_nothing(clause)? {
                        return Ok(false);
                    }
                    is_there = true;
                }
                Ok(is_there)
            }
            _ => Ok(false),
        }
    }

    /// A field that is not analyzed has the text as it is or not at all.
    fn match_value(self, field: &Arc<Field>, text: &Match, boost: f32) -> Result<Node> {
        if text.is_pattern && !field.is_textual() {
            return Err(no_pattern(field, "prefix", "keyword, text and wildcard"));
        }
        let word = scalar(&text.text).unwrap_or_default();
        match (text.kind, &text.fuzzy) {
            (MatchKind::PhrasePrefix, _) => {
                let reason = format!(
                    "failed to create query: Can only use phrase prefix queries on text fields - not on [{}] which is of type [{}]",
                    field.name, field.type_name
                );
                return Err(SearchError::new(ErrorKind::QueryShard, reason));
            }
            (MatchKind::Terms, Some(_)) if field.kind != FieldKind::Keyword => return Err(no_fuzzy(field)),
            _ if field.kind != FieldKind::Keyword => {}
            (MatchKind::Terms, _) if field.splits_queries => return self.words_of(field, &word, text, boost),
            (MatchKind::BoolPrefix, _) => {
                let pattern = TermPattern::Prefix(normalized(field, &word));
                return Ok(leaf(field.clone(), Test::Pattern(pattern), boost));
            }
            (MatchKind::Terms, Some(fuzzy)) => {
                refuse_keyed(field, "fuzzy")?;
                let test = near(&normalized(field, &word), fuzzy, text.rewrite)?;
                return Ok(leaf(field.clone(), test, boost));
            }
            _ => {}
        }
        self.term(&field.name, &text.text, false, boost)
    }

    /// Each word of a text is looked for by itself, where the mapping says so.
    fn words_of(self, field: &Arc<Field>, words: &str, text: &Match, boost: f32) -> Result<Node> {
        let mut terms = Vec::new();
        for word in words.split_whitespace() {
            terms.push(match &text.fuzzy {
                None => self.term(&field.name, &word.into(), false, 1.0)?,
                Some(fuzzy) => {
                    self.clauses.add(1)?;
                    refuse_keyed(field, "fuzzy")?;
                    leaf(field.clone(), near(word, fuzzy, text.rewrite)?, 1.0)
                }
            });
        }
        match terms.is_empty() {
            true if text.zero_terms == ZeroTerms::All => Ok(Node::All(boost)),
            true => Ok(Node::Nothing),
            false => joined(terms, text, boost),
        }
    }

    pub(super) fn multi_match(self, query: &MultiMatchQuery) -> Result<Node> {
        self.check_analyzer("multi_match", &query.text)?;
        // Where all fields are meant, not all of them can have the text.
        let text = &Match {
            lenient: query.text.lenient || are_all(&query.fields),
            ..query.text.clone()
        };
        let targets = self.targets(&query.fields, text);
        if query.kind == MultiKind::Cross {
            let tie = query.tie_breaker.unwrap_or(0.0);
            return self.cross_fields(&targets, text, tie, query.boost);
        }
        let nodes = targets
            .iter()
            .map(|(field, factor)| self.match_text(&field.name, text, *factor));
        let nodes: Vec<Node> = nodes.collect::<Result<_>>()?;
        let usual = if query.kind == MultiKind::Most { 1.0 } else { 0.0 };
        let tie = query.tie_breaker.unwrap_or(usual);
        Ok(Node::DisMax(nodes, tie, query.boost))
    }

    /// The fields that these names stand for, with their factors.
    fn targets(self, fields: &[(String, f32)], text: &Match) -> Vec<(Arc<Field>, f32)> {
        let named = match fields.is_empty() {
            true => self.mapping.default_fields(),
            false => fields,
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
        targets
    }
}

fn check_terms(terms: usize) -> Result<()> {
    match terms <= TERMS_MAX {
        true => Ok(()),
        false => Err(too_many_clauses(TERMS_MAX)),
    }
}

/// The terms that are near to a word.
fn near(word: &str, fuzzy: &Fuzzy, rewrite: Rewrite) -> Result<Test> {
    let usual = Rewrite::Best(fuzzy.expansions_max.min(TERMS_MAX), Weigh::Blended);
    Ok(rewritten(TermPattern::near(word, fuzzy)?, rewrite, usual))
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
    let terms = places(tokens);
    let begun = terms.last().filter(|_| text.kind == MatchKind::PhrasePrefix);
    let begun = begun.iter().flat_map(|(_, words)| words).map(|word| {
        let pattern = TermPattern::Prefix(word.clone());
        Arc::new(Expanding::new(pattern, text.expansions_max, Weigh::Each))
    });
    let beginnings: Vec<Arc<Expanding>> = begun.collect();
    let test = match (&terms[..], &beginnings[..]) {
        ([(_, words)], []) if words.len() == 1 => Test::Term(words.concat()),
        ([_], [only]) => Test::Expanded(only.clone()),
        _ => Test::Phrase {
            terms,
            slop: text.slop,
            beginnings,
        },
    };
    leaf(field, test, boost)
}

fn terms(field: &Arc<Field>, tokens: &[Token], text: &Match, boost: f32) -> Result<Node> {
    let places = places(tokens);
    let last = places.len() - 1;
    let mut nodes = Vec::new();
    for (at, (_, words)) in places.iter().enumerate() {
        let is_prefix = text.kind == MatchKind::BoolPrefix && at == last;
        let mut alike = Vec::new();
        for word in words {
            let test = match &text.fuzzy {
                _ if is_prefix => Test::Pattern(TermPattern::Prefix(word.clone())),
                Some(fuzzy) => near(word, fuzzy, text.rewrite)?,
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
