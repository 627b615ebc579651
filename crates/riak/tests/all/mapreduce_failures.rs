//! Map/reduce jobs that fail: the error messages, and that the job ends.

use crate::mapreduce::{ask, erlang, filled, named, source};
use bytes::Bytes;
use riak::pb::frame::code;
use riak::pb::messages::MapRedReq;
use serde_json::json;

#[test]
fn failures_say_which_phase_and_which_input() {
    let server = filled();
    let cases = [
        (
            json!([source("map", "function (v) { return undefined.x; }")]),
            "\"key\\\":\\\"four",
        ),
        (json!([source("map", "function (v) { return")]), "SyntaxError"),
        (json!([named("map", "Riak.none")]), "Riak.none is not defined"),
        (
            json!([source("map", "v => [1]"), source("map", "v => [1]")]),
            "bad_input",
        ),
        (json!([source("map", "v => 7")]), "non_list_result"),
        (json!([source("reduce", "values => 7")]), "non_list_result"),
        (
            json!([{"map": {"language": "erlang", "source": "fun(O, _, _) -> [] end."}}]),
            "worker_startup_failed",
        ),
    ];
    for (query, expected) in cases {
        let answer = ask(&server, &json!({"inputs": "n", "query": query}));
        assert_eq!(answer.status, 500, "{query}");
        assert!(answer.text().contains(expected), "{query}: {}", answer.text());
    }
}

#[test]
fn scripts_end_with_the_time_of_the_job_and_have_only_so_much_memory() {
    let server = filled();
    let endless =
        json!({"inputs": "n", "timeout": 300, "query": [source("map", "function (v) { for (;;); }")]});
    let begun = std::time::Instant::now();
    let answer = ask(&server, &endless);
    assert_eq!(
        (answer.status, answer.text().as_str()),
        (500, "{\"error\":\"timeout\"}")
    );
    assert!(begun.elapsed().as_secs() < 30);
    let request = MapRedReq {
        request: Bytes::from(endless.to_string()),
        content_type: b"application/json".to_vec(),
    };
    assert_eq!(server.client().refused(code::MAP_RED, &request), "timeout");
    let greedy = "function (v) { var all = []; for (;;) all.push('x'.repeat(1000) + all.length); }";
    let answer = ask(&server, &json!({"inputs": "n", "query": [source("map", greedy)]}));
    assert_eq!(answer.status, 500);
    assert!(answer.text().contains("out of memory"), "{}", answer.text());
}

#[test]
fn malformed_jobs_are_refused_with_the_reason() {
    let server = filled();
    let cases = [
        (json!([]), "not a JSON object"),
        (json!({"inputs": "n"}), "missing the \"inputs\" or \"query\""),
        (json!({"inputs": [], "query": []}), "No inputs were given"),
        (
            json!({"inputs": 7, "query": []}),
            "Unrecognized format of \"inputs\"",
        ),
        (
            json!({"inputs": {"bucket": "n", "query": "x:y"}, "query": []}),
            "not supported",
        ),
        (
            json!({"inputs": {"module": "m", "function": "f", "arg": 1}, "query": []}),
            "not supported",
        ),
        (
            json!({"inputs": "n", "query": [{"map": {"source": "v => []"}}]}),
            "No \"language\"",
        ),
        (
            json!({"inputs": "n", "query": [{"map": {"language": "perl"}}]}),
            "Unknown language",
        ),
        (
            json!({"inputs": "n", "query": [{"map": {"language": "javascript", "name": "f", "keep": 1}}]}),
            "not a boolean",
        ),
        (
            json!({"inputs": "n", "query": [erlang("map", "reduce_sum")]}),
            "is not known",
        ),
        (
            json!({"inputs": {"bucket": "n", "key_filters": [["sounds_like", "x"]]}, "query": []}),
            "sounds_like is not known",
        ),
    ];
    for (job, expected) in cases {
        let answer = ask(&server, &job);
        assert!([400, 501].contains(&answer.status), "{job}: {}", answer.status);
        assert!(answer.text().contains(expected), "{job}: {}", answer.text());
    }
    let form = server.ask("POST /mapred", &[("Content-Type", "text/plain")], b"{}");
    assert_eq!(form.status, 415);
}
