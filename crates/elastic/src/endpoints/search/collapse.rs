//! `collapse`: the best hit of each group, with others of its group on demand.

use super::Search;
use super::shown::{Shown, number, refuse};
use fetch::{ValuesOf, WantedField};
use indices::error::{ElasticError, Result};
use indices::scan::{IndexSnapshot, Scanned};
use search::{Mapping, Query, Request};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Hits that are looked through for groups at most.
const LOOKED_MAX: usize = search::WINDOW_MAX;

/// What is asked of groups.
#[derive(Clone, Debug)]
pub(super) struct Collapse {
    field: String,
    wanted: Vec<WantedField>,
    inner: Vec<Inner>,
}

/// Others of a group.
#[derive(Clone, Debug)]
struct Inner {
    name: String,
    request: Request,
    shown: Shown,
    /// The best hit alone of each group within the group.
    collapse: Option<Collapse>,
}

/// Refuses what cannot be together with groups.
pub(super) fn check(collapse: Option<&Collapse>, body: &Map<String, Value>, scrolls: bool) -> Result<()> {
    let invalid = |other: &str| {
        let reason = format!("cannot use `collapse` in {other}");
        Err(ElasticError::illegal(reason))
    };
    match collapse {
        None => Ok(()),
        Some(_) if scrolls => invalid("a scroll context"),
        Some(_) if body.contains_key("search_after") => invalid("conjunction with `search_after`"),
        Some(_) if body.contains_key("rescore") => invalid("conjunction with `rescore`"),
        Some(_) => Ok(()),
    }
}

impl Collapse {
    /// Reads the collapse of an `inner_hits`, which goes no deeper.
    fn parse_second(value: &Value) -> Result<Collapse> {
        let is_flat = value
            .as_object()
            .is_some_and(|object| object.keys().all(|name| name == "field"));
        match is_flat {
            true => Collapse::parse(value),
            false => Err(ElasticError::new(
                http::StatusCode::BAD_REQUEST,
                "parse_exception",
                "a [collapse] within [inner_hits] takes a [field] alone",
            )),
        }
    }

    pub(super) fn parse(value: &Value) -> Result<Collapse> {
        let object = value
            .as_object()
            .ok_or_else(|| ElasticError::parsing("[collapse] must be an object"))?;
        let field = object.get("field").and_then(Value::as_str);
        let field = field
            .ok_or_else(|| ElasticError::illegal("[collapse] needs a [field]"))?
            .to_owned();
        let mut inner = Vec::new();
        for (name, value) in object {
            match name.as_str() {
                // Groups are looked for one after another.
                "field" | "max_concurrent_group_searches" => {}
                "inner_hits" => {
                    let list = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
                    for one in list {
                        inner.push(parse_inner(&field, &one)?);
                    }
                }
                other => {
                    return Err(ElasticError::parsing(format!(
                        "[collapse] unknown field [{other}]"
                    )));
                }
            }
        }
        let wanted = WantedField::parse(&json!([field]))?;
        Ok(Collapse { field, wanted, inner })
    }

    /// Refuses a field by which none of the indices can make groups.
    pub(super) fn check_field(&self, places: &[IndexSnapshot]) -> Result<()> {
        let mut refusals = places.iter().map(|place| self.refusal(&place.mapping));
        let Some(Some(first)) = refusals.next() else {
            return Ok(());
        };
        match refusals.all(|refusal| refusal.is_some()) {
            true => Err(ElasticError::illegal(first)),
            false => Ok(()),
        }
    }

    /// Why an index cannot make groups by the field, if it cannot.
    fn refusal(&self, mapping: &Mapping) -> Option<String> {
        let name = &self.field;
        let Some(field) = mapping.field(name).filter(|field| !field.is_object()) else {
            return Some(format!("no mapping found for `{name}` in order to collapse on"));
        };
        let is_keyword = field.type_name == "keyword" && field.meta.is_none();
        if !field.is_number() && !is_keyword {
            return Some(format!(
                "unknown type for collapse field `{name}`, only keywords and numbers are accepted"
            ));
        }
        (!field.doc_values).then(|| format!("cannot collapse on field `{name}` without `doc_values`"))
    }

