//! Text searches: what they find, and with which scores.

use proptest::prelude::*;
use std::sync::Arc;
use text::{Condition, Language, Search, TextFields};
use value::{Document, Value, array, doc};

fn fields(options: Document) -> Arc<TextFields> {
    Arc::new(TextFields::of_options(&options))
}

/// Everything in this language.
fn all(language: &str) -> Arc<TextFields> {
    fields(doc! {"weights": {"$**": 1}, "default_language": language})
}

fn condition(argument: Document, fields: &Arc<TextFields>) -> Condition {
    let search = Search::parse(&Value::Document(argument)).expect("a search");
    Condition::new(&search, Arc::clone(fields))
}

fn matches(search: &str, text: &str) -> bool {
    condition(doc! {"$search": search}, &all("english")).matches((&doc! {"a": text}).into())
}

fn score(search: &str, fields: &Arc<TextFields>, document: &Document) -> f64 {
    condition(doc! {"$search": search}, fields).score(document.into())
}

fn terms(fields: &TextFields, document: &Document) -> Vec<String> {
    fields
        .terms(document.into())
        .expect("known languages")
        .into_iter()
        .collect()
}

#[test]
fn words_are_cut_at_delimiters_and_down_to_their_stems() {
    let english = all("english");
    let text = "Don't re-run the RUNNERS' e-mail_address: naïve café… done";
    assert_eq!(
        terms(&english, &doc! {"a": text}),
        ["cafe", "done", "e", "mail_address", "naiv", "re", "run", "runner"]
    );
    assert_eq!(terms(&all("none"), &doc! {"a": "The Thé"}), ["the"]);
    assert_eq!(terms(&all("german"), &doc! {"a": "die Häuser"}), ["haus"]);
    assert_eq!(terms(&all("turkish"), &doc! {"a": "IŞIK İZ"}), ["iz", "ısık"]);
}

#[test]
fn english_verbs_and_letters_are_words_to_search_for() {
    let text = "Now I will just do what you can";
    assert_eq!(
        terms(&all("english"), &doc! {"a": text}),
        ["can", "just", "now", "will"]
    );
    assert!(matches("vitamin d", "d"), "a letter");
    assert!(!matches("the", "the"), "but not an article");
    assert_eq!(
        terms(&all("english"), &doc! {"a": "that's what we could find"}),
        ["find"]
    );
}

#[test]
fn minus_excludes_up_to_the_next_white_space() {
    assert!(matches("fox -dog", "a fox"));
    assert!(!matches("fox -dog", "a fox, a dog"));
    assert!(!matches("fox -well-known", "a fox known"));
    assert!(
        matches("well-known", "known"),
        "a minus within a word excludes nothing"
    );
    assert!(matches("- fox", "a fox"), "nor does one alone");
    assert!(!matches("fox -\"red dog\"", "fox and red dog"));
    assert!(matches("fox -\"red dog\"", "red fox and dog"));
    assert!(!matches("-fox", "a dog"), "something must be wanted");
}

#[test]
fn phrases_are_parts_of_texts() {
    assert!(matches("\"brown fox\"", "The BROWN FOX"));
    assert!(
        matches("\"brown fo\" fox", "the brown fox"),
        "they need not end where a word does"
    );
    assert!(
        !matches("\"brown fox\" dog", "dog"),
        "what is beside them is not enough"
    );
    assert!(
        matches("\"brown fox", "a fox, brown"),
        "an open quotation mark begins no phrase"
    );
    let two = doc! {"a": "brown", "b": "fox"};
    let phrase = condition(doc! {"$search": "\"brown fox\""}, &all("english"));
    assert!(
        !phrase.matches((&two).into()),
        "they do not go over from one text to the next"
    );
}

#[test]
fn case_and_marks_matter_where_they_are_asked() {
    let text = |argument: Document, text: &str| {
        condition(argument, &all("english")).matches((&doc! {"a": text}).into())
    };
    let cased = |search: &str| doc! {"$search": search, "$caseSensitive": true};
    assert!(text(cased("Fox"), "the Fox"));
    assert!(!text(cased("Fox"), "the fox"));
    assert!(!text(cased("fox -Dog"), "fox Dog"));
    assert!(text(cased("fox -Dog"), "fox dog"));
    let marked = |search: &str| doc! {"$search": search, "$diacriticSensitive": true};
    assert!(text(marked("café"), "CAFÉ"));
    assert!(!text(marked("cafe"), "café"));
    assert!(!text(marked("\"cafe\""), "café"));
    // In phrases the marks of ASCII are marks too.
    assert!(matches("\"red fox\" red", "a re`d f^ox, red"));
    assert!(!text(marked("\"red fox\" red"), "a re`d fox, red"));
}

