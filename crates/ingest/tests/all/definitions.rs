//! Definitions of pipelines: which are refused, and which options may be missing.

use super::{failure, made};
use ingest::Pipeline;
use serde_json::json;

#[test]
fn unknown_processors_and_options_are_refused_by_name() {
    let wrong = |processor| Pipeline::parse(&json!({"processors": [processor]})).unwrap_err();
    assert_eq!(
        wrong(json!({"nothing": {}})).reason,
        "No processor type exists with name [nothing]"
    );
    let known = wrong(json!({"geoip": {"field": "a"}}));
    assert!(known.is_unsupported && known.reason.contains("[geoip]"));
    let option = wrong(json!({"set": {"field": "a", "value": 1, "other": 2}}));
    assert_eq!(
        option.reason,
        "processor [set] doesn't support one or more provided configuration parameters [other]"
    );
    let missing = wrong(json!({"set": {"value": 1, "tag": "t"}}));
    assert_eq!(missing.reason, "[field] required property is missing");
    assert_eq!(
        (missing.processor.as_deref(), missing.tag.as_deref()),
        (Some("set"), Some("t"))
    );
    assert!(
        wrong(json!({"grok": {"field": "a", "patterns": ["%{NO_SUCH}"]}}))
            .reason
            .contains("NO_SUCH")
    );
    assert!(
        wrong(json!({"set": {"field": "a", "value": 1, "if": "ctx.("}}))
            .reason
            .contains("compile error")
    );
    assert!(
        Pipeline::parse(&json!({}))
            .unwrap_err()
            .reason
            .contains("[processors]")
    );
    assert!(
        Pipeline::parse(&json!({"processors": [], "x": 1}))
            .unwrap_err()
            .reason
            .contains("[x]")
    );
}

#[test]
fn circles_of_expressions_end() {
    let definition = json!({"processors": [{"grok": {"field": "a", "patterns": ["%{A}"], "pattern_definitions": {"A": "%{B}", "B": "%{A}"}}}]});
    assert!(
        Pipeline::parse(&definition)
            .unwrap_err()
            .reason
            .contains("circular")
    );
    let growing = json!({"processors": [{"grok": {"field": "a", "patterns": ["%{A}"], "pattern_definitions": {
        "A": "%{B}%{B}%{B}%{B}%{B}%{B}%{B}%{B}", "B": "%{C}%{C}%{C}%{C}%{C}%{C}%{C}%{C}", "C": "%{IPV6}%{IPV6}%{IPV6}%{IPV6}%{IPV6}",
    }}}]});
    assert!(Pipeline::parse(&growing).unwrap_err().reason.contains("longer"));
}

#[test]
fn scripts_may_be_kept_elsewhere() {
    let raise = json!([{"script": {"id": "raise", "params": {"by": 2}}}]);
    assert_eq!(made(raise, json!({"n": 1})), json!({"n": 3}));
    let missing = failure(json!([{"script": {"id": "other"}}]), json!({}));
    assert_eq!(missing.reason, "unable to find script [other] in cluster state");
    for wrong in [json!({}), json!({"id": "raise", "source": "1"})] {
        let refused = Pipeline::parse(&json!({"processors": [{"script": wrong}]}));
        assert!(refused.is_err(), "{wrong}");
    }
}
