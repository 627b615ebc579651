//! One line of each format, and the document that it becomes.

use jiff::tz::TimeZone;
use logline::{Format, Parser};
use regex::Regex;
use value::json::{Mode, to_string};

/// 2026-03-01T00:00:00Z.
const NOW_MS: i64 = 1_772_323_200_000;

fn parsed(format: Format, line: &str) -> String {
    let parser = Parser::in_zone(format, TimeZone::UTC);
    match parser.parse(line, NOW_MS) {
        Ok(document) => to_string((&document).into(), Mode::Relaxed),
        Err(mismatch) => format!("! {mismatch}"),
    }
}

fn check(format: &Format, cases: &[(&str, &str)]) {
    for (line, wanted) in cases {
        assert_eq!(parsed(format.clone(), line), *wanted, "{line}");
    }
}

#[test]
fn syslog_in_all_its_forms() {
    check(
        &Format::Syslog,
        &[
            (
                "<34>Oct 11 22:14:15 mymachine su: 'su root' failed on /dev/pts/8",
                r#"{"time":{"$date":"2025-10-11T22:14:15Z"},"level":"crit","facility":"auth","host":"mymachine","program":"su","message":"'su root' failed on /dev/pts/8"}"#,
            ),
            (
                "Jun 14 15:16:01 combo sshd(pam_unix)[19939]: check pass; user unknown",
                r#"{"time":{"$date":"2025-06-14T15:16:01Z"},"host":"combo","program":"sshd(pam_unix)","pid":19939,"message":"check pass; user unknown"}"#,
            ),
            (
                "<13>Feb  5 01:02:03 cron[7]: no host, as from /dev/log",
                r#"{"time":{"$date":"2026-02-05T01:02:03Z"},"level":"notice","facility":"user","program":"cron","pid":7,"message":"no host, as from /dev/log"}"#,
            ),
            (
                "Feb  5 01:02:03.4567 pi cron: a fraction, as syslog-ng writes it",
                r#"{"time":{"$date":"2026-02-05T01:02:03.456Z"},"host":"pi","program":"cron","message":"a fraction, as syslog-ng writes it"}"#,
            ),
            (
                "Feb  5 01:02:03+01:00 pi cron: an offset is no host",
                "! a line of syslog begins with its priority or its time",
            ),
            (
                "Feb  5 01:02:03",
                r#"{"time":{"$date":"2026-02-05T01:02:03Z"},"message":""}"#,
            ),
            (
                "2026-02-28T10:00:00Z  pi cron: two blanks",
                r#"{"time":{"$date":"2026-02-28T10:00:00Z"},"host":"pi","program":"cron","message":"two blanks"}"#,
            ),
            (
                "Feb 29 00:00:00 leap kernel: a day of 2024",
                r#"{"time":{"$date":"2024-02-29T00:00:00Z"},"host":"leap","program":"kernel","message":"a day of 2024"}"#,
            ),
            (
                "2026-02-28T10:00:00.123456+01:00 pi systemd[1]: Started cron.",
                r#"{"time":{"$date":"2026-02-28T09:00:00.123Z"},"host":"pi","program":"systemd","pid":1,"message":"Started cron."}"#,
            ),
            (
                r#"<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog - ID47 [exampleSDID@32473 iut="3" eventSource="App\"l\]"][b] An event"#,
                r#"{"time":{"$date":"2003-10-11T22:14:15.003Z"},"host":"mymachine.example.com","program":"evntslog","msgid":"ID47","data":{"exampleSDID@32473":{"iut":"3","eventSource":"App\"l]"},"b":{}},"message":"An event","level":"notice","facility":"local4"}"#,
            ),
            (
                r#"<34>1 - - - - - [a ip="1" ip="2" ip="2"][a]"#,
                r#"{"data":{"a":[{"ip":["1","2"]},{}]},"message":"","level":"crit","facility":"auth"}"#,
            ),
            (
                "<34>1 - - - - - [a\0b c=\"d\"] x",
                r#"{"level":"crit","facility":"auth","message":"1 - - - - - [a\u0000b c=\"d\"] x"}"#,
            ),
            (
                "<34>1 - - - - - -",
                r#"{"message":"","level":"crit","facility":"auth"}"#,
            ),
            (
                "<7>whatever",
                r#"{"level":"debug","facility":"kern","message":"whatever"}"#,
            ),
            (
                "whatever",
                "! a line of syslog begins with its priority or its time",
            ),
            (
                "<999>x",
                "! a line of syslog begins with its priority or its time",
            ),
        ],
    );
}

