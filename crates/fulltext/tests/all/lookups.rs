//! Which entries lookups find.

use super::{SIZE, TEXT, WORD, entry, found, id, index, reader};
use fulltext::{Lookup, Mask, Matcher, Number, Part, Reader, WRITER_BYTES_MIN};
use std::ops::Bound;
use std::sync::Arc;

fn filled() -> (tempfile::TempDir, Reader) {
    let folder = tempfile::tempdir().expect("a folder");
    let index = index(&folder);
    let mut writer = index.writer(WRITER_BYTES_MIN).expect("a writer");
    let entries = [
        (1, "the quick fox", "red", 5),
        (2, "quick the fox", "blue", -3),
        (3, "fox", "red", 9),
        (4, "a lazy dog", "green:1 2", 5),
    ];
    // Two segments.
    for part in entries.chunks(2) {
        for (number, text, word, size) in part {
            writer.put(entry(*number, text, word, *size), false).expect("put");
        }
        writer.commit("").expect("committed");
    }
    writer.finish().expect("finished");
    let reader = reader(&index);
    (folder, reader)
}

fn text(word: &str) -> Lookup {
    Lookup::Terms(TEXT, Part::Text, vec![word.to_owned()])
}

#[test]
fn terms_phrases_and_ranges_are_exact() {
    let (_folder, reader) = filled();
    let find = |lookup: Lookup| found(&reader, &lookup, &Mask::default());
    assert_eq!(find(text("fox")), [1, 2, 3]);
    assert_eq!(find(text("the")), [1, 2]);
    let phrase = [(0, "the".to_owned()), (1, "quick".to_owned())];
    assert_eq!(find(Lookup::Phrase(TEXT, phrase.to_vec())), [1]);
    let words = ["green:1 2", "blue", "none"].map(str::to_owned);
    assert_eq!(find(Lookup::Terms(WORD, Part::Word, words.to_vec())), [2, 4]);
    let from = Bound::Included(Number::Integer(5));
    assert_eq!(find(Lookup::Range(SIZE, from, Bound::Unbounded)), [1, 3, 4]);
    let below = Bound::Excluded(Number::Float(4.5));
    assert_eq!(find(Lookup::Range(SIZE, Bound::Unbounded, below)), [2]);
    assert_eq!(find(Lookup::Ids(vec![id(2), id(9)])), [2]);
    assert_eq!(
        find(Lookup::Sequence(Bound::Excluded(20), Bound::Unbounded)),
        [3, 4]
    );
    assert_eq!(find(Lookup::Present(WORD)), [1, 2, 3, 4]);
    assert_eq!(find(Lookup::Present(TEXT)), [0; 0]);
}

#[test]
fn times_are_found_as_other_numbers_are() {
    let (_folder, reader) = filled();
    let find = |lookup: Lookup| found(&reader, &lookup, &Mask::default());
    let ends = |number: i64| [Bound::Unbounded, Bound::Included(number), Bound::Excluded(number)];
    for low in (-4..11).flat_map(ends) {
        for high in (-4..11).flat_map(ends) {
            if (low, high) == (Bound::Unbounded, Bound::Unbounded) {
                continue;
            }
            let times = find(Lookup::Times(SIZE, low, high));
            let [low, high] = [low, high].map(|end| end.map(Number::Integer));
            let numbers = find(Lookup::Range(SIZE, low, high));
            assert_eq!(times, numbers, "{low:?} {high:?}");
        }
    }
    let joined = Lookup::Every(vec![
        text("fox"),
        Lookup::Times(SIZE, Bound::Included(5), Bound::Unbounded),
    ]);
    assert_eq!(find(joined), [1, 3]);
}

#[test]
fn joined_lookups_find_what_every_some_or_none_of_their_parts_find() {
    let (_folder, reader) = filled();
    let find = |lookup: Lookup| found(&reader, &lookup, &Mask::default());
    let both = vec![text("fox"), text("quick")];
    assert_eq!(find(Lookup::Every(both.clone())), [1, 2]);
    assert_eq!(
        find(Lookup::Some(vec![text("lazy"), text("quick")], 1)),
        [1, 2, 4]
    );
    let three = vec![text("lazy"), text("quick"), text("the")];
    assert_eq!(find(Lookup::Some(three, 2)), [1, 2]);
    assert_eq!(
        find(Lookup::Except(Box::new(Lookup::All), vec![text("quick")])),
        [3, 4]
    );
    assert_eq!(find(Lookup::Some(both, 3)), [0; 0]);
}

#[test]
fn terms_are_asked_one_by_one() {
    let (_folder, reader) = filled();
    let ends = Matcher(Arc::new(|term: &str| Some(term.ends_with('k'))));
    let find = |prefix: &str, matcher: Matcher| {
        let lookup = Lookup::Matching(TEXT, Part::Text, prefix.to_owned(), matcher);
        found(&reader, &lookup, &Mask::default())
    };
    assert_eq!(find("", ends.clone()), [1, 2]);
    assert_eq!(find("z", ends), [0; 0]);
    assert_eq!(find("l", Matcher(Arc::new(|_| Some(true)))), [4]);
}

#[test]
fn the_newest_come_first_and_of_one_time_the_one_changed_first() {
    let (_folder, reader) = filled();
    let newest = |lookup: &Lookup, mask: &Mask, count| {
        let found = reader.newest(lookup, mask, count).expect("found");
        found.iter().map(|found| found.number).collect::<Vec<_>>()
    };
    let mut mask = Mask::default();
    assert_eq!(newest(&Lookup::All, &mask, 9), [3, 1, 4, 2]);
    assert_eq!(newest(&Lookup::All, &mask, 2), [3, 1]);
    assert_eq!(newest(&text("quick"), &mask, 1), [1]);
    reader.hide(&mut mask, [&id(3)[..]].into_iter()).expect("hidden");
    assert_eq!(newest(&Lookup::All, &mask, 2), [1, 4]);
}

#[test]
fn masked_entries_neither_match_nor_count() {
    let (_folder, reader) = filled();
    let mut mask = Mask::default();
    assert_eq!(reader.lengths(TEXT, &mask).expect("counted"), (4, 10));
    assert_eq!(reader.having(TEXT, Part::Text, "fox", &mask).expect("counted"), 3);
    reader
        .hide(&mut mask, [id(2), id(7)].iter().map(Vec::as_slice))
        .expect("hidden");
    assert_eq!(mask.count(), 1);
    assert_eq!(found(&reader, &text("quick"), &mask), [1]);
    assert_eq!(reader.lengths(TEXT, &mask).expect("counted"), (3, 7));
    assert_eq!(reader.having(TEXT, Part::Text, "fox", &mask).expect("counted"), 2);
}
