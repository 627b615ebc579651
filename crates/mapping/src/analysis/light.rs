//! Light stemmers: those of Jacques Savoy for French, German, Italian, Portuguese and Spanish, and minimal ones, which take off little
//! more than endings of the plural.

/// Which of them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Light {
    French,
    German,
    Italian,
    Portuguese,
    Spanish,
    MinimalEnglish,
    MinimalGerman,
}

/// Endings that are replaced in words of more than `longer_than` letters.
struct Rule {
    longer_than: usize,
    endings: &'static [&'static str],
    /// How many letters go.
    drops: usize,
    /// What comes in their place.
    adds: &'static str,
}

const fn rule(
    longer_than: usize,
    endings: &'static [&'static str],
    drops: usize,
    adds: &'static str,
) -> Rule {
    Rule {
        longer_than,
        endings,
        drops,
        adds,
    }
}

impl Rule {
    /// Replaces the ending of a word that has it.
    fn apply(&self, word: &mut Vec<char>) -> bool {
        let fits = word.len() > self.longer_than && self.endings.iter().any(|end| ends(word, end));
        if fits {
            word.truncate(word.len().saturating_sub(self.drops));
            word.extend(self.adds.chars());
        }
        fits
    }
}

/// Applies the first rule that fits.
fn first(rules: &[Rule], word: &mut Vec<char>) -> bool {
    rules.iter().any(|rule| rule.apply(word))
}

fn ends(word: &[char], end: &str) -> bool {
    let mut letters = word.iter().rev();
    end.chars().rev().all(|c| letters.next() == Some(&c))
}

/// Takes the marks from those letters of a word that are among these.
fn plain(word: &mut [char], marked: &str) {
    for c in word.iter_mut().filter(|c| marked.contains(**c)) {
        *c = match *c {
            'à' | 'á' | 'â' | 'ä' | 'ã' => 'a',
            'è' | 'é' | 'ê' | 'ë' => 'e',
            'ì' | 'í' | 'î' | 'ï' => 'i',
            'ò' | 'ó' | 'ô' | 'ö' | 'õ' => 'o',
            'ù' | 'ú' | 'û' | 'ü' => 'u',
            'ç' => 'c',
            other => other,
        };
    }
}

impl Light {
    pub(super) fn stem(self, text: &str) -> String {
        let mut word: Vec<char> = text.chars().collect();
        match self {
            Light::French => french(&mut word),
            Light::German => german(&mut word),
            Light::Italian => italian(&mut word),
            Light::Portuguese => portuguese(&mut word),
            Light::Spanish => spanish(&mut word),
            Light::MinimalEnglish => minimal_english(&mut word),
            Light::MinimalGerman => minimal_german(&mut word),
        }
        word.into_iter().collect()
    }
}

/// Plurals, of which each may leave another.
const FRENCH_PLURALS: [Rule; 3] = [
    rule(5, &["x"], 1, ""),
    rule(3, &["x"], 1, ""),
    rule(3, &["s"], 1, ""),
];

/// Endings of derived words, up to the one that is not the last that is looked at.
const FRENCH_FIRST: [Rule; 9] = [
    rule(9, &["issement"], 7, "r"),
    rule(8, &["issant"], 5, "r"),
    rule(6, &["ement"], 4, ""),
    rule(11, &["ficatrice"], 7, "er"),
    rule(10, &["ficateur"], 6, "er"),
    rule(9, &["catrice"], 7, "quer"),
    rule(8, &["cateur"], 6, "quer"),
    rule(8, &["atrice"], 6, "er"),
    rule(7, &["ateur"], 5, "er"),
];
const FRENCH_TRICE: Rule = rule(6, &["trice"], 4, "eur");
const FRENCH_SECOND: [Rule; 9] = [
    rule(5, &["ième"], 4, ""),
    rule(7, &["teuse"], 3, "r"),
    rule(6, &["teur"], 2, "r"),
    rule(5, &["euse"], 2, ""),
    rule(8, &["ère"], 3, "er"),
    rule(7, &["ive"], 2, "f"),
    rule(4, &["folle", "molle"], 3, "u"),
    rule(9, &["nnelle"], 5, ""),
    rule(9, &["nnel"], 3, ""),
];
/// Two that others may follow.
const FRENCH_THIRD: [Rule; 2] = [rule(4, &["ète"], 3, "et"), rule(8, &["ique"], 4, "")];
const FRENCH_LAST: [Rule; 6] = [
    rule(8, &["esse"], 3, ""),
    rule(7, &["inage"], 3, ""),
    rule(9, &["isation"], 7, ""),
    rule(9, &["isateur"], 7, ""),
    rule(8, &["ation"], 5, ""),
    rule(8, &["ition"], 5, ""),
];

