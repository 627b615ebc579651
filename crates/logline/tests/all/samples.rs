//! Lines of real systems: samples of loghub (<https://github.com/logpai/loghub>).

use jiff::tz::TimeZone;
use logline::{Format, Parser, Stamp};
use regex::Regex;

const LINUX: &str = include_str!("samples/Linux.txt");
const OPENSSH: &str = include_str!("samples/OpenSSH.txt");
const APACHE: &str = include_str!("samples/Apache.txt");

#[test]
fn every_line_of_syslog_has_its_fields() {
    let parser = Parser::in_zone(Format::Syslog, TimeZone::UTC);
    for line in LINUX.lines().chain(OPENSSH.lines()) {
        let document = parser.parse(line, 1_772_323_200_000).unwrap();
        for field in ["time", "host", "program", "message"] {
            assert!(document.contains(field), "{field} in {line}");
        }
    }
}

#[test]
fn every_line_of_a_pattern_has_its_time() {
    let pattern = Regex::new(r"^\[(?<time>[^\]]+)\] \[(?<level>\w+)\] (?<message>.*)$").unwrap();
    let parser = Parser::in_zone(Format::Pattern(pattern), TimeZone::UTC);
    let stamp = Stamp::named("%a %b %d %H:%M:%S %Y").unwrap();
    for line in APACHE.lines() {
        let document = parser.parse(line, 0).unwrap();
        let Some(value::Value::String(time)) = document.get("time") else {
            panic!("{line}")
        };
        assert!(stamp.milliseconds(time, &TimeZone::UTC, 0).unwrap() > 1_100_000_000_000);
    }
}
