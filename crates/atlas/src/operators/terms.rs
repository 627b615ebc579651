//! Operators on terms as they are in the index: `wildcard` and `regex`.

use super::texts::texts;
use super::{Scope, TEXTS_MAX, check_count, constant};
use crate::error::{Result, of_search, refused};
use crate::fields;
use crate::paths::{self, texts_of};
use crate::spec::Spec;
use search::{Mapping, Query, parse_query};
use serde_json::json;

/// Characters that mean something in a pattern.
const SPECIAL: &str = ".?+*|{}[]()\"\\#@&<>~^$";

pub(super) fn wildcard(spec: &Spec<'_>, scope: Scope<'_>) -> Result<Query> {
    patterns(spec, scope, &as_regex)
}

pub(super) fn regex(spec: &Spec<'_>, scope: Scope<'_>) -> Result<Query> {
    patterns(spec, scope, &str::to_owned)
}

fn patterns(spec: &Spec<'_>, scope: Scope<'_>, pattern: &dyn Fn(&str) -> String) -> Result<Query> {
    let fields = texts_of(&paths::parse(spec)?, scope.mapping)?;
    if !spec.flag("allowAnalyzedField")?.unwrap_or(false) {
        if fields.is_empty() {
            return Err(refused(format!(
                "\"{}\" is no field with a keyword analyzer",
                spec.path_of("path")
            )));
        }
        fields
            .iter()
            .try_for_each(|field| check_whole(field, scope.mapping))?;
    }
    let texts = texts(spec)?;
    check_count(fields.len(), texts.len(), TEXTS_MAX)?;
    let mut queries = Vec::new();
    for field in fields {
        for text in &texts {
            let asked = json!({"regexp": {&field: {"value": pattern(text)}}});
            queries.push(parse_query(&asked).map_err(of_search)?);
        }
    }
    Ok(constant(queries))
}

/// Refuses a field whose texts are cut.
fn check_whole(field: &str, mapping: &Mapping) -> Result<()> {
    const SAMPLE: &str = "Two words";
    let analyzer = mapping.analyzer_of(field);
    let is_whole = analyzer.is_none_or(|analyzer| analyzer.tokens(SAMPLE).len() == 1);
    match is_whole {
        true => Ok(()),
        false => Err(refused(format!(
            "Field '{}' is analyzed. Use a field whose analyzer is a keyword analyzer, or set allowAnalyzedField to true",
            fields::parts(field).map_or(field, |(_, path)| path)
        ))),
    }
}

/// A wildcard as a regular expression, which is compared as it is.
fn as_regex(wildcard: &str) -> String {
    let mut regex = String::with_capacity(wildcard.len() + 8);
    let mut chars = wildcard.chars();
    let quote = |regex: &mut String, c: char| {
        if SPECIAL.contains(c) {
            regex.push('\\');
        }
        regex.push(c);
    };
    while let Some(c) = chars.next() {
        match c {
            '*' => regex.push_str(".*"),
            '?' => regex.push('.'),
            '\\' => quote(&mut regex, chars.next().unwrap_or('\\')),
            c => quote(&mut regex, c),
        }
    }
    regex
}
