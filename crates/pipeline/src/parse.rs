//! Pipelines read from BSON: the table of stages, and the rules on their order.

use super::stage::{Position, QueryPart, Stage, StageScope, stage_name};
use super::stages::searching::SEARCH_META;
use super::stages::sort::Keying;
use super::stages::{
    bucket, bucket_auto, catalog, count, densify, describing, documents, facet, fill, geo_near, graph_lookup,
    group, limit, lookup, matching, merge, out, pack_buckets, project, queries, rank_fusion, redact,
    replace_root, sample, searching, sort, union_with, unwind,
};
use super::window;
use super::{COLLECTIONLESS, Pipeline};
use crate::{Code, QueryError, Result};
use language::expression::Variables;
use language::projection::{RECORD_ID, SORT_KEY};
use std::sync::Arc;
use store::Namespace;
use value::Value;

/// The stages that a pipeline may have, as in MongoDB.
pub const STAGES_MAX: usize = 1_000;

/// Pipelines within pipelines (`$lookup`, `$unionWith` …), as in MongoDB.
pub const SUB_PIPELINE_DEPTH_MAX: usize = 20;

type Parsed = Vec<Arc<dyn Stage>>;
type ParseStage = fn(&str, &Value, &StageScope<'_>) -> Result<Parsed>;

/// The implemented stages, by name.
const STAGES: &[(&str, ParseStage)] = &[
    ("$geoNear", geo_near::parse),
    ("$rankFusion", rank_fusion::parse),
    ("$match", matching::parse),
    ("$sort", sort::parse),
    ("$limit", limit::parse_limit),
    ("$skip", limit::parse_skip),
    ("$project", project::parse),
    ("$addFields", project::parse),
    ("$set", project::parse),
    ("$unset", project::parse),
    ("$count", count::parse),
    ("$group", group::parse),
    ("$unwind", unwind::parse),
    ("$replaceRoot", replace_root::parse_replace_root),
    ("$replaceWith", replace_root::parse_replace_with),
    ("$sortByCount", count::parse_sort_by_count),
    ("$sample", sample::parse),
    ("$bucket", bucket::parse),
    ("$bucketAuto", bucket_auto::parse),
    ("$facet", facet::parse),
    ("$documents", documents::parse),
    ("$redact", redact::parse),
    ("$lookup", lookup::parse),
    ("$graphLookup", graph_lookup::parse),
    ("$unionWith", union_with::parse),
    ("$out", out::parse),
    ("$merge", merge::parse),
    ("$setWindowFields", window::parse),
    ("$densify", densify::parse),
    ("$fill", fill::parse),
    ("$collStats", describing::parse_collection_statistics),
    ("$indexStats", describing::parse_index_statistics),
    ("$planCacheStats", describing::parse_plan_cache),
    ("$currentOp", describing::parse_current_op),
    ("$listSessions", describing::parse_sessions),
    ("$listClusterCatalog", catalog::parse),
    ("$listLocalSessions", describing::parse_local_sessions),
    ("$querySettings", queries::parse_settings),
    ("$queryStats", queries::parse_statistics),
    ("$search", searching::parse),
    ("$searchMeta", searching::parse_meta),
    ("$listSearchIndexes", searching::parse_listing),
    ("$_internalPackBuckets", pack_buckets::parse),
];

/// MongoDB's stages that are not implemented.
const UNSUPPORTED: &[&str] = &[
    "$vectorSearch",
    "$changeStream",
    "$changeStreamSplitLargeEvent",
    "$scoreFusion",
    "$score",
    "$listSampledQueries",
    "$shardedDataDistribution",
    "$listCatalog",
    "$listCachedAndActiveUsers",
];

/// The stages that make one document of several, which then has no metadata.
const ENDING_METADATA: [&str; 6] = [
    "$group",
    "$count",
    "$sortByCount",
    "$bucket",
    "$bucketAuto",
    "$facet",
];

/// The metadata that is refused after these stages; other metadata is just missing.
const REFUSED_BEHIND: [&str; 3] = ["score", "scoreDetails", SEARCH_META];

/// The metadata that may be used everywhere; it is missing if documents have none.
const EVERYWHERE: [&str; 2] = [RECORD_ID, SORT_KEY];

/// The names of all implemented stages, `$` included.
pub fn stage_names() -> impl Iterator<Item = &'static str> {
    STAGES.iter().map(|(name, _)| *name)
}

