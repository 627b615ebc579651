//! The paths that a protocol answers, read from its source: the patterns of the `match` that a router makes over the parts of a path.

use std::fmt;

/// The pattern of one arm, such as `["_design", name, "_view", view]`, below the parts that the router has been through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    parts: Vec<Part>,
    /// Whether the arm has a further condition: what it does not take, one after it may.
    is_conditional: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// One of these words.
    Words(Vec<String>),
    /// Any one part.
    Any,
    /// Any number of parts.
    Rest,
}

impl Route {
    fn matches(&self, path: &[&str]) -> bool {
        fn fits(parts: &[Part], path: &[&str]) -> bool {
            match (parts.split_first(), path.split_first()) {
                (None, None) => true,
                (Some((Part::Rest, after)), _) => (0..=path.len()).any(|taken| fits(after, &path[taken..])),
                (Some((Part::Any, after)), Some((_, rest))) => fits(after, rest),
                (Some((Part::Words(words), after)), Some((part, rest))) => {
                    words.iter().any(|word| word == part) && fits(after, rest)
                }
                _ => false,
            }
        }
        fits(&self.parts, path)
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.parts {
            match part {
                Part::Words(words) => write!(f, "/{}", words.join("|"))?,
                Part::Any => write!(f, "/*")?,
                Part::Rest => write!(f, "/…")?,
            }
        }
        Ok(())
    }
}

/// The routes of one function: its arms in their order, below a prefix in which `*` stands for any part.
///
/// # Panics
/// If the source has no such function, or it has no arms: the test that asks would prove nothing.
pub fn routes(source: &str, function: &str, prefix: &str) -> Vec<Route> {
    // The name may be followed by lifetimes.
    let named = ["(", "<"].map(|next| format!("fn {function}{next}"));
    let start = named.iter().find_map(|named| source.find(named));
    let body = &source[start.unwrap_or_else(|| panic!("no function {function}"))..];
    let body = without_comments(&body[..body.find("\n}\n").unwrap_or(body.len())]);
    let before: Vec<Part> = prefix
        .split('/')
        .filter(|part| !part.is_empty())
        .map(prefixed)
        .collect();
    let mut found = Vec::new();
    for (at, _) in body.match_indices('[') {
        if let Some((parts, is_conditional)) = arm(&body, at) {
            let parts = before.iter().cloned().chain(parts).collect();
            found.push(Route {
                parts,
                is_conditional,
            });
        }
    }
    assert!(!found.is_empty(), "no routes in {function}");
    found
}

fn without_comments(source: &str) -> String {
    let lines = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The routes that answer a path: the first that takes all, and those before it that take some.
pub fn answering<'r>(routes: &'r [Route], path: &[&str]) -> Vec<&'r Route> {
    let mut found = Vec::new();
    for route in routes.iter().filter(|route| route.matches(path)) {
        found.push(route);
        if !route.is_conditional {
            break;
        }
    }
    found
}

fn prefixed(part: &str) -> Part {
    match part {
        "*" => Part::Any,
        word => Part::Words(vec![word.to_owned()]),
    }
}

/// The pattern that begins at a bracket, if one does there, and whether more is asked than that.
fn arm(body: &str, at: usize) -> Option<(Vec<Part>, bool)> {
    let before = body[..at].trim_end().chars().next_back();
    if !before.is_some_and(|character| "{}|,(".contains(character)) {
        return None;
    }
    let inner = &body[at + 1..];
    let end = inner.find(']')?;
    let after = &inner[end + 1..];
    let arrow = after.find("=>")?;
    let between = &after[..arrow];
    if between.contains([';', '{']) {
        return None;
    }
    let elements = inner[..end].split(',').map(str::trim);
    let elements = elements.filter(|element| !element.is_empty());
    let parts: Option<Vec<Part>> = elements.map(part).collect();
    let is_conditional = between.split_whitespace().any(|word| word == "if") || between.contains(", &");
    Some((parts?, is_conditional))
}

/// One element of a pattern: a word, a name, `_`, `..`, or `name @` one of these.
fn part(element: &str) -> Option<Part> {
    let pattern = element
        .split_once('@')
        .map_or(element, |(_, pattern)| pattern)
        .trim();
    if pattern == ".." {
        return Some(Part::Rest);
    }
    let is_name = |text: &str| {
        text.chars()
            .all(|character| character == '_' || character.is_alphanumeric())
    };
    if is_name(pattern) {
        return Some(Part::Any);
    }
    let words = pattern.trim_matches(['(', ')']).split('|').map(|word| {
        let word = word.trim().strip_prefix('"')?;
        word.strip_suffix('"').map(str::to_owned)
    });
    words.collect::<Option<_>>().map(Part::Words)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUTER: &str = r#"
        async fn run(path: &[&str]) -> Answer {
            let skipped = ["not", "a", "route"];
            match (&path[1..], method) {
                [] => welcome(),
                // Words in front.
                ["_up"] => up(&[1, 2]),
                [first, ..] if first.starts_with('_') => other(),
                [name, kind @ ("_show" | "_list"), rest @ ..] => old(name),
                ["a"] | ["b"] => both(),
                ([_], &Method::GET) => get(),
                ([_], _) => Err(refused()),
                _ => missing(),
            }
        }
"#;

    fn shown(path: &[&str]) -> Vec<String> {
        let routes = routes(ROUTER, "run", "*");
        answering(&routes, path).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_arms_of_a_router_are_its_routes() {
        let all = routes(ROUTER, "run", "*");
        let all: Vec<String> = all.iter().map(ToString::to_string).collect();
        assert_eq!(
            all,
            [
                "/*",
                "/*/_up",
                "/*/*/…",
                "/*/*/_show|_list/…",
                "/*/a",
                "/*/b",
                "/*/*",
                "/*/*"
            ]
        );
    }

    #[test]
    fn a_path_is_answered_by_the_first_arm_that_takes_it() {
        assert_eq!(shown(&["db"]), ["/*"]);
        assert_eq!(shown(&["db", "_up"]), ["/*/_up"]);
        assert_eq!(
            shown(&["db", "x", "_list", "y", "z"]),
            ["/*/*/…", "/*/*/_show|_list/…"]
        );
        assert_eq!(shown(&["db", "b"]), ["/*/*/…", "/*/b"]);
        assert_eq!(shown(&["db", "c"]), ["/*/*/…", "/*/*", "/*/*"]);
        assert!(shown(&[]).is_empty());
    }

    #[test]
    #[should_panic(expected = "no routes in run")]
    fn a_function_without_arms_is_none_that_routes() {
        routes("fn run() {}\n}\n", "run", "");
    }
}
