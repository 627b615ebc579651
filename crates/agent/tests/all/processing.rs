//! How messages become records.

use agent::config::Config;
use agent::{AgentCounters, Processor};
use std::sync::Arc;
use value::RawDocument;
use value::json::{Mode, to_string};

fn processor(options: &str) -> (Processor, Arc<AgentCounters>) {
    let text = format!(
        "device = \"d\"\n[server]\nurl = \"http://h\"\n[spool]\nfolder = \"/s\"\n[[source]]\nname = \"n\"\nto = \"a.b\"\n{options}\n\
         [source.files]\npaths = [\"/x\"]"
    );
    let config = Config::parse(&text).unwrap();
    let counters = Arc::new(AgentCounters::default());
    (
        Processor::new(&config.sources[0], "d", counters.clone()).unwrap(),
        counters,
    )
}

fn record(processor: &Processor, line: &str) -> Option<String> {
    let record = processor.text(line, false)?;
    Some(to_string(
        RawDocument::new(&record).unwrap().into(),
        Mode::Relaxed,
    ))
}

#[test]
fn transformations_are_done_in_their_order() {
    let (processor, counters) = processor(
        r#"
        format = "logfmt"
        transform = [
            { rename = { msg = "message", lvl = "level" } },
            { discard = { field = "level", matches = "^debug$" } },
            { keep = { field = "message", matches = "." } },
            { timestamp = { field = "t", form = "unix" } },
            { convert = { n = "string", f = "int" } },
            { set = { site = "north", floor = 3 } },
            { drop = ["secret"] },
        ]"#,
    );
    assert_eq!(
        record(&processor, "t=1.5 lvl=info msg=hi n=3 f=x secret=1 _id=7").unwrap(),
        r#"{"time":{"$date":"1970-01-01T00:00:01.500Z"},"device":"d","source":"n","n":"3","f":"x","level":"info","message":"hi","floor":3,"site":"north","original_id":7}"#
    );
    assert_eq!(record(&processor, "t=1 lvl=debug msg=hi"), None);
    assert_eq!(record(&processor, "t=1 lvl=info"), None);
    assert_eq!(
        (
            counters.read.get(),
            counters.discarded.get(),
            counters.unconverted.get()
        ),
        (3, 2, 1)
    );
}

#[test]
fn lines_in_no_known_form_are_kept_as_text() {
    let (processor, counters) = processor("format = \"json\"");
    let kept = record(&processor, "no JSON").unwrap();
    assert!(
        kept.contains(r#""message":"no JSON","unparsed":"not a JSON object"#),
        "{kept}"
    );
    assert_eq!(counters.unparsed.get(), 1);
    // A device that the message names is that of the record.
    assert!(
        record(&processor, r#"{"device":"x"}"#)
            .unwrap()
            .contains(r#""device":"x""#)
    );
}

#[test]
fn numbers_that_a_double_cannot_hold_stay_as_they_are() {
    let (processor, counters) = processor(
        r#"
        format = "logfmt"
        transform = [{ convert = { a = "double", b = "double" } }]"#,
    );
    let kept = record(&processor, "time=0 a=1e400 b=2").unwrap();
    assert!(kept.ends_with(r#""a":"1e400","b":2.0}"#), "{kept}");
    assert_eq!(counters.unconverted.get(), 1);
}