fn french(word: &mut Vec<char>) {
    if word.len() > 5 && ends(word, "aux") && !ends(word, "eaux") {
        let before = word.len() - 2;
        word.truncate(before);
        word.extend(['l', 'x']);
    }
    for plural in &FRENCH_PLURALS {
        plural.apply(word);
    }
    french_endings(word);
    if word.len() > 4 {
        plain(word, "àáâôèéêùûîç");
        word.dedup_by(|next, last| next == last && last.is_alphabetic());
    }
    rule(4, &["ie"], 2, "").apply(word);
    if word.len() > 4 {
        for end in ['r', 'e', 'e'] {
            word.pop_if(|last| *last == end);
        }
        if let [.., before, last] = word[..]
            && before == last
            && last.is_alphabetic()
        {
            word.pop();
        }
    }
}

fn french_endings(word: &mut Vec<char>) {
    if first(&FRENCH_FIRST, word) {
        // `activement` has become `active`.
        rule(3, &["ive"], 2, "f").apply(word);
        return;
    }
    FRENCH_TRICE.apply(word);
    if first(&FRENCH_SECOND, word) {
        return;
    }
    for third in &FRENCH_THIRD {
        third.apply(word);
    }
    let is_made = word.len() > 9 && ends(word, "isation");
    first(&FRENCH_LAST, word);
    if is_made {
        rule(5, &["ual"], 2, "el").apply(word);
    }
}

fn german(word: &mut Vec<char>) {
    plain(word, "äàáâöòóôïìíîüùúû");
    first(
        &[
            rule(5, &["ern"], 3, ""),
            rule(4, &["em", "en", "er", "es"], 2, ""),
            rule(3, &["e"], 1, ""),
            rule(
                3,
                &["bs", "ds", "fs", "gs", "hs", "ks", "ls", "ms", "ns", "ts"],
                1,
                "",
            ),
        ],
        word,
    );
    first(
        &[
            rule(5, &["est"], 3, ""),
            rule(4, &["er", "en"], 2, ""),
            rule(
                4,
                &[
                    "bst", "dst", "fst", "gst", "hst", "kst", "lst", "mst", "nst", "tst",
                ],
                2,
                "",
            ),
        ],
        word,
    );
}

const ROMANCE: &str = "àáâäòóôöèéêëùúûüìíîï";

fn italian(word: &mut Vec<char>) {
    if word.len() < 6 {
        return;
    }
    plain(word, ROMANCE);
    first(
        &[
            rule(0, &["ie", "he", "hi", "ii", "ia", "io"], 2, ""),
            rule(0, &["e", "i", "a", "o"], 1, ""),
        ],
        word,
    );
}

fn spanish(word: &mut Vec<char>) {
    if word.len() < 5 {
        return;
    }
    plain(word, ROMANCE);
    first(
        &[
            rule(0, &["o", "a", "e"], 1, ""),
            rule(0, &["eses"], 2, ""),
            rule(0, &["ces"], 3, "z"),
            rule(0, &["os", "as", "es"], 2, ""),
        ],
        word,
    );
}

