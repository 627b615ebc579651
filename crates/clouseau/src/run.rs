//! All rows of an index in memory, and showing them to runs of Elasticsearch's queries.

use crate::definition::TextIndex;
use crate::distance::Distance;
use crate::error::{Error, Result};
use crate::said::{FieldType, Fields, facet, first, whole};
use crate::sort::distance_field;
use language::interruption::steps;
use mapping::{Mapping, Rules};
use memory::Budget;
use search::{Held, Index, Outcome, Request, Run, Seen};
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;
use value::{DocumentBuf, Value};

/// One row of an index.
#[derive(Debug)]
pub(crate) struct IndexRow {
    id: String,
    /// Its fields as a search sees them.
    document: DocumentBuf,
    /// The value by which it is grouped, where that is asked.
    pub(crate) group: Option<String>,
}

/// The rows of an index, in the order of their ids.
#[derive(Debug)]
pub(crate) struct IndexRows {
    pub(crate) all: Vec<IndexRow>,
    pub(crate) fields: Fields,
    held: Held,
}

/// What is read of an index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading<'r> {
    pub(crate) partition: Option<&'r str>,
    /// Distances that entries hold besides what was said of them.
    pub(crate) distances: &'r [Distance],
    /// The field by which they are grouped.
    pub(crate) group_field: Option<&'r str>,
}

impl IndexRows {
    /// Reads all rows.
    pub(crate) async fn read(index: &TextIndex, reading: Reading<'_>, memory: &Budget) -> Result<IndexRows> {
        let held = Held::within(memory);
        let mut fields = Fields::default();
        let mut all = Vec::new();
        let mut rows = index.rows(reading.partition).await?;
        while let Some(page) = rows.next().await? {
            for row in page {
                steps(1)?;
                let mut document = fields.document(&row.value)?;
                for (at, distance) in reading.distances.iter().enumerate() {
                    let far = distance.of(&document);
                    document.push(distance_field(at).as_str(), far);
                }
                let group = reading
                    .group_field
                    .and_then(|name| first(&document, &whole(name)));
                let group = match group {
                    Some(Value::String(text)) => Some(text.clone()),
                    _ => None,
                };
                let entry = IndexRow {
                    id: row.id.unwrap_or_default(),
                    document: DocumentBuf::from(&document),
                    group,
                };
                held.add(entry.bytes())?;
                all.push(entry);
            }
        }
        Ok(IndexRows { all, fields, held })
    }

    /// Shows those that are `wanted` to a run; all of them count for the scores.
    pub(crate) fn run(
        &self,
        request: &Request,
        mapping: &Arc<Mapping>,
        wanted: impl Fn(&IndexRow) -> bool,
    ) -> Result<Outcome> {
        let of = Index {
            name: String::new(),
            mapping: mapping.clone(),
            boost: 1.0,
        };
        let mut run = Run::new(request, vec![of], value::date::now_ms(), self.held.another())?;
        if run.begin(0)? {
            for (at, entry) in self.all.iter().enumerate() {
                steps(1)?;
                run.count(&entry.seen(at));
            }
        }
        for (at, entry) in self.all.iter().enumerate().filter(|(_, entry)| wanted(entry)) {
            steps(1)?;
            run.see(&entry.seen(at))?;
        }
        Ok(run.finish(false, &|_, _, _| Ok(Json::Null))?)
    }

    /// How the fields are read. Texts as a whole are looked for as they are; so is what is asked for, cut by the analyzer all the same.
    pub(crate) fn mapping(&self, index: &TextIndex, distances: usize) -> Result<Arc<Mapping>> {
        self.fields.check_names()?;
        let mut properties = Map::new();
        for (name, kind) in &self.fields.types {
            let analyzer = index.analyzers.of_field(name);
            let definition = match kind {
                FieldType::Text => json!({"type": "text", "analyzer": analyzer}),
                FieldType::Whole => {
                    json!({"type": "text", "analyzer": "keyword", "search_analyzer": analyzer})
                }
                FieldType::Number => json!({"type": "double"}),
            };
            properties.insert(name.clone(), definition);
            properties.insert(whole(name), json!({"type": "keyword"}));
        }
        for (name, kind) in &self.fields.facets {
            let kind = if *kind == FieldType::Number {
                "double"
            } else {
                "keyword"
            };
            properties.insert(facet(name), json!({"type": kind}));
        }
        for at in 0..distances {
            properties.insert(distance_field(at), json!({"type": "double"}));
        }
        let analysis = index.analyzers.analysis()?;
        let mut mapping = Mapping::of(&json!({}), analysis, Rules::default().without_limits())?;
        mapping.put(&json!({ "properties": properties }))?;
        Ok(Arc::new(mapping))
    }
}

impl IndexRow {
    fn bytes(&self) -> usize {
        let group = self.group.as_ref().map_or(0, String::len);
        size_of::<IndexRow>() + self.id.len() + self.document.bytes().len() + group
    }

    fn seen(&self, at: usize) -> Seen<'_> {
        Seen {
            id: &self.id,
            sequence: at as u64,
            version: 1,
            document: &self.document,
        }
    }
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
                return Err(Error::BadRequest(reason));
            }
        }
        Ok(())
    }
}
