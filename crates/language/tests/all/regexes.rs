//! Searches by regular expressions: short ones, and those that take long.

use language::Code;
use language::expression::{Expression, ParseScope, Variables};
use language::interruption::{Interruption, within};
use language::regex::Regex;
use memory::Budget;
use std::time::{Duration, Instant};
use value::{Value, doc};

/// The first match of a pattern as `$regexFind` gives it: what matches, and at which character.
fn found(pattern: &str, options: &str, text: &str) -> Option<(String, i32)> {
    let search = doc! {"$regexFind": {"input": "$text", "regex": pattern, "options": options}};
    let search = Expression::parse(&Value::Document(search), &ParseScope::new()).unwrap();
    let document = doc! {"text": text};
    let found = search
        .evaluate((&document).into(), &Variables::default())
        .unwrap();
    match found {
        Some(Value::Document(found)) => match (found.get("match"), found.get("idx")) {
            (Some(Value::String(matched)), Some(Value::Int32(at))) => Some((matched.clone(), *at)),
            other => panic!("{other:?}"),
        },
        _ => None,
    }
}

#[test]
fn a_search_in_slices_finds_what_a_search_of_the_whole_finds() {
    // The ways to divide the letters take more steps than a first attempt has, and all together more than one slice has.
    let hard = format!("{}!", "ab".repeat(8));
    let costly = "(?:(?:a|b|ab)+)+c";
    let text = |between: &str| (between.repeat(200) + &hard).repeat(16) + &between.repeat(200);
    for (pattern, options, text, expected) in [
        // After several slices; groups and look-behind work across them.
        (format!("{costly}|(?<=é)(x)(y)?$"), "", text("é") + "x", true),
        (format!("{costly}|X\\Z"), "i", text("é") + "x", true),
        (format!("{costly}|x (y)?# x"), "x", text("\n") + "x", true),
        (format!("{costly}|\\Qx"), "", text("é") + "x", true),
        (format!("{costly}|$"), "", text("é"), true),
        (format!("{costly}|\\w!x"), "", text("é"), false),
    ] {
        let regex = Regex::new(&pattern, options).unwrap();
        assert_eq!(regex.is_match(&text).unwrap(), expected, "/{pattern}/{options}");
        let before = text.trim_end_matches('x');
        let matched = (text[before.len()..].to_owned(), before.chars().count() as i32);
        assert_eq!(
            found(&pattern, options, &text),
            expected.then_some(matched),
            "/{pattern}/{options}"
        );
    }
}

#[test]
fn patterns_that_cannot_be_searched_in_slices_are_searched_as_a_whole() {
    // Each of the pairs takes steps, more than a first attempt has.
    let text = "(".repeat(300) + &"()".repeat(5_000) + &")".repeat(300);
    for pattern in [
        "\\((?:[^()]|(?R))*\\)",
        "(*NO_START_OPT)\\A(\\((?:[^()]|(?1))*\\))\\z",
    ] {
        assert!(
            Regex::new(pattern, "").unwrap().is_match(&text).unwrap(),
            "{pattern}"
        );
    }
}

#[test]
fn long_texts_are_searched_to_their_end() {
    let text = "é\n".repeat(3_000_000) + "x";
    assert_eq!(found("[w-y]", "", &text), Some(("x".to_owned(), 6_000_000)));
    assert!(!Regex::new("z", "").unwrap().is_match(&text).unwrap());
}

#[test]
fn hostile_searches_of_long_texts_end_with_their_operation() {
    let text = "a".repeat(1_000_000);
    for pattern in ["a*a*[bc]", "a*a*a*[bc]", "(?:a|aa)+[bc]", "(*COMMIT)a*a*[bc]"] {
        let regex = Regex::new(pattern, "").unwrap();
        let before = Instant::now();
        let interruption = Interruption {
            deadline: Some(before + Duration::from_millis(300)),
            ..Interruption::default()
        };
        let outcome = within(&interruption, || regex.is_match(&text));
        assert!(outcome.is_err(), "{pattern}");
        // They would take hours.
        assert!(before.elapsed() < Duration::from_secs(30), "{pattern}");
    }
}

#[test]
fn simple_patterns_match_without_a_search_what_the_search_finds() {
    let patterns = [
        "^abc", "^a", "^[0-9]", "^[a-cx]", "^[a-c]x", "^[^a]", "^[a-]", "^[-a]", "^[]a]", "^[b-a0]", "^[é]",
        "^a.c", "^a*", "^[a]]", "^\\.a", "^[\\d]", "[0-9]", "^[A-z]", "^[a-c-e]",
    ];
    let texts = [
        "", "abc", "abcd", "a", "A", "x", "9", "é", "-", "]", ".a", "^", "\nabc", "a\nb", "b", "_", "\u{0}",
    ];
    for (pattern, options) in patterns
        .iter()
        .flat_map(|pattern| ["", "i", "m", "s", "x"].map(|o| (pattern, o)))
    {
        let Ok(regex) = Regex::new(pattern, options) else {
            continue;
        };
        // What begins with a group is searched for in any case.
        let searched = Regex::new(&format!("(?:{pattern})"), options).unwrap();
        for text in texts {
            assert_eq!(
                regex.is_match(text).unwrap(),
                searched.is_match(text).unwrap(),
                "/{pattern}/{options} in {text:?}"
            );
        }
    }
}

#[test]
fn many_patterns_of_an_operation_take_memory() {
    let interruption = Interruption {
        memory: Budget::new(16 << 20),
        ..Interruption::default()
    };
    let compile = |count: usize| {
        within(&interruption, || {
            let patterns = (0..count).map(|at| Regex::new(&format!("p{at}"), ""));
            patterns.collect::<Result<Vec<_>, _>>()
        })
    };
    assert_eq!(compile(1_000).unwrap_err().code, Code::EXCEEDED_MEMORY_LIMIT);
    assert_eq!(compile(100).unwrap().len(), 100);
}
