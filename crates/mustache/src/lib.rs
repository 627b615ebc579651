//! Mustache, as templates of Elasticsearch's searches are written in it: a text with places for parameters.
//!
//! A [`Template`] is parsed once and rendered with parameters. Values are written as the inside of JSON's strings are, but for
//! `{{{name}}}`. Sections are there, and Elasticsearch's functions `toJson`, `join` and `url`; partials are not.
//!
//! What must hold: a template ends within limits of depth, parts and bytes, whatever it says.
//!
//! Left to others: where templates stand in requests, and what their texts mean (`elastic`).

mod parser;
mod writer;

use parser::Parser;
use serde_json::Value;
use std::fmt;
use writer::Writer;

/// Sections within sections at most.
const DEPTH_MAX: usize = 64;
/// The bytes of what a template may become.
const OUTPUT_BYTES_MAX: usize = 16 << 20;
/// The parts that may be written at most, empty ones counted too.
const STEPS_MAX: usize = 1_000_000;

/// Why a template is none, or becomes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// It is wrong, or becomes too much.
    Failed(String),
    /// It has something that is not done here.
    Unsupported(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Failed(reason) => f.write_str(reason),
            Error::Unsupported(what) => write!(f, "{what} is not supported"),
        }
    }
}

impl std::error::Error for Error {}

type Result<T> = std::result::Result<T, Error>;

fn failed(reason: impl Into<String>) -> Error {
    Error::Failed(reason.into())
}

/// A template that was read.
#[derive(Clone, Debug)]
pub struct Template(Vec<Part>);

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Text(String),
    Value {
        path: String,
        is_raw: bool,
    },
    /// Once for each value, or where there is none.
    Section {
        path: String,
        is_inverted: bool,
        parts: Vec<Part>,
    },
    Json(String),
    Join {
        path: String,
        delimiter: String,
    },
    /// What is within, as a part of a URL.
    Url(Vec<Part>),
}

impl Template {
    /// Reads the source of a template.
    pub fn parse(source: &str) -> Result<Template> {
        Ok(Template(Parser::new(source).parts(None, 0)?))
    }

    /// The text that it becomes.
    pub fn render(&self, params: &Value) -> Result<String> {
        let mut writer = Writer::default();
        writer.all(&self.0, &mut vec![params])?;
        Ok(writer.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rendered(source: &str, params: Value) -> Result<String> {
        Template::parse(source)?.render(&params)
    }

    #[test]
    fn parameters_take_their_places() {
        let params = json!({
            "word": "a \"b\"", "n": 5, "list": ["x", "y"], "user": {"name": "Anna"}, "on": true, "off": false, "empty": [],
            "users": [{"name": "Eva"}, {"name": "Ida"}], "url": "a b/c"
        });
        for (source, expected) in [
            (r#"{"q": "{{word}}"}"#, r#"{"q": "a \"b\""}"#),
            ("{{{word}}} {{&word}} {{n}}", "a \"b\" a \"b\" 5"),
            ("{{user.name}} {{list.1}} {{nobody.name}}|", "Anna y |"),
            ("{{#on}}yes{{/on}}{{#off}}no{{/off}}{{^off}}not{{/off}}", "yesnot"),
            ("{{^empty}}none{{/empty}}{{#empty}}some{{/empty}}", "none"),
            ("{{#users}}{{name}}-{{n}},{{/users}}", "Eva-5,Ida-5,"),
            ("{{#list}}{{.}};{{/list}}", "x;y;"),
            ("{{#toJson}}list{{/toJson}}", r#"["x","y"]"#),
            ("{{#toJson}}user{{/toJson}}", r#"{"name":"Anna"}"#),
            ("{{#join}}list{{/join}}", "x,y"),
            ("{{#join delimiter='||'}}list{{/join delimiter='||'}}", "x||y"),
            ("{{#url}}{{{url}}}{{/url}}", "a+b%2Fc"),
            ("{{#url}}~*%20ü{{/url}}", "%7E*%2520%C3%BC"),
            ("{{! nothing }}{{=<% %>=}}<% n %>{{n}}", "5{{n}}"),
        ] {
            assert_eq!(
                rendered(source, params.clone()).ok().as_deref(),
                Some(expected),
                "{source}"
            );
        }
    }

    #[test]
    fn templates_that_are_none_are_refused() {
        for wrong in [
            "{{#a}}",
            "{{/a}}",
            "{{a",
            "{{#a}}{{#b}}{{/a}}{{/b}}",
            "{{>other}}",
            "{{=x=}}",
            "{{=}}",
            "{{= }}",
            "{{=< !=}}<!",
            "{{=< {=}}<{",
            "{{=ä ü=}}äü{{ä",
            "{{#toJson}}{{a}}{{/toJson}}",
            "{{{a}} {{{b}}}",
            "{{{a}}",
        ] {
            assert!(Template::parse(wrong).is_err(), "{wrong}");
        }
        let deep = "{{#a}}".repeat(DEPTH_MAX + 2);
        assert!(Template::parse(&deep).is_err());
    }

    #[test]
    fn templates_that_grow_without_end_are_refused() {
        let list: Vec<u32> = (0..1000).collect();
        let source = "{{#l}}{{#l}}{{#l}}{{.}}{{/l}}{{/l}}{{/l}}";
        assert!(rendered(source, json!({"l": list})).is_err());
        // Parts that write nothing count for the limit too.
        let empty = vec![""; 20_000];
        for source in [
            "{{#l}}{{#l}}{{/l}}{{/l}}",
            "{{#l}}{{#join delimiter=''}}l{{/join delimiter=''}}{{/l}}",
        ] {
            assert!(rendered(source, json!({"l": &empty})).is_err(), "{source}");
        }
    }
}