impl Pipeline {
    /// Parses the stages of a pipeline on a collection. The variables must have the values with which it will run.
    pub fn parse(stages: &[Value], variables: &Variables, namespace: &Namespace) -> Result<Pipeline> {
        let scope = StageScope {
            variables,
            namespace,
            depth: 0,
            metadata: &[],
            leads: true,
        };
        Pipeline::parse_within(stages, &scope)
    }

    /// As [`Pipeline::parse`], within other pipelines too.
    pub(super) fn parse_within(stages: &[Value], scope: &StageScope<'_>) -> Result<Pipeline> {
        if scope.depth > SUB_PIPELINE_DEPTH_MAX {
            return Err(QueryError::new(
                Code::MAX_SUB_PIPELINE_DEPTH_EXCEEDED,
                format!("Maximum number of nested sub-pipelines exceeded. Limit is {SUB_PIPELINE_DEPTH_MAX}"),
            ));
        }
        let pipeline = Pipeline {
            stages: parse_stages(stages, scope)?,
            variables: Arc::new(scope.variables.clone()),
        };
        if scope.namespace.collection == COLLECTIONLESS {
            super::open::check_origin(scope.namespace, &pipeline)?;
        }
        check_positions(&pipeline.stages)?;
        Ok(pipeline)
    }
}