    /// The values that groups are known by.
    fn group(&self, search: &Search, hit: &search::Hit) -> Result<Vec<Value>> {
        let Some(place) = search.places.get(hit.index) else {
            return Ok(Vec::new());
        };
        let found = fetch::fetched(&place.mapping, hit, &self.wanted, ValuesOf::Columns)?;
        let mut values = found.into_iter().next().map(|(_, values)| values);
        let values = values
            .as_mut()
            .and_then(Value::as_array_mut)
            .map(std::mem::take)
            .unwrap_or_default();
        match values.len() > 1 {
            true => Err(ElasticError::illegal(format!(
                "failed to collapse [{}]: a document has several values",
                self.field
            ))),
            false => Ok(values),
        }
    }

    pub(super) async fn run(&self, search: &Search) -> Result<Scanned> {
        self.best(search, &search.request).await
    }

    /// The best hit of each group of what a request finds.
    async fn best(&self, search: &Search, request: &Request) -> Result<Scanned> {
        let mut request = request.clone();
        let (from, size) = (request.from, request.size);
        (request.from, request.size) = (0, LOOKED_MAX);
        let mut found = search.scan(&request).await?;
        let mut seen = HashSet::new();
        let mut kept = Vec::new();
        for hit in found.outcome.hits {
            let group = serde_json::to_string(&self.group(search, &hit)?)?;
            if seen.insert(group) {
                kept.push(hit);
            }
        }
        found.outcome.hits = kept.into_iter().skip(from).take(size).collect();
        Ok(found)
    }

    /// Adds the group of a hit and others of the group.
    pub(super) async fn add(&self, search: &Search, hit: &search::Hit, shown: &mut Value) -> Result<()> {
        let group = self.group(search, hit)?;
        self.show_group(&group, shown);
        let mut others = Map::new();
        for inner in &self.inner {
            others.insert(
                inner.name.clone(),
                self.others(search, inner, group.first()).await?,
            );
        }
        if !others.is_empty() {
            shown["inner_hits"] = Value::Object(others);
        }
        Ok(())
    }

    fn show_group(&self, group: &[Value], shown: &mut Value) {
        let name = self.field.clone();
        match shown.get_mut("fields").and_then(Value::as_object_mut) {
            Some(fields) => drop(fields.insert(name, json!(group))),
            None if group.is_empty() => shown["fields"] = json!({name: [Value::Null]}),
            None => shown["fields"] = json!({name: group}),
        }
    }

    async fn others(&self, search: &Search, inner: &Inner, group: Option<&Value>) -> Result<Value> {
        let filter = match group {
            Some(value) => json!({"term": {self.field.clone(): value}}),
            None => json!({"bool": {"must_not": {"exists": {"field": self.field}}}}),
        };
        let mut request = inner.request.clone();
        let own = search.request.query.clone();
        request.query = Some(Query::filtered(own, search::parse_query(&filter)?));
        let found = match &inner.collapse {
            Some(second) => second.best(search, &request).await?,
            None => search.scan(&request).await?,
        };
        let found = found.outcome;
        let is_sorted = !request.sort.is_empty();
        let hit = |hit: &search::Hit| {
            let score = hit.score.filter(|_| request.shows_scores());
            let mut shown = search.shown_hit(&inner.shown, hit, score, is_sorted)?;
            if let Some(second) = &inner.collapse {
                second.show_group(&second.group(search, hit)?, &mut shown);
            }
            Ok(shown)
        };
        let hits = found.hits.iter().map(hit).collect::<Result<Vec<_>>>()?;
        let max_score = found.max_score.map_or(Value::Null, number);
        let total = search.total(found.total);
        Ok(json!({"hits": {"total": total, "max_score": max_score, "hits": hits}}))
    }
}

fn parse_inner(field: &str, value: &Value) -> Result<Inner> {
    let mut body = value
        .as_object()
        .cloned()
        .ok_or_else(|| ElasticError::parsing("[inner_hits] must be an object"))?;
    let name = body
        .shift_remove("name")
        .and_then(|name| name.as_str().map(str::to_owned));
    // Nothing is mapped or not in a group.
    body.shift_remove("ignore_unmapped");
    let collapse = body.shift_remove("collapse");
    let collapse = collapse.as_ref().map(Collapse::parse_second).transpose()?;
    body.entry("size").or_insert(json!(3));
    let (request, rest) = Request::parse(&body)?;
    let (shown, rest) = Shown::take(&rest)?;
    refuse(&rest)?;
    Ok(Inner {
        name: name.unwrap_or_else(|| field.to_owned()),
        request,
        shown,
        collapse,
    })
}
