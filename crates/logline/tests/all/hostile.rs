//! Hostile lines.

use jiff::tz::TimeZone;
use logline::{Format, Parser};

#[test]
fn no_line_is_too_strange() {
    let parts = [
        "<",
        ">",
        "<34>",
        "1 ",
        "[",
        "]",
        "\"",
        "\\",
        "=",
        " ",
        "é",
        "Jun 14 15:16:01 ",
        "2026-01-01T00:00:00Z ",
        "-",
        ":",
        "\u{feff}",
        "[a b=\"",
        "{",
        "\0",
        "10/Oct/2000:13:55:36 -0700] ",
    ];
    for name in Format::NAMES {
        let parser = Parser::in_zone(Format::named(name).unwrap(), TimeZone::UTC);
        for one in parts {
            for two in parts {
                for three in parts {
                    for four in ["", "é", "\"", "]"] {
                        let line = format!("{one}{two}{three}{four}");
                        let _ = parser.parse(&line, 0);
                        let _ = parser.parse(&format!("<34>1 {line}"), i64::MAX);
                        let _ = parser.parse(&format!("<34>1 - - - - - {line}"), 0);
                        let _ = parser.parse(&format!("a - - [{line}"), 0);
                    }
                }
            }
        }
    }
}
