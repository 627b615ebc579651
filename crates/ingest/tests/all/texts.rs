//! Processors that parse texts.

use crate::{failure, made};
use serde_json::json;

#[test]
fn grok_takes_lines_apart() {
    let line = r#"127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a.gif?x=1 HTTP/1.0" 200 2326 "http://a.org/" "Mozilla/4.08""#;
    let found = made(
        json!([{"grok": {"field": "m", "patterns": ["%{COMBINEDAPACHELOG}"]}}]),
        json!({"m": line}),
    );
    for (name, value) in [
        ("clientip", "127.0.0.1"),
        ("auth", "frank"),
        ("timestamp", "10/Oct/2000:13:55:36 -0700"),
        ("verb", "GET"),
        ("request", "/a.gif?x=1"),
        ("httpversion", "1.0"),
        ("response", "200"),
        ("bytes", "2326"),
        ("agent", "\"Mozilla/4.08\""),
    ] {
        assert_eq!(found[name], value, "{name}");
    }
    let own = json!([{"grok": {"field": "m", "patterns": ["nothing", "%{PET:pet.name} %{NUMBER:pet.age:int} (?<rest>.*)"], "pattern_definitions": {"PET": "cat|dog"}}}]);
    assert_eq!(
        made(own, json!({"m": "a dog 5 yes"})),
        json!({"m": "a dog 5 yes", "pet": {"name": "dog", "age": 5}, "rest": "yes"})
    );
    let syslog = json!([{"grok": {"field": "m", "patterns": ["%{SYSLOGBASE} %{GREEDYDATA:text}"]}}]);
    let found = made(syslog, json!({"m": "Feb  9 07:05:01 host sshd[12]: no"}));
    assert_eq!(
        (&found["program"], &found["pid"], &found["text"]),
        (&json!("sshd"), &json!("12"), &json!("no"))
    );
    for ip in [
        "::1",
        "fe80::1%eth0",
        "2001:db8:0:0:0:0:0:1",
        "1.2.3.4",
        "::ffff:1.2.3.4",
    ] {
        let found = made(
            json!([{"grok": {"field": "m", "patterns": ["^%{IP:ip}$"]}}]),
            json!({"m": ip}),
        );
        assert_eq!(found["ip"], ip);
    }
    assert_eq!(
        failure(
            json!([{"grok": {"field": "m", "patterns": ["^a$"]}}]),
            json!({"m": "b"})
        )
        .reason,
        "Provided Grok expressions do not match field value: [b]"
    );
}

#[test]
fn hostile_regular_expressions_end() {
    let failed = failure(
        json!([{"grok": {"field": "m", "patterns": ["^(a+)+$"]}}]),
        json!({"m": format!("{}b", "a".repeat(5000))}),
    );
    assert!(failed.reason.contains("grok"), "{}", failed.reason);
    let doubling = json!([{"gsub": {"field": "m", "pattern": "a", "replacement": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}},
        {"gsub": {"field": "m", "pattern": "a", "replacement": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}}, {"gsub": {"field": "m", "pattern": "a", "replacement": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}}]);
    assert!(
        failure(doubling, json!({"m": "a".repeat(1000)}))
            .reason
            .contains("grown")
    );
}

#[test]
fn dissect_takes_lines_apart() {
    let dissect = |pattern: &str, text: &str| {
        made(
            json!([{"dissect": {"field": "m", "pattern": pattern, "append_separator": " "}}]),
            json!({"m": text}),
        )
    };
    let found = dissect(
        "[%{ts}] %{level} %{?skipped} %{+msg} %{+msg}",
        "[now] INFO x hello world",
    );
    assert_eq!(
        found,
        json!({"m": "[now] INFO x hello world", "ts": "now", "level": "INFO", "msg": "hello world"})
    );
    assert_eq!(dissect("%{a->} %{b}", "1    2")["b"], "2");
    assert_eq!(dissect("%{*k}=%{&k}", "x=1")["x"], "1");
    assert_eq!(dissect("%{+n/2} %{+n/1}", "a b")["n"], "b a");
    assert!(
        failure(
            json!([{"dissect": {"field": "m", "pattern": "%{a},%{b}"}}]),
            json!({"m": "none"})
        )
        .reason
        .contains("Unable to find match")
    );
}

#[test]
fn the_kv_processor_makes_fields_of_pairs() {
    let pairs = json!([{"kv": {"field": "m", "field_split": " ", "value_split": "=", "exclude_keys": ["c"], "prefix": "p_", "strip_brackets": true, "target_field": "t"}}]);
    assert_eq!(
        made(pairs, json!({"m": "a=1 b=(x) c=3 a=2"}))["t"],
        json!({"p_a": ["1", "2"], "p_b": "x"})
    );
    let plain = json!([{"kv": {"field": "m", "field_split": " ", "value_split": "="}}]);
    // Empty parts at the end are dropped, as in Java.
    assert_eq!(made(plain.clone(), json!({"m": "a=1 b=  "}))["b"], "");
    assert_eq!(made(plain.clone(), json!({"m": "  "})), json!({"m": "  "}));
    for (text, reason) in [
        (String::new(), "does not contain value_split"),
        (" a=1".to_owned(), "does not contain value_split"),
        ("a\0b=1".to_owned(), "is not valid"),
        ("a=1 ".repeat(10_001), "more than 10000 pairs"),
    ] {
        let failed = failure(plain.clone(), json!({"m": text}));
        assert!(failed.reason.contains(reason), "{}", failed.reason);
    }
}

#[test]
fn texts_are_changed() {
    let of = |processor: serde_json::Value, value: serde_json::Value| {
        made(json!([processor]), json!({"a": value}))["a"].clone()
    };
    assert_eq!(of(json!({"lowercase": {"field": "a"}}), json!("ÄB")), "äb");
    assert_eq!(
        of(json!({"trim": {"field": "a"}}), json!([" x ", "y"])),
        json!(["x", "y"])
    );
    assert_eq!(
        of(
            json!({"split": {"field": "a", "separator": "\\s+"}}),
            json!("a  b c ")
        ),
        json!(["a", "b", "c"])
    );
    assert_eq!(
        of(json!({"join": {"field": "a", "separator": "-"}}), json!([1, "b"])),
        "1-b"
    );
    assert_eq!(
        of(
            json!({"gsub": {"field": "a", "pattern": "(\\d)\\.", "replacement": "$1-"}}),
            json!("1.2.3")
        ),
        "1-2-3"
    );
}
