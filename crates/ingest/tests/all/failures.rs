//! Failures of processors, conditions and drops.

use crate::{Alone, context, failure, made, shown};
use ingest::{Pipeline, StepStatus};
use serde_json::json;

#[test]
fn a_failure_names_its_processor() {
    let failed = failure(
        json!([{"convert": {"field": "a", "type": "integer", "tag": "t"}}]),
        json!({"a": "x"}),
    );
    assert_eq!(failed.reason, "unable to convert [x] to integer");
    assert_eq!(
        (failed.kind, failed.processor.as_str()),
        ("illegal_argument_exception", "convert")
    );
    assert_eq!(failed.tag.as_deref(), Some("t"));
    let failed = failure(
        json!([{"rename": {"field": "b", "target_field": "c"}}]),
        json!({"a": 1}),
    );
    assert_eq!(failed.reason, "field [b] doesn't exist");
    let failed = failure(json!([{"fail": {"message": "no {{a}}"}}]), json!({"a": 1}));
    assert_eq!(
        (failed.kind, failed.reason.as_str()),
        ("fail_processor_exception", "no 1")
    );
}

#[test]
fn failures_are_ignored_or_handled() {
    let source = json!({"a": "x"});
    assert_eq!(
        made(
            json!([{"convert": {"field": "a", "type": "integer", "ignore_failure": true}}]),
            source.clone()
        ),
        source
    );
    let handled = json!([{"convert": {"field": "a", "type": "integer", "on_failure": [
        {"set": {"field": "error", "value": "{{ _ingest.on_failure_message }} by {{_ingest.on_failure_processor_type}}"}}]}}]);
    assert_eq!(
        made(handled, source.clone())["error"],
        "unable to convert [x] to integer by convert"
    );
    let whole = json!({"processors": [{"fail": {"message": "no"}}, {"set": {"field": "b", "value": 1}}], "on_failure": [{"set": {"field": "c", "value": true}}]});
    let mut context = context(&source);
    assert!(
        Pipeline::parse(&whole)
            .unwrap()
            .run(&mut context, &Alone)
            .unwrap()
    );
    assert_eq!(shown(&context), json!({"a": "x", "c": true}));
}

#[test]
fn a_condition_decides_whether_a_processor_runs() {
    let processors = json!([
        {"set": {"field": "big", "value": true, "if": "ctx.size > 10 && ctx?.host?.name == 'a'"}},
        {"set": {"field": "small", "value": true, "if": "ctx.size <= 10 || ctx.tags.contains('s')"}},
    ]);
    assert_eq!(
        made(
            processors.clone(),
            json!({"size": 11, "host": {"name": "a"}, "tags": []})
        )["big"],
        true
    );
    let other = made(processors, json!({"size": 11, "tags": ["s"]}));
    assert_eq!((other.get("big"), &other["small"]), (None, &json!(true)));
}

#[test]
fn the_drop_processor_drops_documents() {
    let pipeline =
        Pipeline::parse(&json!({"processors": [{"drop": {"if": "ctx.level == 'debug'"}}]})).unwrap();
    assert!(
        !pipeline
            .run(&mut context(&json!({"level": "debug"})), &Alone)
            .unwrap()
    );
    assert!(
        pipeline
            .run(&mut context(&json!({"level": "info"})), &Alone)
            .unwrap()
    );
}

#[test]
fn circles_of_pipelines_end() {
    assert_eq!(
        failure(json!([{"pipeline": {"name": "again"}}]), json!({})).reason,
        "Cycle detected for pipeline: again"
    );
    assert!(
        failure(json!([{"pipeline": {"name": "none"}}]), json!({}))
            .reason
            .contains("non-existent pipeline [none]")
    );
}

#[test]
fn a_document_knows_the_pipeline_that_runs() {
    let known = json!([{"set": {"field": "a", "value": "{{_ingest.pipeline}}"}},
        {"pipeline": {"name": "again", "ignore_failure": true}}, {"set": {"field": "b", "value": "{{_ingest.pipeline}}"}}]);
    let name = "_simulate_pipeline";
    assert_eq!(made(known, json!({})), json!({"a": name, "b": name}));
}

#[test]
fn each_step_is_shown() {
    let pipeline = json!({"processors": [
        {"set": {"field": "a", "value": 1, "tag": "first"}}, {"set": {"field": "b", "value": 1, "if": "false"}}, {"fail": {"message": "no"}}]});
    let mut steps = Vec::new();
    let ran = Pipeline::parse(&pipeline)
        .unwrap()
        .trace(&mut context(&json!({})), &Alone, &mut steps);
    assert!(ran.is_err());
    assert!(matches!(&steps[0].status, StepStatus::Success(after) if after.source.contains("a")));
    assert!(
        matches!(steps[1].status, StepStatus::Skipped) && matches!(steps[2].status, StepStatus::Failed(_))
    );
}
