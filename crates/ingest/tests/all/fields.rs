//! Processors of fields, values and structure.

use crate::{Alone, context, failure, made};
use ingest::Pipeline;
use serde_json::json;

#[test]
fn fields_are_set_moved_and_taken_away() {
    let processors = json!([
        {"set": {"field": "a.b", "value": "{{name}}-{{{n}}}"}},
        {"set": {"field": "name", "value": "other", "override": false}},
        {"set": {"field": "copy", "copy_from": "list"}},
        {"rename": {"field": "n", "target_field": "a.n"}},
        {"remove": {"field": ["gone", "nowhere"], "ignore_missing": true}},
        {"append": {"field": "list", "value": ["y", "x"], "allow_duplicates": false}},
        {"set": {"field": "at", "value": "{{_ingest.timestamp}} {{_index}}"}},
    ]);
    assert_eq!(
        made(
            processors,
            json!({"name": "ada", "n": 3, "gone": true, "list": ["x"]})
        ),
        json!({"name": "ada", "list": ["x", "y"], "a": {"b": "ada-3", "n": 3}, "copy": ["x"], "at": "1970-01-12T13:46:40.000Z logs"})
    );
}

#[test]
fn values_are_converted() {
    let convert = |kind: &str, value: serde_json::Value| {
        made(
            json!([{"convert": {"field": "a", "type": kind}}]),
            json!({"a": value}),
        )["a"]
            .clone()
    };
    assert_eq!(convert("integer", json!("12")), 12);
    assert_eq!(convert("integer", json!("0xff")), 255);
    assert_eq!(convert("float", json!("1.5")), 1.5);
    assert_eq!(convert("boolean", json!("TRUE")), true);
    assert_eq!(convert("string", json!(5)), "5");
    assert_eq!(
        convert("auto", json!(["1", "x", "true", "2.5"])),
        json!([1, "x", true, 2.5])
    );
    assert_eq!(convert("ip", json!("::1")), "::1");
}

#[test]
fn processors_of_lists_and_objects_change_them() {
    assert_eq!(
        made(json!([{"json": {"field": "a"}}]), json!({"a": "{\"x\": [1]}"})),
        json!({"a": {"x": [1]}})
    );
    assert_eq!(
        made(
            json!([{"json": {"field": "a", "add_to_root": true}}]),
            json!({"a": "{\"x\": 1}"})
        )["x"],
        1
    );
    let each =
        json!([{"foreach": {"field": "l", "processor": {"uppercase": {"field": "_ingest._value.n"}}}}]);
    assert_eq!(
        made(each, json!({"l": [{"n": "a"}, {"n": "b"}]})),
        json!({"l": [{"n": "A"}, {"n": "B"}]})
    );
    // A `foreach` within another that fails leaves that its element.
    let inner = json!({"foreach": {"field": "_ingest._value.n", "processor": {"fail": {"message": "no"}}, "ignore_failure": true}});
    let nested = json!([{"foreach": {"field": "l", "processor": inner}}]);
    let lists = json!({"l": [{"n": [1]}, {"n": [2]}]});
    assert_eq!(made(nested, lists.clone()), lists);
    assert_eq!(
        made(
            json!([{"split": {"field": "a", "separator": ","}}]),
            json!({"a": ",,"})
        ),
        json!({"a": []})
    );
    assert_eq!(
        made(json!([{"dot_expander": {"field": "a.b"}}]), json!({"a.b": 1})),
        json!({"a": {"b": 1}})
    );
    assert_eq!(
        made(
            json!([{"sort": {"field": "l", "order": "desc"}}]),
            json!({"l": [1, 3, 2]})
        ),
        json!({"l": [3, 2, 1]})
    );
}

