//! Texts whose terms may be in any of several fields, as if those were one.

use super::{check_terms, joined, places};
use crate::matching::Node;
use crate::matching::blend::Blend;
use crate::matching::compile::{Compiler, leaf, normalized};
use crate::matching::test::Test;
use crate::query::Match;
use mapping::error::Result;
use mapping::json::scalar;
use mapping::{Field, FieldKind};
use std::sync::Arc;

/// Fields that are one, with their factors.
type Group = Vec<(Arc<Field>, f32)>;

impl Compiler<'_> {
    /// Fields whose texts are cut alike are one; of several such groups the best counts.
    pub(super) fn cross_fields(
        self,
        targets: &[(Arc<Field>, f32)],
        text: &Match,
        tie: f32,
        boost: f32,
    ) -> Result<Node> {
        let mut nodes = Vec::new();
        for group in groups(targets, text) {
            nodes.push(match &group[..] {
                [(field, factor)] => self.match_text(&field.name, text, *factor)?,
                _ => self.blended(&group, text, tie)?,
            });
        }
        Ok(match nodes.len() {
            0 => Node::Nothing,
            _ => Node::DisMax(nodes, tie, boost),
        })
    }

    fn blended(self, group: &Group, text: &Match, tie: f32) -> Result<Node> {
        let Some((first, _)) = group.first() else {
            return Ok(Node::Nothing);
        };
        let tokens = self
            .search_analyzer(first, text)?
            .tokens(&scalar(&text.text).unwrap_or_default());
        let terms = tokens.len().saturating_mul(group.len());
        check_terms(terms)?;
        self.clauses.add(terms)?;
        let words = places(&tokens).into_iter().map(|(_, words)| {
            let terms = group.iter().flat_map(|(field, factor)| {
                let of_field = words.iter().map(|word| match field.kind {
                    FieldKind::Keyword => normalized(field, word),
                    _ => word.clone(),
                });
                of_field.map(|term| (field.clone(), term, *factor))
            });
            let terms: Vec<(Arc<Field>, String, f32)> = terms.collect();
            let names = terms
                .iter()
                .map(|(field, term, _)| (field.name.clone(), term.clone()));
            let blend = Arc::new(Blend::new(names.collect()));
            let leaves = terms.into_iter().enumerate().map(|(at, (field, term, factor))| {
                let test = Test::Blended {
                    term,
                    blend: blend.clone(),
                    at,
                };
                leaf(field, test, factor)
            });
            Node::DisMax(leaves.collect(), tie, 1.0)
        });
        let words: Vec<Node> = words.collect();
        match words.is_empty() {
            true => Ok(Node::Nothing),
            false => joined(words, text, 1.0),
        }
    }
}

/// The fields that are one for a text: those that it is cut for alike. What is no text is looked for by itself.
fn groups(targets: &[(Arc<Field>, f32)], text: &Match) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (field, factor) in targets {
        let is_alike = |group: &Group| {
            group.iter().any(|(other, _)| {
                field.kind == other.kind
                    && match field.kind {
                        FieldKind::Text => {
                            text.analyzer.is_some() || field.search_analyzer.is_same(&other.search_analyzer)
                        }
                        FieldKind::Keyword => field.normalizer.is_none() && other.normalizer.is_none(),
                        _ => false,
                    }
            })
        };
        match groups.iter_mut().find(|group| is_alike(group)) {
            Some(group) => group.push((field.clone(), *factor)),
            None => groups.push(vec![(field.clone(), *factor)]),
        }
    }
    groups
}
