//! Tests of full-text indexes: what an index answers about its entries.

mod best;
mod lookups;
mod writing;

use fulltext::{DocumentEntry, Index, Lookup, Mask, Number, Reader, TextTerms};

/// The key of texts, of words, of numbers.
const TEXT: u32 = 1;
const WORD: u32 = 2;
const SIZE: u32 = 3;

fn id(number: u64) -> Vec<u8> {
    format!("id{number}").into_bytes()
}

/// An entry whose text is cut at spaces.
fn entry(number: u64, text: &str, word: &str, size: i64) -> DocumentEntry {
    let mut entry = DocumentEntry::new(id(number), number, number * 10);
    let mut terms = TextTerms::new(text.len());
    text.split(' ')
        .zip(0..)
        .for_each(|(term, place)| terms.push(term, place));
    assert!(entry.add_text(TEXT, terms));
    assert!(entry.add_words(WORD, [word].into_iter()));
    entry.add_present(WORD);
    entry.add_numbers(SIZE, vec![Number::Integer(size)]);
    entry.set_time(size);
    entry
}

fn index(folder: &tempfile::TempDir) -> Index {
    Index::open(&folder.path().join("index")).expect("an index")
}

fn reader(index: &Index) -> Reader {
    index.reader().expect("a reader").0
}

fn found(reader: &Reader, lookup: &Lookup, mask: &Mask) -> Vec<u64> {
    let mut found = Vec::new();
    let mut take = |number| {
        found.push(number);
        true
    };
    reader.matches(lookup, mask, &mut take).expect("looked up");
    found.sort_unstable();
    assert_eq!(
        reader.matching(lookup, mask, u64::MAX).expect("counted"),
        found.len() as u64
    );
    found
}
