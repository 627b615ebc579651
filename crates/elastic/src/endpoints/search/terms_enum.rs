//! `_terms_enum`: the terms of a field that begin as somebody has begun to type.

use super::parameters::AskedSearch;
use super::perform;
use crate::endpoints::field_caps::may_match;
use auth::Action;
use fetch::IndexFilter;
use http::Method;
use indices::error::{ElasticError, Result};
use indices::shape::Shape;
use rest::call::Call;
use rest::resolve::{Options, resolve};
use rest::respond::{Answer, ok};
use serde_json::{Map, Value, json};

/// The terms that are given where no number is.
const SIZE_USUAL: usize = 10;

/// The most terms that a request gets.
const SIZE_MAX: usize = 10_000;

/// The terms that are looked at together.
const PAGE: usize = 1_000;

/// `/{index}/_terms_enum`.
pub(crate) async fn run(call: &mut Call, expression: &str) -> Result<Answer> {
    call.only(&[Method::GET, Method::POST])?;
    let options = Options::OPEN.taken(&mut call.parameters)?;
    call.parameters.end()?;
    let asked = Asked::parse(&call.required_object()?)?;
    let mut shards = 0;
    let mut having = Vec::new();
    for name in resolve(call, expression, options)? {
        let index = call.open_index(&name, Action::Find)?;
        shards += Shape::of(&index).primaries;
        let mapping = index.mapping().await?;
        let field = mapping.field(&asked.field);
        // Fields of other types have no terms to give.
        let has_terms = field.is_some_and(|field| {
            ["keyword", "constant_keyword", "flattened"].contains(&field.type_name.as_str())
        });
        let is_wanted = has_terms
            && match &asked.filter {
                Some(filter) => may_match(call, filter, &index, &mapping).await?,
                None => true,
            };
        if is_wanted {
            having.push(name);
        }
    }
    let (terms, is_complete) = match having.is_empty() {
        true => (Vec::new(), true),
        false => asked.terms(call, &having.join(",")).await?,
    };
    Ok(ok(json!({
        "_shards": {"total": shards, "successful": shards, "failed": 0}, "terms": terms, "complete": is_complete,
    })))
}

/// What is asked for.
#[derive(Default)]
struct Asked {
    field: String,
    prefix: String,
    size: usize,
    timeout: Option<Value>,
    ignores_case: bool,
    /// What an index may have, so that its terms count.
    filter: Option<IndexFilter>,
    /// The term before the first.
    after: Option<String>,
}

impl Asked {
    fn parse(body: &Map<String, Value>) -> Result<Asked> {
        let mut asked = Asked {
            size: SIZE_USUAL,
            ..Asked::default()
        };
        let mut field = None;
        for (name, value) in body {
            let wrong = || ElasticError::parsing(format!("[terms_enum] failed to parse field [{name}]"));
            let text = || value.as_str().map(str::to_owned).ok_or_else(wrong);
            match name.as_str() {
                "field" => field = Some(text()?),
                "string" if value.is_null() => {}
                "string" => asked.prefix = text()?,
                "size" => asked.size = size_of(value).ok_or_else(wrong)?,
                "timeout" => asked.timeout = Some(value.clone()),
                "case_insensitive" => asked.ignores_case = value.as_bool().ok_or_else(wrong)?,
                "index_filter" => asked.filter = Some(IndexFilter::parse(value)?),
                "search_after" => asked.after = Some(text()?),
                other => {
                    return Err(ElasticError::parsing(format!(
                        "[terms_enum] unknown field [{other}]"
                    )));
                }
            }
        }
        let missing = || ElasticError::validation(&["field cannot be null".to_owned()]);
        asked.field = field.ok_or_else(missing)?;
        Ok(asked)
    }

    /// The terms in their order, and whether there was time for all.
    async fn terms(&self, call: &Call, names: &str) -> Result<(Vec<String>, bool)> {
        let mut terms = Vec::new();
        let mut after = self.after.clone();
        loop {
            let search = AskedSearch::of(self.search(after.as_deref()));
            let answer = perform(call, names, Options::OPEN, search).await?;
            let is_complete = answer["timed_out"] != json!(true);
            let buckets = answer["aggregations"]["terms"]["buckets"].as_array();
            let mut seen = 0;
            for bucket in buckets.into_iter().flatten() {
                let Some(term) = bucket["key"]["term"].as_str() else {
                    continue;
                };
                seen += 1;
                after = Some(term.to_owned());
                // Documents with several terms have others, too.
                if self.begins(term) {
                    terms.push(term.to_owned());
                }
                if terms.len() == self.size {
                    return Ok((terms, is_complete));
                }
            }
            if seen < PAGE || !is_complete {
                return Ok((terms, is_complete));
            }
        }
    }

    /// The search that finds a page of terms.
    fn search(&self, after: Option<&str>) -> Map<String, Value> {
        let mut composite = json!({"size": PAGE, "sources": [{"term": {"terms": {"field": self.field}}}]});
        if let Some(after) = after {
            composite["after"] = json!({"term": after});
        }
        let query = match self.prefix.is_empty() {
            true => json!({"match_all": {}}),
            false => {
                let prefix = json!({"value": self.prefix, "case_insensitive": self.ignores_case});
                json!({"prefix": Map::from_iter([(self.field.clone(), prefix)])})
            }
        };
        let mut search = Map::from_iter([
            ("size".to_owned(), json!(0)),
            ("query".to_owned(), query),
            ("aggs".to_owned(), json!({"terms": {"composite": composite}})),
        ]);
        if let Some(timeout) = &self.timeout {
            search.insert("timeout".to_owned(), timeout.clone());
        }
        search
    }

    fn begins(&self, term: &str) -> bool {
        match self.ignores_case {
            false => term.starts_with(&self.prefix),
            true => term
                .get(..self.prefix.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(&self.prefix)),
        }
    }
}

fn size_of(value: &Value) -> Option<usize> {
    let size = usize::try_from(value.as_u64()?).ok()?;
    (1..=SIZE_MAX).contains(&size).then_some(size)
}
