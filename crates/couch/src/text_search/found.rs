//! A search over what an index function said: the documents that match, in order, and what is counted of all of them.

use super::index::TextIndex;
use super::said::{FieldType, Fields, facet, whole};
use crate::error::{CouchError, Result};
use http::StatusCode;
use mapping::Mapping;
use mapping::error::{Kind, SearchError};
use memory::Budget;
use search::{Held, Hit, Index, Request, Run, Seen, WINDOW_MAX};
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;
use value::DocumentBuf;

/// The field of terms that name none.
const DEFAULT_FIELD: &str = "default";

/// A field, and queries of it by the labels of their ranges.
pub(crate) type FieldRanges = (String, Vec<(String, Json)>);

/// What is asked of an index.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// In Lucene's syntax.
    pub(crate) query: String,
    pub(crate) partition: Option<String>,
    /// Hits at most.
    pub(crate) limit: usize,
    pub(crate) sort: Vec<SortBy>,
    /// What the hit was sorted by after which to go on.
    pub(crate) after: Option<Vec<Json>>,
    /// Fields whose values are counted, and how many values of each.
    pub(crate) counts: Option<Vec<String>>,
    pub(crate) counts_max: usize,
    /// Conditions in Lucene's syntax or as ranges whose hits are counted, by field and label.
    pub(crate) ranges: Option<Vec<FieldRanges>>,
    /// Fields with the values of which a hit has one.
    pub(crate) drilldown: Vec<(String, Vec<String>)>,
}

/// What hits are sorted by; behind all of it their ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SortBy {
    Score { descending: bool },
    Id { descending: bool },
    Field { name: String, descending: bool },
}

/// What was found.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) total: u64,
    pub(crate) hits: Vec<Hit>,
    pub(crate) counts: Option<Map<String, Json>>,
    pub(crate) ranges: Option<Map<String, Json>>,
}

/// One row of an index: the id of a document, and the document as a search sees it.
type Entry = (String, DocumentBuf);

impl Asked {
    /// Looks at all that the index holds.
    pub(crate) async fn find(&self, index: &TextIndex, memory: &Budget) -> Result<Found> {
        let held = Held::within(memory);
        let (entries, fields) = self.entries(index, &held).await?;
        let request = self.request(&fields)?;
        let mapping = Arc::new(mapping_of(&fields, index)?);
        let of = Index {
            name: String::new(),
            mapping,
            boost: 1.0,
        };
        let mut run = Run::new(&request, vec![of], value::date::now_ms(), held)?;
        if run.begin(0)? {
            for (id, document) in &entries {
                engine::steps(1)?;
                run.count(&seen(id, document));
            }
        }
        for (id, document) in &entries {
            engine::steps(1)?;
            run.see(&seen(id, document))?;
        }
        let outcome = run.finish(false, &|_, _, _| Ok(Json::Null))?;
        let aggregations = outcome.aggregations.unwrap_or_default();
        Ok(Found {
            total: outcome.total,
            hits: outcome.hits,
            counts: self
                .counts
                .as_deref()
                .map(|names| self.counted(names, &aggregations)),
            ranges: self
                .ranges
                .as_deref()
                .map(|ranges| counted_ranges(ranges, &aggregations)),
        })
    }

    async fn entries(&self, index: &TextIndex, held: &Held) -> Result<(Vec<Entry>, Fields)> {
        let mut fields = Fields::default();
        let mut entries = Vec::new();
        let mut rows = index.rows(self.partition.as_deref()).await?;
        while let Some(page) = rows.next().await? {
            for row in page {
                engine::steps(1)?;
                let document = fields.document(&row.value)?;
                let id = row.id.unwrap_or_default();
                held.add(size_of::<Entry>() + id.len() + document.bytes().len())?;
                entries.push((id, document));
            }
        }
        Ok((entries, fields))
    }

    fn request(&self, fields: &Fields) -> Result<Request> {
        let query = json!({"query_string": {"query": self.query, "default_field": DEFAULT_FIELD}});
        let drilled = self.drilldown.iter();
        let drilled: Vec<Json> = drilled
            .map(|(name, values)| json!({"terms": {facet(name): values}}))
            .collect();
        let mut body = json!({
            "query": {"bool": {"must": [query], "filter": drilled}},
            "size": self.limit,
            "sort": self.sort_keys(fields)?,
            "track_total_hits": true,
            "track_scores": true,
            "aggs": self.aggregations(fields)?,
        });
        if let Some(after) = &self.after {
            body["search_after"] = after.clone().into();
        }
        let body = body.as_object().cloned().unwrap_or_default();
        let (request, _) = Request::parse(&body)?;
        Ok(request)
    }