/// Fails for stages that may only be first or last, and are not.
fn check_positions(stages: &Parsed) -> Result<()> {
    let last = stages.len().saturating_sub(1);
    for (at, stage) in stages.iter().enumerate() {
        if at > 0 && searches_texts(&**stage) {
            return Err(text_not_first());
        }
        match stage.position() {
            Position::First(_) if at > 0 => {
                let code = match stage_name(&**stage).as_str() {
                    "$rankFusion" => 10_170_100,
                    _ => 40_602,
                };
                return Err(QueryError::new(
                    Code::location(code),
                    format!(
                        "{} is only valid as the first stage in a pipeline.",
                        stage_name(&**stage)
                    ),
                ));
            }
            Position::FirstOnCollection if !stages[..at].iter().all(|stage| takes_all(&**stage)) => {
                return Err(QueryError::new(
                    Code::location(40_603),
                    format!(
                        "{} was not the first stage in the pipeline.",
                        stage_name(&**stage)
                    ),
                ));
            }
            Position::Last if at < last => {
                return Err(QueryError::new(
                    Code::location(40_601),
                    format!(
                        "{} can only be the final stage in the pipeline",
                        stage_name(&**stage)
                    ),
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The error of a text search that no index can answer.
pub(super) fn text_not_first() -> QueryError {
    QueryError::new(
        Code::location(17_313),
        "$match with $text is only allowed as the first pipeline stage",
    )
}

/// Whether the stage is a `$match` with a text search.
pub(super) fn searches_texts(stage: &dyn Stage) -> bool {
    matches!(stage.part(), QueryPart::Filter(filter) if filter.text().is_some())
}

/// Whether the stage is a `$match` of everything.
fn takes_all(stage: &dyn Stage) -> bool {
    matches!(stage.part(), QueryPart::Filter(filter) if filter.is_empty())
}

/// Parses the stages without regard to their order.
pub(super) fn parse_stages(stages: &[Value], scope: &StageScope<'_>) -> Result<Parsed> {
    if stages.len() > STAGES_MAX {
        return Err(QueryError::new(
            Code::location(7_749_501),
            format!("Pipeline length must be no longer than {STAGES_MAX} stages."),
        ));
    }
    check_names(stages)?;
    let mut parsed: Parsed = Vec::with_capacity(stages.len());
    let mut metadata = [scope.metadata, EVERYWHERE.as_slice()].concat();
    let mut front = Front {
        leads: scope.leads,
        is_grouped: false,
    };
    for stage in stages {
        let (name, operand) = name_and_operand(stage)?;
        let scope = StageScope {
            metadata: &metadata,
            leads: front.leads,
            ..*scope
        };
        let these = parse_stage(name, operand, &scope)?;
        if ENDING_METADATA.contains(&name) {
            metadata.retain(|kept| !REFUSED_BEHIND.contains(kept));
        }
        metadata.extend(these.iter().flat_map(|stage| stage.metadata()));
        front.pass(name, &these);
        parsed.extend(these);
    }
    let parsed = with_limits_pushed(parsed);
    Ok(match stages.iter().any(asks_sort_key) {
        true => with_sort_keys(parsed),
        false => parsed,
    })
}

/// What stands before a stage, as far as MongoDB runs it together with a group.
struct Front {
    leads: bool,
    is_grouped: bool,
}

impl Front {
    /// Goes on behind the stages that a name stands for: what a query on the collection does comes first, then groups.
    fn pass(&mut self, name: &str, stages: &[Arc<dyn Stage>]) {
        for stage in stages {
            let is_query = match stage.part() {
                QueryPart::Filter(_) | QueryPart::Sort(..) | QueryPart::Skip(_) | QueryPart::Limit(_) => true,
                QueryPart::Projection(_) => name == "$project",
                QueryPart::None | QueryPart::Near(_) => false,
            };
            self.leads &= stage.is_group() || (is_query && !self.is_grouped);
            self.is_grouped |= stage.is_group();
        }
    }
}

/// Refuses what names no stage, as MongoDB does before it looks into any stage.
pub(super) fn check_names(stages: &[Value]) -> Result<()> {
    for stage in stages {
        let (name, _) = name_and_operand(stage)?;
        if !stage_names().any(|known| known == name) && !UNSUPPORTED.contains(&name) {
            return Err(QueryError::new(
                Code::location(40_324),
                format!("Unrecognized pipeline stage name: '{name}'"),
            ));
        }
    }
    Ok(())
}

fn name_and_operand(stage: &Value) -> Result<(&str, &Value)> {
    let Value::Document(stage) = stage else {
        return Err(QueryError::type_mismatch(
            "Each element of the 'pipeline' array must be an object",
        ));
    };
    let mut fields = stage.iter();
    match (fields.next(), fields.next()) {
        (Some(only), None) => Ok(only),
        _ => Err(QueryError::new(
            Code::location(40_323),
            "A pipeline stage specification object must contain exactly one field.",
        )),
    }
}

fn parse_stage(name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Parsed> {
    match STAGES.iter().find(|(known, _)| *known == name) {
        Some((_, parse)) => parse(name, operand, scope),
        // From this error, applications conclude that the server has no change streams, and do without.
        None if name == "$changeStream" => Err(QueryError::new(
            Code::location(40_573),
            "The $changeStream stage is only supported on replica sets",
        )),
        None => Err(QueryError::new(
            Code::COMMAND_NOT_SUPPORTED,
            format!("the pipeline stage {name} is not supported yet"),
        )),
    }
}

/// Whether `{$meta: "sortKey"}` is anywhere within the value.
fn asks_sort_key(value: &Value) -> bool {
    let is_name = |value: &Value| matches!(value, Value::String(name) if name == SORT_KEY);
    match value {
        Value::Document(fields) => fields
            .iter()
            .any(|(name, value)| (name == "$meta" && is_name(value)) || asks_sort_key(value)),
        Value::Array(elements) => elements.iter().any(asks_sort_key),
        _ => false,
    }
}

/// Makes each sort pass on the values that documents were sorted by. This is done after the stages that only leave out documents, since
/// a query on the collection can do these, like the sort.
fn with_sort_keys(stages: Parsed) -> Parsed {
    let mut out: Parsed = Vec::with_capacity(stages.len() + 1);
    let mut keying: Option<Arc<dyn Stage>> = None;
    for stage in stages {
        match stage.part() {
            // Nothing asks for what it was sorted by before.
            QueryPart::Sort(pattern, _) => keying = Some(Arc::new(Keying::new(pattern.clone()))),
            QueryPart::Filter(_) | QueryPart::Skip(_) | QueryPart::Limit(_) => {}
            _ => out.extend(keying.take()),
        }
        out.push(stage);
    }
    out
}

/// Lets a sort know the limit after it, so that it keeps no more than that.
fn with_limits_pushed(stages: Parsed) -> Parsed {
    let mut out: Parsed = Vec::with_capacity(stages.len());
    for stage in stages {
        if let QueryPart::Limit(limit) = stage.part()
            && let Some(limited) = limit_before(&out, limit)
        {
            let (at, stage) = limited;
            out[at] = stage;
        }
        out.push(stage);
    }
    out
}

/// The sort that a limit reaches over the skips in between, with that limit.
fn limit_before(stages: &Parsed, mut limit: u64) -> Option<(usize, Arc<dyn Stage>)> {
    for (at, stage) in stages.iter().enumerate().rev() {
        match stage.part() {
            QueryPart::Skip(skip) => limit = limit.checked_add(skip)?,
            _ => return stage.limited(limit).map(|stage| (at, Arc::from(stage))),
        }
    }
    None
}
