//! Rules of intervals, by the analyzers of their fields.

use super::{Compiler, leaf};
use crate::matching::intervals::{ReadyKind, Rule};
use crate::matching::test::Test;
use crate::matching::{Node, TermPattern};
use crate::query::{self, Pattern, RuleKind};
use mapping::analysis::Analyzer;
use mapping::error::{Result, SearchError};
use mapping::{Field, FieldKind};
use std::collections::HashMap;
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
                let words = words(&field, &analyzer, text);
                self.clauses.add(words.len())?;
                all(words, *max_gaps, *ordered)
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
                self.clauses.add(1)?;
                let pattern = TermPattern::of(pattern, self.clauses, normalize)?;
                ReadyKind::Pattern(field, pattern)
            }
            RuleKind::All {
                rules: list,
                max_gaps,
                ordered,
            } => all(rules(list)?, *max_gaps, *ordered),
            RuleKind::Any(list) => ReadyKind::Any(rules(list)?),
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

fn plain(kind: ReadyKind) -> Rule {
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
                alike.push(plain(ReadyKind::Term(field.clone(), token.text, 0)));
            }
            _ => {
                let one = plain(ReadyKind::Term(field.clone(), token.text, before));
                places.push((token.position, vec![one]));
                next = token.position + 1;
            }
        }
    }
    let one = |(_, mut alike): (u32, Vec<Rule>)| match alike.len() {
        1 => alike.pop().unwrap_or_else(|| plain(ReadyKind::Nothing)),
        _ => plain(ReadyKind::Any(alike)),
    };
    places.into_iter().map(one).collect()
}

/// Rules each of which must be found; one that is there several times, several times. In order, only neighbours are the same.
fn all(rules: Vec<Rule>, max_gaps: i64, ordered: bool) -> ReadyKind {
    let is_phrase = ordered && max_gaps == 0;
    let mut counted: Vec<(Rule, usize)> = Vec::new();
    // Where each was put last, by what it asks.
    let mut places: HashMap<String, usize> = HashMap::new();
    for rule in rules {
        let asked = format!("{rule:?}");
        let next = counted.len();
        let same = places.get(&asked).copied();
        let same = same.filter(|place| !is_phrase && (!ordered || place + 1 == next));
        match same.and_then(|place| counted.get_mut(place)) {
            Some((_, count)) => *count += 1,
            None => {
                places.insert(asked, next);
                counted.push((rule, 1));
            }
        }
    }
    let rules: Vec<Rule> = counted
        .into_iter()
        .map(|(rule, count)| match count {
            1 => rule,
            _ => plain(ReadyKind::Repeated(Box::new(rule), count)),
        })
        .collect();
    match rules.len() {
        0 => ReadyKind::Nothing,
        _ => ReadyKind::All {
            rules,
            max_gaps,
            ordered,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapping::Mapping;
    use mapping::analysis::Analysis;
    use std::borrow::Cow;

    /// How often each term of a text has to be found.
    fn counts(text: &str, ordered: bool) -> Vec<(String, usize)> {
        let source = serde_json::json!({"properties": {"f": {"type": "text"}}});
        let mapping = Mapping::parse(&source, Analysis::default()).expect("a mapping");
        let field = mapping.field("f").map(Cow::into_owned).expect("a field");
        let rules = text
            .split(' ')
            .map(|word| plain(ReadyKind::Term(field.clone(), word.to_owned(), 0)));
        let ReadyKind::All { rules, .. } = all(rules.collect(), -1, ordered) else {
            return Vec::new();
        };
        let one = |rule: &Rule| match &rule.kind {
            ReadyKind::Term(_, term, _) => Some((term.clone(), 1)),
            ReadyKind::Repeated(rule, count) => match &rule.kind {
                ReadyKind::Term(_, term, _) => Some((term.clone(), *count)),
                _ => None,
            },
            _ => None,
        };
        rules.iter().filter_map(one).collect()
    }

    #[test]
    fn terms_that_stand_several_times_are_looked_for_as_often() {
        let wanted = |counts: &[(&str, usize)]| -> Vec<(String, usize)> {
            counts
                .iter()
                .map(|(term, count)| ((*term).to_owned(), *count))
                .collect()
        };
        assert_eq!(counts("a b a a", false), wanted(&[("a", 3), ("b", 1)]));
        assert_eq!(counts("a b a a", true), wanted(&[("a", 1), ("b", 1), ("a", 2)]));
    }
}