#[test]
fn access_logs_become_documents() {
    check(
        &Format::Combined,
        &[
            (
                r#"127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a.gif?x=\"1\" HTTP/1.0" 200 2326 "http://a/" "Mozilla/4.08 [en]""#,
                r#"{"time":{"$date":"2000-10-10T20:55:36Z"},"client":"127.0.0.1","user":"frank","method":"GET","path":"/a.gif?x=\"1\"","protocol":"HTTP/1.0","status":200,"bytes":2326,"referer":"http://a/","agent":"Mozilla/4.08 [en]","message":"GET /a.gif?x=\"1\" HTTP/1.0"}"#,
            ),
            (
                r#"::1 - - [10/Oct/2000:13:55:36 +0000] "\x16\x03" 400 - "-" "-" 0.1"#,
                r#"{"time":{"$date":"2000-10-10T13:55:36Z"},"client":"::1","status":400,"rest":"0.1","message":"\\x16\\x03"}"#,
            ),
            (
                r#"::1 ann - [10/Oct/2000:13:55:36 +0000] "GET / HTTP/1.1" 200 5"#,
                r#"{"time":{"$date":"2000-10-10T13:55:36Z"},"client":"::1","identity":"ann","method":"GET","path":"/","protocol":"HTTP/1.1","status":200,"bytes":5,"message":"GET / HTTP/1.1"}"#,
            ),
            (
                r#"::1 - - [10/Oct/2000:13:55:36 +0000] "GET / HTTP/1.1" 200 0.1 5"#,
                "! not an access log's line: the size is missing",
            ),
            ("127.0.0.1 - -", "! not an access log's line: the user is missing"),
        ],
    );
}

#[test]
fn logfmt_and_json_lines_become_documents() {
    check(
        &Format::Logfmt,
        &[
            (
                r#"time=2026-01-31T12:00:00Z level=info msg="it \"works\"" n=3 f=1.5 dry ok=true empty= zip=00123"#,
                r#"{"time":{"$date":"2026-01-31T12:00:00Z"},"level":"info","msg":"it \"works\"","n":3,"f":1.5,"dry":true,"ok":true,"empty":"","zip":"00123"}"#,
            ),
            (
                r#"ok=true id=18446744073709551615 hash=1234e567 a=1 a=2 flag flag a=2"#,
                r#"{"ok":true,"id":"18446744073709551615","hash":"1234e567","a":[1,2],"flag":true}"#,
            ),
            ("ok=true", r#"{"ok":true}"#),
            (
                r#"m="\x1b[31m\u00e9\U0001f600\v" p="C:\dir\xff\u12""#,
                r#"{"m":"\u001b[31mé😀\u000b","p":"C:\\dir\\xff\\u12"}"#,
            ),
            ("no pairs", "! no pair of the form name=value is in the line"),
            ("a\0=1", "! no name stands before '=1'"),
            (r#"a="open"#, "! a quotation mark has no end"),
            ("=3", "! no name stands before '=3'"),
        ],
    );
    check(
        &Format::Json,
        &[
            (
                r#"{"ts":"2026-01-31T12:00:00.5Z","level":"warn","n":1}"#,
                r#"{"ts":{"$date":"2026-01-31T12:00:00.500Z"},"level":"warn","n":1}"#,
            ),
            (r#"{"time":"noon"}"#, r#"{"time":"noon"}"#),
        ],
    );
    assert!(parsed(Format::Json, "[1]").starts_with("! not a JSON object"));
}

#[test]
fn named_groups_of_a_pattern_become_fields() {
    let pattern = Regex::new(r"^\[(?<at>[^\]]*)\] (?:\[(?<level>\w+)\] )?(?<message>.*)$").unwrap();
    check(
        &Format::Pattern(pattern),
        &[
            (
                "[2026-01-31 12:00:00] [error] broken",
                r#"{"at":{"$date":"2026-01-31T12:00:00Z"},"level":"error","message":"broken"}"#,
            ),
            ("[x] fine", r#"{"at":"x","message":"fine"}"#),
            ("fine", "! the line does not match the pattern"),
        ],
    );
}

#[test]
fn many_names_take_no_time() {
    let pairs: Vec<String> = (0..60_000).map(|number| format!("{number}=1")).collect();
    let line = format!("{} 5=2 59999=2", pairs.join(" "));
    let parser = Parser::in_zone(Format::Logfmt, TimeZone::UTC);
    let document = parser.parse(&line, NOW_MS).unwrap();
    assert_eq!(document.len(), 60_000);
    for name in ["5", "59999"] {
        assert_eq!(
            document.get(name).unwrap(),
            &value::Value::Array(value::array![1, 2])
        );
    }
}
