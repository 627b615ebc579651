//! Patterns of terms, and what the terms are worth that have them.

use super::{Compiler, leaf, normalized};
use crate::matching::test::Test;
use crate::matching::{Expanding, Node, TermPattern};
use crate::query::{Pattern, Rewrite, TERMS_MAX, Weigh};
use mapping::error::{ErrorKind, Result, SearchError};
use mapping::{Field, FieldKind};
use std::sync::Arc;

/// The letters of a beginning at most that `search_as_you_type` keeps.
const BEGINNING_MAX: usize = 20;

impl Compiler<'_> {
    pub(super) fn pattern(self, name: &str, pattern: &Pattern, rewrite: Rewrite, boost: f32) -> Result<Node> {
        if name.contains('*') {
            let own = [(name.to_owned(), 1.0)];
            let names = match name {
                "*" => self.mapping.default_fields(),
                _ => &own[..],
            };
            let found = |(name, factor): &(String, f32)| {
                let factor = *factor;
                self.fields(name).into_iter().map(move |field| (field, factor))
            };
            let named = names.iter().flat_map(found);
            let textual =
                named.filter(|(field, _)| field.is_textual() && field.index && field.nested.is_none());
            let nodes =
                textual.map(|(field, factor)| self.pattern(&field.name, pattern, rewrite, boost * factor));
            return Ok(Node::DisMax(nodes.collect::<Result<_>>()?, 0.0, 1.0));
        }
        self.clauses.add(1)?;
        let Some(field) = self.searchable(name)? else {
            return Ok(Node::Nothing);
        };
        if !field.is_textual() {
            return Err(no_patterns(&field, pattern));
        }
        let field = self.beginnings(&field, pattern)?.unwrap_or(field);
        match pattern {
            Pattern::Wildcard { .. } => refuse_keyed(&field, "wildcard")?,
            Pattern::Regexp { .. } => refuse_keyed(&field, "regexp")?,
            Pattern::Fuzzy { .. } => refuse_keyed(&field, "fuzzy")?,
            Pattern::Prefix { .. } => {}
        }
        let normalizes = match pattern {
            Pattern::Wildcard { .. } | Pattern::Prefix { .. } => true,
            Pattern::Fuzzy { fuzzy, .. } => fuzzy.normalizes,
            Pattern::Regexp { .. } => false,
        };
        let normalize = |text: &str| match field.kind {
            FieldKind::Keyword => normalized(&field, text),
            _ if normalizes => field.search_analyzer.normalize(text),
            _ => text.to_owned(),
        };
        let usual = match pattern {
            Pattern::Fuzzy { fuzzy, .. } => {
                Rewrite::Best(fuzzy.expansions_max.min(TERMS_MAX), Weigh::Blended)
            }
            _ => Rewrite::Constant,
        };
        let pattern = TermPattern::of(pattern, self.clauses, normalize)?;
        Ok(leaf(field, rewritten(pattern, rewrite, usual), boost))
    }
}

impl Compiler<'_> {
    /// The field that has the beginnings of another one's words in their order, where a prefix is short enough to be one of them.
    fn beginnings(self, field: &Field, pattern: &Pattern) -> Result<Option<Arc<Field>>> {
        match pattern {
            Pattern::Prefix { value, .. }
                if field.type_name == "search_as_you_type" && value.chars().count() <= BEGINNING_MAX =>
            {
                self.searchable(&format!("{}._index_prefix", field.name))
            }
            _ => Ok(None),
        }
    }
}

/// What must be true of a field that has a term of a pattern, and so how it is scored.
pub(super) fn rewritten(pattern: TermPattern, rewrite: Rewrite, usual: Rewrite) -> Test {
    let rewrite = if rewrite == Rewrite::Usual { usual } else { rewrite };
    let is_scored = !matches!(rewrite, Rewrite::Constant | Rewrite::Best(_, Weigh::Nearness));
    if let Some(word) = pattern.only().filter(|_| is_scored) {
        return Test::Term(word);
    }
    match rewrite {
        Rewrite::Usual | Rewrite::Constant => Test::Pattern(pattern),
        Rewrite::Each => Test::Expanded(Arc::new(Expanding::all(pattern))),
        Rewrite::Best(most, weigh) => Test::Expanded(Arc::new(Expanding::new(pattern, most, weigh))),
    }
}

/// A query that finds nothing where its value is none that the field has.
pub(super) fn leniently(node: Result<Node>) -> Result<Node> {
    match node {
        Err(error)
            if matches!(
                error.kind,
                ErrorKind::QueryShard | ErrorKind::IllegalArgument | ErrorKind::Date
            ) =>
        {
            Ok(Node::Nothing)
        }
        node => node,
    }
}

/// A field whose values are no texts is not looked through for patterns.
fn no_patterns(field: &Field, pattern: &Pattern) -> SearchError {
    let (query, fields) = match pattern {
        Pattern::Prefix { .. } => ("prefix", "keyword, text and wildcard"),
        Pattern::Wildcard { .. } => ("wildcard", "keyword, text and wildcard"),
        Pattern::Regexp { .. } => ("regexp", "keyword and text"),
        Pattern::Fuzzy { .. } => return no_fuzzy(field),
    };
    no_pattern(field, query, fields)
}

/// The same for a query that is only for such fields.
pub(super) fn no_pattern(field: &Field, query: &str, fields: &str) -> SearchError {
    let reason = format!(
        "Can only use {query} queries on {fields} fields - not on [{}] which is of type [{}]",
        field.name, field.type_name
    );
    SearchError::new(ErrorKind::QueryShard, reason)
}

/// The same for words that are near to one.
pub(super) fn no_fuzzy(field: &Field) -> SearchError {
    let reason = format!(
        "failed to create query: Can only use fuzzy queries on keyword and text fields - not on [{}] which is of type [{}]",
        field.name, field.type_name
    );
    SearchError::new(ErrorKind::QueryShard, reason)
}

/// Patterns that Elasticsearch does not look for at the keys of objects that are fields.
pub(super) fn refuse_keyed(field: &Field, query: &str) -> Result<()> {
    match field.is_keyed() {
        false => Ok(()),
        true => Err(SearchError::new(
            ErrorKind::QueryShard,
            format!(
                "failed to create query: [{query}] queries are not currently supported on keyed [{}] fields.",
                field.type_name
            ),
        )),
    }
}
