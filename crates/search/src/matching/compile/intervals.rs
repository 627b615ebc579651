//! Rules of intervals, by the analyzers of their fields.

use super::{Compiler, leaf};
use crate::matching::intervals::{Kind, Rule};
use crate::matching::test::Test;
use crate::matching::{Node, TermPattern};
use crate::query::{self, Pattern, RuleKind};
use mapping::analysis::Analyzer;
use mapping::error::{Result, SearchError};
use mapping::{Field, FieldKind};
use std::sync::Arc;

impl Compiler<'_> {
    pub(super) fn intervals(self, name: &str, rule: &query::Rule, boost: f32) -> Result<Node> {
        let Some(field) = self.searchable(name)? else {
            return Ok(Node::Nothing);
        };
        check(&field)?;
        let rule = self.rule(&field, rule)?;
        Ok(leaf(field, Test::Intervals(Box::new(rule)), boost))
    }

    fn rule(self, field: &Arc<Field>, rule: &query::Rule) -> Result<Rule> {
        let rules = |list: &[query::Rule]| -> Result<Vec<Rule>> {
            list.iter().map(|rule| self.rule(field, rule)).collect()
        };
        let kind = match &rule.kind {
            RuleKind::Match {
                text,
                max_gaps,
                ordered,
                analyzer,
                field: other,
            } => {
                let field = self.asked(field, other.as_deref())?;
                let analyzer = self.analyzer(&field, analyzer.as_deref())?;
                all(words(&field, &analyzer, text), *max_gaps, *ordered)
            }
            RuleKind::Pattern {
                pattern,
                analyzer,
                field: other,
            } => {
                let field = self.asked(field, other.as_deref())?;
                let analyzer = self.analyzer(&field, analyzer.as_deref())?;
                let normalize = |text: &str| match pattern {
                    Pattern::Fuzzy { .. } | Pattern::Prefix { .. } | Pattern::Wildcard { .. } => {
                        analyzer.normalize(text)
                    }
                    Pattern::Regexp { .. } => text.to_owned(),
                };
                let pattern = TermPattern::of(pattern, normalize)?;
                Kind::Pattern(field, pattern)
            }
            RuleKind::All {
                rules: list,
                max_gaps,
                ordered,
            } => all(rules(list)?, *max_gaps, *ordered),
            RuleKind::Any(list) => Kind::Any(rules(list)?),
        };
        let filter = match &rule.filter {
            Some((relation, rule)) => Some((*relation, Box::new(self.rule(field, rule)?))),
            None => None,
        };
        Ok(Rule { kind, filter })
    }

    fn asked(self, field: &Arc<Field>, other: Option<&str>) -> Result<Arc<Field>> {
        let Some(name) = other else {
            return Ok(field.clone());
        };
        let missing = || SearchError::illegal(format!("Cannot use interval query on unknown field [{name}]"));
        let field = self.searchable(name)?.ok_or_else(missing)?;
        check(&field)?;
        Ok(field)
    }

    fn analyzer(self, field: &Field, name: Option<&str>) -> Result<Analyzer> {
        match name {
            None => Ok(field.search_analyzer.clone()),
            Some(name) => self
                .mapping
                .analysis()
                .analyzer(name)
                .ok_or_else(|| SearchError::illegal(format!("[intervals] analyzer [{name}] not found"))),
        }
    }
}

fn check(field: &Field) -> Result<()> {
    match field.kind {
        FieldKind::Text => Ok(()),
        _ => Err(SearchError::illegal(format!(
            "Can only use interval queries on text fields - not on [{}] which is of type [{}]",
            field.name, field.type_name
        ))),
    }
}

fn plain(kind: Kind) -> Rule {
    Rule { kind, filter: None }
}

/// The terms of a text, those at one place as one.
fn words(field: &Arc<Field>, analyzer: &Analyzer, text: &str) -> Vec<Rule> {
    let mut places: Vec<(u32, Vec<Rule>)> = Vec::new();
    let mut next = 0;
    for token in analyzer.tokens(text) {
        let before = i64::from(token.position.saturating_sub(next));
        match places.last_mut() {
            Some((place, alike)) if *place == token.position => {
                alike.push(plain(Kind::Term(field.clone(), token.text, 0)));
            }
            _ => {
                let one = plain(Kind::Term(field.clone(), token.text, before));
                places.push((token.position, vec![one]));
                next = token.position + 1;
            }
        }
    }
    let one = |(_, mut alike): (u32, Vec<Rule>)| match alike.len() {
        1 => alike.pop().unwrap_or_else(|| plain(Kind::Nothing)),
        _ => plain(Kind::Any(alike)),
    };
    places.into_iter().map(one).collect()
}

/// Rules each of which must be found; one that is there several times, several times. In order, only neighbours are the same.
fn all(rules: Vec<Rule>, max_gaps: i64, ordered: bool) -> Kind {
    let is_phrase = ordered && max_gaps == 0;
    let mut counted: Vec<(Rule, usize)> = Vec::new();
    for rule in rules {
        let from = if ordered {
            counted.len().saturating_sub(1)
        } else {
            0
        };
        let same = counted[from..]
            .iter_mut()
            .find(|(known, _)| !is_phrase && format!("{known:?}") == format!("{rule:?}"));
        match same {
            Some((_, count)) => *count += 1,
            None => counted.push((rule, 1)),
        }
    }
    let rules: Vec<Rule> = counted
        .into_iter()
        .map(|(rule, count)| match count {
            1 => rule,
            _ => plain(Kind::Repeated(Box::new(rule), count)),
        })
        .collect();
    match rules.len() {
        0 => Kind::Nothing,
        _ => Kind::All {
            rules,
            max_gaps,
            ordered,
        },
    }
}
