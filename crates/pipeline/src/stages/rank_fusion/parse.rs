//! `$rankFusion` read from BSON.

use super::{InputPipeline, RankFusion, wrong};
use crate::stage::{Stage, StageScope};
use crate::sub_pipeline::SubPipeline;
use crate::{Code, QueryError, Result};
use language::Fields;
use language::expression::check_field_name;
use language::expression::number::Number;
use query::plan::SortPattern;
use std::sync::Arc;
use value::{Document, DocumentRef, Value, ValueRef};

/// The stages that leave documents as they are, so that the same one is known again in several pipelines.
const SELECTING: [&str; 7] = [
    "$match", "$sort", "$limit", "$skip", "$sample", "$geoNear", "$search",
];

const RANKED: &str = "All subpipelines to the $rankFusion stage must begin with one of $search, $vectorSearch, $geoNear, or have \
                      a custom $sort in the pipeline.";

const NON_SELECTING: i32 = 9_191_103;

pub(crate) fn parse(_name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let Value::Document(spec) = operand else {
        return Err(QueryError::failed_to_parse(format!(
            "the $rankFusion stage specification must be an object, but found {}",
            operand.type_of().alias()
        )));
    };
    let fields = Fields::new("$rankFusion", spec);
    let input = fields.nested("input")?.ok_or_else(|| fields.missing("input"))?;
    let pipelines = input
        .document("pipelines")?
        .ok_or_else(|| input.missing("pipelines"))?;
    input.finish()?;
    let weights = fields.nested("combination")?.map(|combination| {
        let weights = combination.document("weights")?;
        let weights = weights.ok_or_else(|| combination.missing("weights"))?;
        combination.finish()?;
        Ok::<_, QueryError>(weights)
    });
    let weights = weights.transpose()?;
    let has_details = fields.bool("scoreDetails")?.unwrap_or(false);
    fields.finish()?;
    let mut inputs = parse_inputs(pipelines, scope)?;
    if let Some(weights) = weights {
        set_weights(&mut inputs, weights)?;
    }
    Ok(vec![Arc::new(Arc::new(RankFusion {
        operand: spec.clone(),
        inputs,
        has_details,
    }))])
}

fn parse_inputs(pipelines: DocumentRef<'_>, scope: &StageScope<'_>) -> Result<Vec<InputPipeline>> {
    let mut inputs = Vec::new();
    for (name, stages) in pipelines.iter() {
        let stages = stages_of(name, stages)?;
        check_field_name(name)?;
        check_stages(&stages)?;
        let order = stages.iter().rev().find_map(|stage| match stage.get("$sort") {
            Some(Value::Document(pattern)) => Some(SortPattern::parse(pattern)),
            _ => None,
        });
        let order = order.transpose()?;
        let stages = stages.into_iter().map(Value::Document).collect();
        let forbidden = ("$rankFusion", Code::location(NON_SELECTING));
        inputs.push(InputPipeline {
            name: name.to_owned(),
            sub: SubPipeline::parse(stages, scope.namespace.clone(), scope, &[], forbidden)?,
            weight: 1.0,
            order: order.map(|order| order.with_collation(scope.variables.collation())),
        });
    }
    match inputs.is_empty() {
        true => Err(QueryError::bad_value(
            "$rankFusion needs at least one input pipeline",
        )),
        false => Ok(inputs),
    }
}

fn stages_of(name: &str, stages: ValueRef<'_>) -> Result<Vec<Document>> {
    let wrong_type = |what: String, found: ValueRef<'_>, wanted: &str| {
        QueryError::type_mismatch(format!(
            "{what} must be {wanted}, but found {}",
            found.type_of().alias()
        ))
    };
    let ValueRef::Array(stages) = stages else {
        return Err(wrong_type(
            format!("$rankFusion.input.pipelines.{name}"),
            stages,
            "an array of stages",
        ));
    };
    let stages = stages.iter().map(|stage| match stage {
        ValueRef::Document(stage) => Ok(stage.to_document()),
        other => Err(wrong_type(
            format!("Each stage of the pipeline {name}"),
            other,
            "an object",
        )),
    });
    stages.collect()
}

/// Refuses a pipeline that gives no order, or changes its documents.
fn check_stages(stages: &[Document]) -> Result<()> {
    let names = || stages.iter().filter_map(|stage| stage.iter().next());
    let Some((first, _)) = names().next() else {
        return Err(wrong(
            9_834_300,
            format!("$rankFusion input pipeline cannot be empty. {RANKED}"),
        ));
    };
    if names().any(|(name, _)| matches!(name, "$rankFusion" | "$scoreFusion")) {
        let message =
            "$rankFusion input pipeline has a nested hybrid search stage ($rankFusion/$scoreFusion). ";
        return Err(wrong(10_473_002, format!("{message}{RANKED}")));
    }
    if names().any(|(name, _)| name == "$score") {
        return Err(wrong(
            10_614_800,
            "$rankFusion input pipelines must not contain a $score stage.",
        ));
    }
    let is_ordered = matches!(first, "$search" | "$vectorSearch" | "$geoNear");
    if !is_ordered && !names().any(|(name, _)| name == "$sort") {
        return Err(wrong(9_191_100, RANKED));
    }
    for (name, operand) in names() {
        let is_search = matches!(name, "$search" | "$vectorSearch");
        if !is_search && !SELECTING.contains(&name) {
            let message = format!(
                "{name} is not allowed in a $rankFusion input pipeline, because it changes documents; only stages that find, \
                 limit or order them are"
            );
            return Err(wrong(NON_SELECTING, message));
        }
        let sets = |field| matches!(operand, Value::Document(options) if options.contains(field));
        if name == "$geoNear" && (sets("distanceField") || sets("includeLocs")) {
            let message = "$geoNear in a $rankFusion input pipeline cannot have distanceField or includeLocs, which change documents";
            return Err(wrong(NON_SELECTING, message));
        }
    }
    Ok(())
}

/// The weights of the pipelines that are named; the others keep theirs.
fn set_weights(inputs: &mut [InputPipeline], weights: DocumentRef<'_>) -> Result<()> {
    let mut given = Vec::new();
    for (name, weight) in weights.iter() {
        let Some(number) = Number::of(weight) else {
            let message = format!(
                "The weight of $rankFusion's pipeline {name} must be a number, but is {}",
                weight.type_of().alias()
            );
            return Err(wrong(13_118, message));
        };
        let number = number.to_f64();
        if number.is_nan() || number < 0.0 {
            let message =
                format!("$rankFusion's pipeline weight must be non-negative, but given {number} for {name}");
            return Err(wrong(9_460_300, message));
        }
        given.push((name, number));
    }
    if given.len() > inputs.len() {
        let message = "$rankFusion input has more weights than pipelines: there may be one weight for each named pipeline";
        return Err(wrong(9_460_301, message));
    }
    for (name, weight) in given {
        let input = inputs.iter_mut().find(|input| input.name == name);
        let Some(input) = input else {
            let message =
                format!("$rankFusion has no input pipeline of the name '{name}', which is given a weight");
            return Err(wrong(9_967_500, message));
        };
        input.weight = weight;
    }
    Ok(())
}