fn portuguese(word: &mut Vec<char>) {
    if word.len() < 4 {
        return;
    }
    first(
        &[
            rule(4, &["res", "ses", "les", "zes"], 2, ""),
            rule(3, &["ns"], 2, "m"),
            rule(4, &["eis", "éis"], 3, "el"),
            rule(4, &["ais"], 2, "l"),
            rule(4, &["óis"], 3, "ol"),
            rule(4, &["is"], 1, "l"),
            rule(3, &["ões", "ães"], 3, "ão"),
            rule(6, &["mente"], 5, ""),
            rule(3, &["s"], 1, ""),
        ],
        word,
    );
    // What is feminine becomes masculine.
    first(
        &[
            rule(7, &["inha", "iaca", "eira"], 1, "o"),
            rule(6, &["osa", "ica", "ida", "ada", "iva", "ama"], 1, "o"),
            rule(6, &["ona"], 3, "ão"),
            rule(6, &["ora"], 1, ""),
            rule(6, &["esa"], 3, "ês"),
            rule(6, &["na"], 1, "o"),
        ],
        word,
    );
    rule(4, &["e", "a", "o"], 1, "").apply(word);
    plain(word, "àáâäãòóôöõèéêëùúûüìíîïç");
}

fn minimal_english(word: &mut Vec<char>) {
    let is_kept = word.len() < 3 || ["us", "ss"].iter().any(|end| ends(word, end));
    if is_kept || !ends(word, "s") {
        return;
    }
    if word.len() > 3 && ends(word, "ies") && !ends(word, "aies") && !ends(word, "eies") {
        rule(3, &["ies"], 3, "y").apply(word);
        return;
    }
    if !["ies", "aes", "oes", "ees"].iter().any(|end| ends(word, end)) {
        word.pop();
    }
}

fn minimal_german(word: &mut Vec<char>) {
    if word.len() < 5 {
        return;
    }
    plain(word, "äöü");
    first(
        &[
            rule(6, &["nen"], 3, ""),
            rule(5, &["en", "se", "es", "er"], 2, ""),
            rule(0, &["n", "e", "s", "r"], 1, ""),
        ],
        word,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_taken_off_lightly() {
        for (light, words) in [
            (
                Light::French,
                &[
                    ("chevaux", "cheval"),
                    ("hiboux", "hibou"),
                    ("chantés", "chant"),
                    ("chanter", "chant"),
                    ("baronnes", "baron"),
                    ("peaux", "peau"),
                    ("neuvième", "neuv"),
                    ("investigatrice", "investig"),
                    ("activement", "actif"),
                    ("opératrice", "oper"),
                    ("appelle", "apel"),
                    ("virtualisation", "virtuel"),
                ][..],
            ),
            (
                Light::German,
                &[
                    ("hauser", "haus"),
                    ("häusern", "haus"),
                    ("tische", "tisch"),
                    ("schönste", "schon"),
                    ("autos", "autos"),
                ],
            ),
            (
                Light::Italian,
                &[
                    ("ragazzo", "ragazz"),
                    ("amiche", "amic"),
                    ("città", "città"),
                    ("studio", "stud"),
                ],
            ),
            (
                Light::Spanish,
                &[
                    ("intereses", "interes"),
                    ("peces", "pez"),
                    ("niños", "niñ"),
                    ("sociedades", "sociedad"),
                ],
            ),
            (
                Light::Portuguese,
                &[
                    ("doutores", "doutor"),
                    ("homens", "homem"),
                    ("papéis", "papel"),
                    ("normais", "normal"),
                    ("lençóis", "lencol"),
                    ("canções", "canca"),
                    ("felizmente", "feliz"),
                    ("chinesa", "chines"),
                    ("famosa", "famos"),
                ],
            ),
            (
                Light::MinimalEnglish,
                &[
                    ("queries", "query"),
                    ("phrases", "phrase"),
                    ("corpus", "corpus"),
                    ("stress", "stress"),
                    ("goes", "goes"),
                ],
            ),
            (
                Light::MinimalGerman,
                &[
                    ("bilder", "bild"),
                    ("freundinnen", "freundin"),
                    ("sängerin", "sangeri"),
                ],
            ),
        ] {
            for (word, stem) in words {
                assert_eq!(light.stem(word), *stem, "{light:?} {word}");
            }
        }
    }
}
