//! Words that say nothing, by language.

/// The stop words of Lucene's English analyzer.
const ENGLISH: &str = "a an and are as at be but by for if in into is it no not of on or such that the their then there these \
    they this to was will with";
const GERMAN: &str = "aber alle als also am an auch auf aus bei bin bis bist da dann das dass dein deine dem den der des dich die \
    dies diese dieser dieses dir doch dort du durch ein eine einem einen einer eines er es euch für hat hatte ich ihm ihn ihr ihre im in \
    ist ja jede jeder kann kein keine mein mich mir mit nach nicht noch nun nur ob oder ohne sehr sein seine sich sie sind so über um und \
    uns unter vom von vor war was wenn wer wie wir wird zu zum zur";
const FRENCH: &str = "au aux avec ce ces dans de des du elle en et eux il ils je la le les leur lui ma mais me même mes moi mon ne nos \
    notre nous on ou par pas pour qu que qui sa se ses son sur ta te tes toi ton tu un une vos votre vous c d j l à m n s t y été est \
    sont a ont";
const SPANISH: &str = "de la que el en y a los del se las por un para con no una su al lo como más pero sus le ya o este sí porque esta \
    entre cuando muy sin sobre también me hasta hay donde quien desde todo nos es son";

/// The other languages with lists and stemmers, and the codes by which lists are found.
pub(super) const OTHERS: [(&str, &str); 12] = [
    ("arabic", "ar"),
    ("danish", "da"),
    ("dutch", "nl"),
    ("finnish", "fi"),
    ("hungarian", "hu"),
    ("italian", "it"),
    ("norwegian", "no"),
    ("portuguese", "pt"),
    ("romanian", "ro"),
    ("russian", "ru"),
    ("swedish", "sv"),
    ("turkish", "tr"),
];

/// The stop words of a language; `None` where they are not known here.
pub(super) fn of(language: &str) -> Option<Vec<String>> {
    let words = match language {
        "_english_" => ENGLISH,
        "_german_" => GERMAN,
        "_french_" => FRENCH,
        "_spanish_" => SPANISH,
        "_none_" => "",
        other => {
            let name = other.strip_prefix('_')?.strip_suffix('_')?;
            let (_, code) = OTHERS.iter().find(|(known, _)| *known == name)?;
            let words = stop_words::lookup(code)?;
            return Some(words.iter().map(|word| (*word).to_owned()).collect());
        }
    };
    Some(words.split_whitespace().map(str::to_owned).collect())
}
