//! The collector `facet`: how many of what was found have which values.

use crate::error::{Result, of_search, refused};
use crate::fields::{self, check_whole};
use crate::paths;
use crate::spec::{Spec, one_or_many};
use search::{Aggregations, Mapping};
use serde_json::{Map, Value as Json, json};
use value::{Document, Value, doc};

/// Facets of one search at most, and buckets of one.
const FACETS_MAX: usize = 100;
const BUCKETS_MAX: i64 = 1000;
/// The buckets of texts by default.
const BUCKETS: i64 = 10;

/// The facets of a search.
#[derive(Debug)]
pub(crate) struct Facets(Vec<Facet>);

#[derive(Debug)]
struct Facet {
    name: String,
    aggregation: Json,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// A bucket for each text.
    Texts,
    /// Buckets between bounds; and what is in none of them, under this name.
    Bounds(Vec<Value>, Option<String>),
}

impl Facets {
    /// The member `facets`.
    pub(crate) fn parse(spec: &Spec<'_>, mapping: &Mapping) -> Result<Facets> {
        let place = spec.path_of("facets");
        let named = Spec::of(place.clone(), spec.required("facets")?)?;
        let mut facets = Vec::new();
        for (name, facet) in named.members() {
            let spec = Spec::of(named.path_of(name), facet)?;
            facets.push(Facet::parse(name, &spec, mapping)?);
            spec.end()?;
        }
        match facets.len() {
            1..=FACETS_MAX => Ok(Facets(facets)),
            _ => Err(refused(format!("\"{place}\" must have 1 to {FACETS_MAX} facets"))),
        }
    }

    /// What is to be counted.
    pub(crate) fn aggregations(&self) -> Result<Aggregations> {
        let numbered = self.0.iter().enumerate();
        let asked: Map<String, Json> = numbered
            .map(|(at, facet)| (at.to_string(), facet.aggregation.clone()))
            .collect();
        Aggregations::parse(&Json::Object(asked)).map_err(of_search)
    }

    /// What was counted, as clients see it.
    pub(crate) fn shown(&self, counted: &Map<String, Json>) -> Document {
        let mut shown = Document::new();
        for (at, facet) in self.0.iter().enumerate() {
            let buckets = counted.get(&at.to_string()).map(|counted| &counted["buckets"]);
            let buckets = facet.kind.buckets(buckets.unwrap_or(&Json::Null));
            shown.push(facet.name.clone(), doc! {"buckets": buckets});
        }
        shown
    }
}

impl Facet {
    fn parse(name: &str, spec: &Spec<'_>, mapping: &Mapping) -> Result<Facet> {
        let path = paths::name(spec)?;
        let kind = spec.text("type")?.unwrap_or_default();
        let (aggregation, kind) = match kind {
            "string" => {
                let count = spec.count("numBuckets", 1, BUCKETS_MAX)?.unwrap_or(BUCKETS);
                check_whole(&path, mapping)?;
                let field = fields::name("token", &path);
                (json!({"terms": {"field": field, "size": count}}), Kind::Texts)
            }
            "number" | "date" => bounded(spec, &fields::name(kind, &path), kind == "date")?,
            other => {
                return Err(refused(format!(
                    "\"{}\" cannot be \"{other}\"",
                    spec.path_of("type")
                )));
            }
        };
        Ok(Facet {
            name: name.to_owned(),
            aggregation,
            kind,
        })
    }
}

/// Buckets between bounds, as filters on a field.
fn bounded(spec: &Spec<'_>, field: &str, is_date: bool) -> Result<(Json, Kind)> {
    let place = spec.path_of("boundaries");
    let bounds = one_or_many(spec.required("boundaries")?);
    let as_asked = |value: &Value| match value {
        Value::DateTime(ms) if is_date => Some((*ms as f64, json!(ms.to_string()))),
        _ if is_date => None,
        number => number.as_ref().as_f64().map(|number| (number, json!(number))),
    };
    let asked: Option<Vec<(f64, Json)>> = bounds.iter().map(as_asked).collect();
    let asked = asked.filter(|asked| {
        (2..=BUCKETS_MAX as usize).contains(&asked.len())
            && asked.windows(2).all(|pair| pair[0].0 < pair[1].0)
    });
    let asked = asked.ok_or_else(|| {
        refused(format!(
            "\"{place}\" must be 2 to {BUCKETS_MAX} {}, in ascending order",
            if is_date { "dates" } else { "numbers" }
        ))
    })?;
    let between = |low: &Json, high: &Json| json!({"range": {field: {"gte": low, "lt": high}}});
    let mut filters: Vec<Json> = asked
        .windows(2)
        .map(|pair| between(&pair[0].1, &pair[1].1))
        .collect();
    let default = spec.text("default")?.map(str::to_owned);
    if let (Some(first), Some(last)) = (asked.first(), asked.last()) {
        filters.push(json!({"bool": {
            "filter": [{"exists": {"field": field}}],
            "must_not": [between(&first.1, &last.1)],
        }}));
    }
    let filters = json!({"filters": {"filters": filters}});
    Ok((filters, Kind::Bounds(bounds.to_vec(), default)))
}

impl Kind {
    fn buckets(&self, counted: &Json) -> Vec<Value> {
        let counted = counted.as_array().map_or(&[][..], Vec::as_slice);
        let count = |bucket: &Json| bucket["doc_count"].as_i64().unwrap_or(0);
        let shown = |id: Value, count: i64| Value::Document(doc! {"_id": id, "count": count});
        match self {
            Kind::Texts => counted
                .iter()
                .map(|bucket| shown(bucket["key"].as_str().unwrap_or_default().into(), count(bucket)))
                .collect(),
            Kind::Bounds(bounds, default) => {
                let within = bounds.iter().zip(counted).take(bounds.len() - 1);
                let mut buckets: Vec<Value> = within
                    .map(|(low, bucket)| shown(low.clone(), count(bucket)))
                    .collect();
                if let (Some(name), Some(others)) = (default, counted.last()) {
                    buckets.push(shown(name.as_str().into(), count(others)));
                }
                buckets
            }
        }
    }
}
