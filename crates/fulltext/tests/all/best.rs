//! The best entries of a term are those that an examination of every entry finds.

use super::{SIZE, TEXT, entry, id, index, reader};
use fulltext::{Lookup, Mask, Part, Probe, Reader, Scoring, WRITER_BYTES_MIN, Writer};

/// An entry as the model knows it.
struct Known {
    number: u64,
    frequency: u64,
    length: u64,
}

/// Entries with a word up to nine times, in texts of up to three hundred words.
fn known(number: u64) -> Known {
    let random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
    let frequency = match random % 7 {
        0 => 0,
        1 => 1 + (random >> 8) % 9,
        _ => 1,
    };
    // Most entries are alike.
    let others = if random.is_multiple_of(11) {
        (random >> 16) % 300
    } else {
        (random >> 16) % 4
    };
    Known {
        number,
        frequency,
        length: frequency + others + 1,
    }
}

fn put(writer: &mut Writer, known: &Known) {
    let mut text = "fox ".repeat(known.frequency as usize);
    text += &"a ".repeat((known.length - known.frequency - 1) as usize);
    let size = (known.number % 17) as i64;
    let entry = entry(known.number, &(text + "dog"), "red", size);
    writer.put(entry, true).expect("put");
}

/// BM25's score, for texts of this mean length.
fn score(frequency: u64, length: u64, average: f32) -> f32 {
    let (frequency, norm) = (frequency as f32, 0.25 + 0.75 * length as f32 / average);
    2.2 * frequency / (frequency + 1.2 * norm)
}

fn best(reader: &Reader, mask: &Mask, count: usize, average: f32) -> (Vec<u64>, u64) {
    let probes = [
        Probe::Frequency(TEXT, Part::Text, "fox".to_owned()),
        Probe::Length(TEXT),
    ];
    let mut scoring = Scoring {
        probes: &probes,
        score: &mut |probes, entry| score(probes.ask(0, entry), probes.ask(1, entry), average),
        step: &mut |_| true,
    };
    let lookup = Lookup::Terms(TEXT, Part::Text, vec!["fox".to_owned()]);
    let found = reader.best(&lookup, mask, count, &mut scoring);
    found.expect("looked up").expect("in time")
}

fn expected(entries: &[Known], hidden: u64, count: usize, average: f32) -> (Vec<u64>, u64) {
    let having = entries
        .iter()
        .filter(|known| known.frequency > 0 && !known.number.is_multiple_of(hidden));
    let mut scored: Vec<(f32, u64)> = having
        .map(|known| (score(known.frequency, known.length, average), known.number))
        .collect();
    scored.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    let all = scored.len() as u64;
    (
        scored.into_iter().take(count).map(|(_, number)| number).collect(),
        all,
    )
}

#[test]
fn the_best_of_a_term_are_the_same_when_they_are_asked_for_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let index = index(&folder);
    let mut writer = index.writer(WRITER_BYTES_MIN).expect("a writer");
    // Segments of which one has texts that are too long to be remembered, and all others none.
    let entries: Vec<Known> = (1..=3000)
        .map(known)
        .filter(|known| known.number <= 1000 || (known.length < 250 && known.frequency < 8))
        .collect();
    for part in entries.chunks(700) {
        part.iter().for_each(|known| put(&mut writer, known));
        writer.commit("").expect("committed");
    }
    // Entries divisible by the number are masked; 1 masks all.
    let nothing = u64::MAX;
    for round in 0..2 {
        for (count, average) in [
            (1, 20.0),
            (10, 20.0),
            (10, 3.0),
            (64, 1e9),
            (100, 5.0),
            (500, 5.0),
        ] {
            let found = best(&reader(&index), &Mask::default(), count, average);
            assert_eq!(
                found,
                expected(&entries, nothing, count, average),
                "{round} {count} {average}"
            );
        }
    }
    let reader_before = reader(&index);
    let mut mask = Mask::default();
    let hidden: Vec<Vec<u8>> = (1..=3000).filter(|number| number % 5 == 0).map(id).collect();
    let hide = reader_before.hide(&mut mask, hidden.iter().map(Vec::as_slice));
    hide.expect("hidden");
    for _ in 0..2 {
        assert_eq!(
            best(&reader_before, &mask, 10, 20.0),
            expected(&entries, 5, 10, 20.0)
        );
    }
    hidden.iter().for_each(|id| writer.delete(id));
    writer.commit("").expect("committed");
    for _ in 0..2 {
        assert_eq!(
            best(&reader(&index), &Mask::default(), 10, 20.0),
            expected(&entries, 5, 10, 20.0)
        );
        assert_eq!(
            best(&reader_before, &Mask::default(), 10, 20.0),
            expected(&entries, nothing, 10, 20.0)
        );
    }
}

#[test]
fn a_kept_result_belongs_to_one_segment_with_its_mask() {
    let folder = tempfile::tempdir().expect("a folder");
    let index = index(&folder);
    let mut writer = index.writer(WRITER_BYTES_MIN).expect("a writer");
    (1..=3).for_each(|number| put(&mut writer, &known(number)));
    writer.commit("").expect("committed");
    let before = reader(&index);
    let none = Mask::default();
    before.keep(0, &none, "a", std::sync::Arc::new(1_u8), 1);
    assert_eq!(before.kept::<u8>(0, &none, "a").as_deref(), Some(&1));
    assert_eq!(before.kept::<u16>(0, &none, "a"), None);
    assert_eq!(before.kept::<u8>(0, &none, "b"), None);
    let mut mask = Mask::default();
    before.hide(&mut mask, [&*id(2)].into_iter()).expect("hidden");
    assert_eq!(before.kept::<u8>(0, &mask, "a"), None);
    writer.delete(&id(2));
    writer.commit("").expect("committed");
    assert_eq!(reader(&index).kept::<u8>(0, &none, "a"), None);
    assert_eq!(before.kept::<u8>(0, &none, "a").as_deref(), Some(&1));
    // There is room for one of these and not for two; and for one that is larger, never.
    for (name, bytes) in [("b", 300 << 10), ("c", 300 << 10), ("d", 1 << 20)] {
        before.keep(0, &none, name, std::sync::Arc::new(1_u8), bytes);
    }
    let is_kept = |name: &str| before.kept::<u8>(0, &none, name).is_some();
    assert_eq!(["a", "b", "c", "d"].map(is_kept), [false, false, true, false]);
}

#[test]
fn lookups_have_names_where_words_tell_them_apart() {
    let of = |text: &str| Lookup::Terms(TEXT, Part::Text, vec![text.to_owned()]);
    assert_ne!(of("a").name(), of("b").name());
    assert_eq!(of("a").name(), of("a").name());
    let asks = fulltext::Matcher(std::sync::Arc::new(|_: &str| Some(true)));
    let asks = Lookup::Matching(SIZE, Part::Word, String::new(), asks);
    assert_eq!(Lookup::Every(vec![of("a"), asks]).name(), None);
}