#[test]
fn dates_are_read_by_their_forms() {
    let read = |options: serde_json::Value, text: &str| {
        let mut date = json!({"field": "t"});
        date.as_object_mut()
            .unwrap()
            .extend(options.as_object().unwrap().clone());
        made(json!([{"date": date}]), json!({"t": text}))["@timestamp"].clone()
    };
    assert_eq!(
        read(
            json!({"formats": ["dd/MMM/yyyy:HH:mm:ss Z"]}),
            "10/Oct/2000:13:55:36 -0700"
        ),
        "2000-10-10T20:55:36.000Z"
    );
    assert_eq!(
        read(json!({"formats": ["UNIX"]}), "1.5"),
        "1970-01-01T00:00:01.500Z"
    );
    assert_eq!(
        read(json!({"formats": ["yyyy", "UNIX_MS"]}), "1500"),
        "1500-01-01T00:00:00.000Z"
    );
    assert_eq!(
        read(json!({"formats": ["ISO8601"]}), "2020-02-03T04:05:06"),
        "2020-02-03T04:05:06.000Z"
    );
    assert_eq!(
        read(json!({"formats": ["MMM dd HH:mm:ss"]}), "Jan 02 03:04:05"),
        "1970-01-02T03:04:05.000Z"
    );
    assert_eq!(
        read(
            json!({"formats": ["yyyy-MM-dd HH:mm:ss"], "timezone": "Europe/Berlin"}),
            "2020-07-01 12:00:00"
        ),
        "2020-07-01T12:00:00.000+02:00"
    );
    assert_eq!(
        read(
            json!({"formats": ["yyyy-MM-dd"], "output_format": "yyyy"}),
            "2020-07-01"
        ),
        "2020"
    );
}

#[test]
fn documents_choose_their_index() {
    let mut going = context(&json!({"at": "2020-07-15T00:00:00.000Z"}));
    let processors = json!([{"date_index_name": {"field": "at", "index_name_prefix": "logs-", "date_rounding": "M", "index_name_format": "yyyy-MM"}}]);
    Pipeline::parse(&json!({"processors": processors}))
        .unwrap()
        .run(&mut going, &Alone)
        .unwrap();
    assert_eq!(going.index, "logs-2020-07");
}

#[test]
fn scripts_change_documents() {
    let script = json!([{"script": {"source": "ctx.sum = ctx.a + params.b; ctx.remove('a'); ctx._index = 'other'", "params": {"b": 2}}}]);
    assert_eq!(made(script, json!({"a": 1})), json!({"sum": 3}));
}

#[test]
fn addresses_are_taken_apart_and_hashed() {
    let processors = json!([
        {"uri_parts": {"field": "u", "keep_original": false, "remove_if_successful": true}},
        {"network_direction": {"internal_networks": ["private", "{{net}}"]}},
        {"network_direction": {"source_ip": "none", "internal_networks_field": "none", "target_field": "other"}},
        {"fingerprint": {"fields": ["none", "a"], "method": "SHA-256", "ignore_missing": true}}
    ]);
    let source = json!({"u": "https://a.b:81/x.png", "net": "8.8.8.0/24", "source": {"ip": "10.0.0.1"},
        "destination": {"ip": "8.8.8.8"}, "a": "x"});
    assert_eq!(
        made(processors, source),
        json!({"net": "8.8.8.0/24", "source": {"ip": "10.0.0.1"}, "destination": {"ip": "8.8.8.8"}, "a": "x",
            "url": {"domain": "a.b", "path": "/x.png", "extension": "png", "port": 81, "scheme": "https"},
            "network": {"direction": "internal"}, "fingerprint": "PH6byTDck/AfppmF7yQtn56GHzxTVaokzl70tLinDMs="})
    );
    let wrong = failure(json!([{"fingerprint": {"fields": ["none"]}}]), json!({"a": 1}));
    assert_eq!(wrong.reason, "missing field [none] when calculating fingerprint");
    let wrong = failure(json!([{"uri_parts": {"field": "u"}}]), json!({"u": "not an uri"}));
    assert_eq!(wrong.reason, "unable to parse URI [not an uri]");
}
