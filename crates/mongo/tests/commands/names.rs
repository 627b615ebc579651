//! The page on compatibility lists exactly the names in the tables of commands, stages and operators.

use std::collections::BTreeSet;
use std::path::Path;

/// Operators of filters that are known and refused.
const REFUSED_IN_FILTERS: [&str; 1] = ["$geoNear"];

/// One line of the page: what is listed, and the names, sorted.
fn line(title: &str, names: impl IntoIterator<Item = impl Into<String>>) -> String {
    let names: BTreeSet<String> = names.into_iter().map(Into::into).collect();
    let shown: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|name| !name.starts_with("$_internal"))
        .collect();
    format!("- **{title}** ({}): `{}`", shown.len(), shown.join(" "))
}

fn lines() -> Vec<String> {
    let filters = language::filter::STANDING_ALONE
        .iter()
        .chain(language::filter::OF_FIELDS)
        .filter(|name| !REFUSED_IN_FILTERS.contains(name));
    vec![
        line("Commands", super::listed()),
        line("Stages", pipeline::stage_names()),
        line("Operators of expressions", language::expression::operator_names()),
        line("Accumulators", pipeline::accumulator_names()),
        line("Window functions", pipeline::window_function_names()),
        line("Operators of filters", filters.copied()),
        line("Operators of updates", update::OPERATORS.iter().copied()),
    ]
}

#[test]
fn the_page_of_compatibility_names_what_the_tables_have() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/compatibility.md");
    let page = std::fs::read_to_string(page).unwrap();
    let missing: Vec<String> = lines()
        .into_iter()
        .filter(|line| !page.lines().any(|shown| shown == line))
        .collect();
    assert!(
        missing.is_empty(),
        "docs/compatibility.md lacks these lines of its section \"Names\":\n{}",
        missing.join("\n")
    );
}
