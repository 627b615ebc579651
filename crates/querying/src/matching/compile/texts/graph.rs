//! Terms that take several places, as synonyms of several words do: each way through them is a phrase, or words that must all be there.

use super::{phrase, terms};
use crate::matching::Node;
use crate::query::{Match, MatchKind};
use mapping::Field;
use mapping::analysis::Token;
use mapping::error::{Result, SearchError};
use std::sync::Arc;

/// The ways through the terms of a query at most.
const PATHS_MAX: usize = 256;

/// A clause for each stretch of terms that all ways go through.
pub(super) fn places(field: &Arc<Field>, tokens: &[Token], text: &Match) -> Result<Vec<Node>> {
    let mut nodes = Vec::new();
    let mut rest = tokens;
    while let Some(first) = rest.first() {
        let mut end = first.position + first.length;
        let mut count = 0;
        while let Some(token) = rest.get(count).filter(|token| token.position < end) {
            end = end.max(token.position + token.length);
            count += 1;
        }
        let (stretch, later) = rest.split_at(count);
        let is_prefix = later.is_empty() && text.kind == MatchKind::BoolPrefix;
        let adjacent = |kind: MatchKind| Match {
            kind,
            slop: 0,
            ..text.clone()
        };
        nodes.push(match (is_prefix, text.synonym_phrases) {
            (true, _) => phrases(field, stretch, &adjacent(MatchKind::PhrasePrefix), 1.0)?,
            (false, true) => phrases(field, stretch, &adjacent(MatchKind::Phrase), 1.0)?,
            (false, false) => together(field, stretch, text)?,
        });
        rest = later;
    }
    Ok(nodes)
}

/// A phrase for each way through these terms, of which one must match.
pub(super) fn phrases(field: &Arc<Field>, tokens: &[Token], text: &Match, boost: f32) -> Result<Node> {
    let ways = ways(tokens)?;
    let phrases = ways.iter().map(|way| phrase(field.clone(), way, text, 1.0));
    Ok(one_of(phrases.collect(), boost))
}

/// All words of a way, for each way through these terms, of which one must match.
fn together(field: &Arc<Field>, tokens: &[Token], text: &Match) -> Result<Node> {
    let whole = Match {
        kind: MatchKind::Terms,
        all: true,
        ..text.clone()
    };
    let ways = ways(tokens)?;
    let whole = ways.iter().map(|way| terms(field, way, &whole, 1.0));
    Ok(one_of(whole.collect::<Result<_>>()?, 1.0))
}

fn one_of(nodes: Vec<Node>, boost: f32) -> Node {
    Node::Bool {
        must: Vec::new(),
        filter: Vec::new(),
        should: nodes,
        must_not: Vec::new(),
        minimum: 1,
        boost,
    }
}

/// The ways through terms, each of terms one after the other at places of its own.
fn ways(tokens: &[Token]) -> Result<Vec<Vec<Token>>> {
    let mut whole = Vec::new();
    // Terms so far, the place that is next in the graph, and in the way.
    let first = tokens.first().map_or(0, |token| token.position);
    let mut open: Vec<(Vec<Token>, u32, u32)> = vec![(Vec::new(), first, 0)];
    while let Some((way, node, place)) = open.pop() {
        // A place without terms is one whose term was taken out.
        let next = tokens
            .iter()
            .map(|token| token.position)
            .filter(|at| *at >= node)
            .min();
        let Some(next) = next else {
            whole.push(way);
            continue;
        };
        let place = place + (next - node);
        for token in tokens.iter().rev().filter(|token| token.position == next) {
            let mut way = way.clone();
            way.push(Token {
                position: place,
                length: 1,
                ..token.clone()
            });
            open.push((way, next + token.length, place + 1));
        }
        if whole.len() + open.len() > PATHS_MAX {
            return Err(SearchError::illegal(format!(
                "the synonyms of a query lead to more than {PATHS_MAX} phrases"
            )));
        }
    }
    Ok(whole)
}