#[test]
fn paths_arrays_and_languages_decide_what_is_indexed() {
    let some = fields(doc! {"weights": {"a.b": 2, "c": 1}, "default_language": "none"});
    let document = doc! {
        "a": array![doc! {"b": "one"}, doc! {"b": array!["two"]}, doc! {"x": "no"}],
        "c": array!["three", array!["no"], 7, doc! {"d": "no"}],
        "d": "no",
    };
    assert_eq!(terms(&some, &document), ["one", "three", "two"]);
    let own = doc! {"language": "none", "a": "running", "in": {"a": "running", "b": {"language": "en", "c": "running"}}};
    assert_eq!(terms(&all("english"), &own), ["run", "running"]);
    let unknown = all("english").terms((&doc! {"language": "klingon", "a": "x"}).into());
    assert_eq!(unknown.expect_err("no such language").code.number(), 17_262);
    let number = all("english").terms((&doc! {"a": {"language": 5}}).into());
    assert_eq!(number.expect_err("no name").code.number(), 17_261);
    assert_eq!(Language::parse("NB"), Some(Language::Norwegian));
}

#[test]
fn scores_are_those_of_mongodb() {
    let close =
        |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
    let all = all("english");
    // One term of one, which is the whole text.
    close(score("fox", &all, &doc! {"a": "fox"}), 1.1);
    // One term of two.
    close(score("fox", &all, &doc! {"a": "the red fox"}), 0.75);
    // Twice of three: 1 + 1/2, and 0.5 * 2/3 + 0.5.
    close(
        score("fox", &all, &doc! {"a": "fox red fox"}),
        1.5 * (0.5 * 2.0 / 3.0 + 0.5),
    );
    // Terms and texts are added up, each with its weight.
    let weighted = fields(doc! {"weights": {"a": 10, "b": 1}});
    close(
        score("red fox", &weighted, &doc! {"a": "red fox", "b": "fox"}),
        7.5 + 7.5 + 1.1,
    );
    // Where all strings are indexed, one that no path names weighs 1.
    let mixed = fields(doc! {"weights": {"$**": 1, "b": 10, "d.e": 5}});
    for (path, weight) in [("a", 1.0), ("b", 10.0), ("c", 1.0), ("e", 1.0)] {
        let document = Document::new().with(path, "red fox");
        close(score("fox", &mixed, &document), 0.75 * weight);
    }
    close(score("fox fox", &all, &doc! {"a": "red fox"}), 0.75);
    close(score("dog", &all, &doc! {"a": "red fox"}), 0.0);
}

#[test]
fn long_terms_are_found_by_their_beginnings() {
    let long = "ä".repeat(300);
    let document = doc! {"a": format!("{long}x")};
    let none = all("none");
    let of_same = condition(doc! {"$search": format!("{long}x")}, &none);
    let of_other = condition(doc! {"$search": format!("{long}y")}, &none);
    let held = terms(&none, &document);
    assert!(held.iter().all(|term| term.len() <= 256));
    assert_eq!(of_same.terms(), held);
    assert!(of_same.matches((&document).into()));
    assert!(!of_same.is_terms_alone());
    assert_eq!(of_other.terms(), held, "the index cannot tell them apart");
    assert!(!of_other.matches((&document).into()), "the document can");
}

#[test]
fn wrong_arguments_have_mongodbs_codes() {
    let code = |argument: Value| Search::parse(&argument).expect_err("refused").code.number();
    assert_eq!(code(Value::from("fox")), 2);
    assert_eq!(code(doc! {}.into()), 4);
    assert_eq!(code(doc! {"$search": 5}.into()), 14);
    assert_eq!(code(doc! {"$search": "x", "$caseSensitive": 1}.into()), 14);
    assert_eq!(code(doc! {"$search": "x", "$language": "klingon"}.into()), 2);
    assert_eq!(code(doc! {"$search": "x", "$score": true}.into()), 2);
    assert_eq!(code(doc! {"$language": 5}.into()), 4);
    assert_eq!(
        code(doc! {"$score": true, "$search": "x", "$language": 5}.into()),
        14
    );
    assert_eq!(
        code(doc! {"$language": "klingon", "$search": "x", "$caseSensitive": 1}.into()),
        14
    );
}

const WORDS: [&str; 12] = [
    "fox", "Foxes", "running", "run", "the", "café", "Häuser", "don't", "e-mail", "İz", "\"red", "-dog\"",
];

fn sentence() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof![4 => proptest::sample::select(&WORDS[..]).prop_map(str::to_owned), 1 => ".{0,6}"],
        0..8,
    )
    .prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn every_match_has_a_term_in_the_index(
        search in sentence(),
        texts in proptest::collection::vec(sentence(), 1..4),
        language in proptest::sample::select(&["english", "german", "turkish", "none", "fr"][..]),
        case: bool,
        marks: bool,
    ) {
        let all = all(language);
        let document = doc! {"a": (Value::Array(texts.into_iter().map(Value::from).collect()))};
        let argument = doc! {"$search": search, "$caseSensitive": case, "$diacriticSensitive": marks};
        let condition = condition(argument, &all);
        let held = terms(&all, &document);
        let is_held = condition.terms().iter().any(|term| held.iter().any(|held| held == term));
        let matches = condition.matches((&document).into());
        prop_assert!(is_held || !matches);
        prop_assert!(!condition.is_terms_alone() || matches == is_held);
        prop_assert_eq!(condition.score((&document).into()) > 0.0, is_held);
    }
}
