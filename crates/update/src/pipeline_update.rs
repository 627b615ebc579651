//! Updates that are pipelines: `[{$set: {…}}, {$unset: …}, {$replaceWith: …}]`.

use crate::replacement::with_id;
use crate::stored::check_stored;
use crate::{Applied, UpdateScope};
use language::expression::{Expression, ParseScope, Variables};
use language::projection::{Projection, Stage, new_root};
use language::{Code, Error, Result};
use value::{Document, DocumentRef, Value, doc};

/// The stages that MongoDB has but does not allow here.
const OTHER_STAGES: [&str; 45] = [
    "$bucket",
    "$bucketAuto",
    "$changeStream",
    "$changeStreamSplitLargeEvent",
    "$collStats",
    "$count",
    "$currentOp",
    "$densify",
    "$documents",
    "$facet",
    "$fill",
    "$geoNear",
    "$graphLookup",
    "$group",
    "$indexStats",
    "$limit",
    "$listCachedAndActiveUsers",
    "$listCatalog",
    "$listClusterCatalog",
    "$listLocalSessions",
    "$listSampledQueries",
    "$listSearchIndexes",
    "$listSessions",
    "$lookup",
    "$match",
    "$merge",
    "$out",
    "$planCacheStats",
    "$querySettings",
    "$queryStats",
    "$rankFusion",
    "$redact",
    "$sample",
    "$score",
    "$scoreFusion",
    "$search",
    "$searchMeta",
    "$setWindowFields",
    "$shardedDataDistribution",
    "$skip",
    "$sort",
    "$sortByCount",
    "$unionWith",
    "$unwind",
    "$vectorSearch",
];

/// The stages in order.
#[derive(Clone, Debug)]
pub(crate) struct PipelineUpdate {
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
enum Step {
    Project(Projection),
    ReplaceWith(Expression),
}

impl PipelineUpdate {
    pub(crate) fn parse(stages: &[Value], scope: &UpdateScope<'_>) -> Result<PipelineUpdate> {
        let expressions = scope.variables.parse_scope().keeping_failing_constants();
        let mut steps = Vec::with_capacity(stages.len());
        let mut refused = None;
        for stage in stages {
            match Step::parse(stage, &expressions) {
                Ok(step) => steps.push(step),
                // MongoDB reads all stages before it looks which of them are allowed.
                Err(error) if error.code == Code::INVALID_OPTIONS => {
                    refused.get_or_insert(error);
                }
                Err(error) => return Err(error),
            }
        }
        match refused {
            Some(error) => Err(error),
            None => Ok(PipelineUpdate { steps }),
        }
    }

    pub(crate) fn apply(&self, document: &mut Document, variables: &Variables) -> Result<Applied> {
        let mut result = document.clone();
        for step in &self.steps {
            result = step.apply(&result, variables)?;
        }
        if result == *document {
            return Ok(Applied::Unchanged);
        }
        check_stored(&result)?;
        *document = with_id(document.remove("_id"), result)?;
        Ok(Applied::Changed)
    }
}

impl Step {
    fn parse(stage: &Value, scope: &ParseScope) -> Result<Step> {
        let Value::Document(stage) = stage else {
            return Err(Error::type_mismatch(
                "Each element of the 'pipeline' array must be an object",
            ));
        };
        let mut fields = stage.iter();
        let (Some((name, operand)), None) = (fields.next(), fields.next()) else {
            return Err(Error::new(
                Code::location(40_323),
                "A pipeline stage specification object must contain exactly one field.",
            ));
        };
        if let ("$fill", Some(added)) = (name, filled(operand)) {
            return Projection::parse_stage(Stage::AddFields, name, &added.into(), scope).map(Step::Project);
        }
        match name {
            "$set" | "$addFields" => {
                Projection::parse_stage(Stage::AddFields, name, operand, scope).map(Step::Project)
            }
            "$project" => Projection::parse_stage(Stage::Project, name, operand, scope).map(Step::Project),
            "$unset" => Projection::parse_stage(Stage::Unset, name, operand, scope).map(Step::Project),
            "$replaceWith" => Expression::parse(operand, scope).map(Step::ReplaceWith),
            "$replaceRoot" => Expression::parse(new_root(operand)?, scope).map(Step::ReplaceWith),
            _ if OTHER_STAGES.contains(&name) => Err(Error::new(
                Code::INVALID_OPTIONS,
                format!("{name} is not allowed to be used within an update"),
            )),
            _ => Err(Error::new(
                Code::location(40_324),
                format!("Unrecognized pipeline stage name: '{name}'"),
            )),
        }
    }

    fn apply(&self, document: &Document, variables: &Variables) -> Result<Document> {
        match self {
            Step::Project(projection) => projection.apply_tree(document, variables),
            Step::ReplaceWith(expression) => {
                match expression.evaluate(DocumentRef::Tree(document), variables)? {
                    Some(Value::Document(new)) => Ok(new),
                    other => Err(not_a_document(other.as_ref(), document)),
                }
            }
        }
    }
}

fn not_a_document(value: Option<&Value>, document: &Document) -> Error {
    let kind = value.map_or("missing", |value| value.type_of().alias());
    let shown = value.map_or("MISSING".to_owned(), |value| value::shell::value(value.as_ref()));
    Error::new(
        Code::location(40_228),
        format!(
            "'newRoot' expression  must evaluate to an object, but resulting value was: {shown}. Type of resulting \
             value: '{kind}'. Input document: {}",
            value::shell::document(document.into())
        ),
    )
}

/// What `$addFields` gives for a `$fill` of nothing but values; none for one that looks at other documents, which an
/// update does not see.
fn filled(operand: &Value) -> Option<Document> {
    let Value::Document(fill) = operand else {
        return None;
    };
    let Some(Value::Document(output)) = fill.get("output").filter(|_| fill.len() == 1) else {
        return None;
    };
    let fields = output.iter().map(|(field, given)| match given {
        Value::Document(given) if given.len() == 1 => {
            let value = given.get("value")?.clone();
            let present = Value::from(format!("${field}"));
            Some((
                field.to_owned(),
                doc! {"$ifNull": Value::Array(vec![present, value])}.into(),
            ))
        }
        _ => None,
    });
    fields.collect()
}