    fn sort_keys(&self, fields: &Fields) -> Result<Vec<Json>> {
        let direction = |descending: bool| if descending { "desc" } else { "asc" };
        let key = |by: &SortBy| match by {
            SortBy::Score { descending } => Ok(json!({"_score": direction(*descending)})),
            SortBy::Id { descending } => Ok(json!({"_id": direction(*descending)})),
            SortBy::Field { name, descending } => {
                let known = fields.types.get(name);
                let field = match known {
                    Some(FieldType::Number) => name.clone(),
                    _ => whole(name),
                };
                let order = direction(*descending);
                Ok(json!({field: {"order": order, "unmapped_type": "keyword"}}))
            }
        };
        let keys = self.sort.iter().map(key);
        let keys: Vec<Json> = keys.collect::<Result<_>>()?;
        Ok(keys)
    }

    fn aggregations(&self, fields: &Fields) -> Result<Json> {
        let mut asked = Map::new();
        for name in self.counts.iter().flatten() {
            fields.require_facet(name)?;
            let terms = json!({"terms": {"field": facet(name), "size": self.counts_max}});
            asked.insert(format!("c{name}"), terms);
        }
        for (name, ranges) in self.ranges.iter().flatten() {
            if fields.types.get(name) != Some(&FieldType::Number) {
                return Err(no_field(name));
            }
            let filters: Map<String, Json> = ranges.iter().cloned().collect();
            asked.insert(format!("r{name}"), json!({"filters": {"filters": filters}}));
        }
        Ok(asked.into())
    }

    fn counted(&self, names: &[String], aggregations: &Map<String, Json>) -> Map<String, Json> {
        let of = |name: &String| {
            let buckets = &aggregations.get(&format!("c{name}")).unwrap_or(&Json::Null)["buckets"];
            let count = |bucket: &Json| {
                let key = bucket["key"]
                    .as_str()
                    .map_or_else(|| bucket["key"].to_string(), str::to_owned);
                (key, bucket["doc_count"].clone())
            };
            let counts: Map<String, Json> = buckets.as_array().into_iter().flatten().map(count).collect();
            (name.clone(), counts.into())
        };
        names.iter().map(of).collect()
    }
}

fn counted_ranges(ranges: &[FieldRanges], aggregations: &Map<String, Json>) -> Map<String, Json> {
    let of = |(name, labels): &FieldRanges| {
        let buckets = &aggregations.get(&format!("r{name}")).unwrap_or(&Json::Null)["buckets"];
        let count = |(label, _): &(String, Json)| (label.clone(), buckets[label]["doc_count"].clone());
        let counts: Map<String, Json> = labels.iter().map(count).collect();
        (name.clone(), counts.into())
    };
    ranges.iter().map(of).collect()
}

impl Fields {
    /// Refuses fields below one that has values.
    fn check_names(&self) -> Result<()> {
        for name in self.types.keys() {
            let below = format!("{name}.");
            if let Some((other, _)) = self.types.range(below.clone()..).next()
                && other.starts_with(&below)
            {
                let reason = format!("the field \"{name}\" has values, and so no field \"{other}\" below it");
                return Err(CouchError::bad_request(reason));
            }
        }
        Ok(())
    }

    fn require_facet(&self, name: &str) -> Result<()> {
        match self.facets.contains_key(name) {
            true => Ok(()),
            false => Err(no_field(name)),
        }
    }
}

fn no_field(name: &str) -> CouchError {
    CouchError::bad_request(format!("The {name} does not exist."))
}

fn seen<'d>(id: &'d str, document: &'d DocumentBuf) -> Seen<'d> {
    Seen {
        id,
        sequence: 0,
        version: 1,
        document,
    }
}

/// How the fields are read. Texts as a whole are looked for as they are; so is what is asked for, cut by the analyzer all the same.
fn mapping_of(fields: &Fields, index: &TextIndex) -> Result<Mapping> {
    fields.check_names()?;
    let mut properties = Map::new();
    for (name, kind) in &fields.types {
        let analyzer = index.analyzers.of_field(name);
        let definition = match kind {
            FieldType::Text => json!({"type": "text", "analyzer": analyzer}),
            FieldType::Whole => json!({"type": "text", "analyzer": "keyword", "search_analyzer": analyzer}),
            FieldType::Number => json!({"type": "double"}),
        };
        properties.insert(name.clone(), definition);
        properties.insert(whole(name), json!({"type": "keyword"}));
    }
    for (name, kind) in &fields.facets {
        let kind = if *kind == FieldType::Number {
            "double"
        } else {
            "keyword"
        };
        properties.insert(facet(name), json!({"type": kind}));
    }
    let analysis = index.analyzers.analysis()?;
    let mut mapping = Mapping::parse(&json!({}), analysis)?.with_fields_max(Some(usize::MAX));
    mapping.put(&json!({ "properties": properties }))?;
    Ok(mapping)
}

impl From<SearchError> for CouchError {
    fn from(error: SearchError) -> CouchError {
        let text = error.reason;
        match error.kind {
            Kind::Memory => CouchError::new(StatusCode::SERVICE_UNAVAILABLE, "service_unavailable", text),
            Kind::Unsupported => CouchError::not_implemented(text),
            _ => CouchError::bad_request(text),
        }
    }
}

/// The most hits of one answer.
pub(crate) const HITS_MAX: usize = WINDOW_MAX;
