//! Messages of several lines.

use logline::{Joiner, Rule};
use regex::Regex;

fn joined(rule: Rule, lines: &[&str]) -> Vec<String> {
    let mut joiner = Joiner::new(rule);
    let mut found: Vec<_> = lines
        .iter()
        .enumerate()
        .filter_map(|(number, line)| joiner.push((*line).to_owned(), number))
        .collect();
    found.extend(joiner.flush());
    assert!(!joiner.is_waiting());
    let tagged = found.iter().map(|one| format!("{}#{}", one.text, one.tag));
    tagged.collect()
}

#[test]
fn a_line_that_begins_one_ends_the_one_before() {
    let rule = Rule::Starts(Regex::new(r"^\d").unwrap());
    let found = joined(rule, &["lost", "1 a", " at b", " at c", "2 d"]);
    assert_eq!(found, ["lost#0", "1 a\n at b\n at c#3", "2 d#4"]);
}

#[test]
fn a_line_that_goes_on_is_added() {
    let rule = Rule::Continues(Regex::new(r"^\s").unwrap());
    let found = joined(rule, &[" lost", "a", " b", "c"]);
    assert_eq!(found, [" lost#0", "a\n b#2", "c#3"]);
}

#[test]
fn no_message_grows_without_end() {
    let line = "x".repeat(100_000);
    let lines = [line.as_str(); 10];
    let found = joined(Rule::Starts(Regex::new("^never").unwrap()), &lines);
    assert_eq!(found.len(), 5);
}
