//! The forms in which a date, a time, a zone or a distance may be written, as a table of patterns.
//!
//! They are those of timelib, with which MongoDB reads dates. The longest match at a place counts; of equally long ones, the
//! first in the table.

use pcre2::bytes::{Captures, Regex, RegexBuilder};
use std::sync::LazyLock;

/// What a form means, besides the groups that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A date, a time or both, and perhaps a zone.
    Fields,
    /// A time of four digits; after another time, a year.
    CompactTime,
    /// A year alone, which may stand apart from its day.
    Year,
    /// A week of a year, and perhaps its day.
    Week,
    /// Seconds since 1970.
    Seconds,
    /// A zone.
    Zone,
    /// A day or time that has a name: `noon`.
    Named,
    /// The first or last day of the month.
    EndOfMonth,
    /// A quarter before or after an hour: `back of 7pm`.
    Around,
    /// A weekday of the month: `third monday of`.
    WeekdayOfMonth,
    /// A day of the week, which moves the date forward to it.
    Weekday,
    /// A distance: `+2 days`, `last month`.
    Distance,
    /// `ago`, which turns all distances before it around.
    Ago,
    /// A year of five digits, which is not a date, as an example in MongoDB's manual shows.
    TooLong,
}

/// The parts of forms, by their names in the table.
const PARTS: &[(&str, &str)] = &[
    // Blanks of one kind: common ones, or those that do not break a line, which programs put before `PM`.
    ("space", r"(?:[ \t]+|(?:\xc2\xa0)+|(?:\xe2\x80\xaf)+)"),
    ("hour24", "(?<hour>2[0-4]|[01]?[0-9])"),
    ("hour24lz", "(?<hour>2[0-4]|[01][0-9])"),
    ("hour12", "(?<hour>1[0-2]|0?[1-9])"),
    ("minute", "(?<minute>[0-5]?[0-9])"),
    ("minutelz", "(?<minute>[0-5][0-9])"),
    ("second", "(?<second>60|[0-5]?[0-9])"),
    ("secondlz", "(?<second>60|[0-5][0-9])"),
    ("fraction", r"\.(?<fraction>[0-9]+)"),
    ("meridian", r"(?<meridian>[AaPp])\.?[Mm]\.?(?=[\x00\t ]|\z)"),
    ("year", "(?<year>[0-9]{1,4})"),
    ("year2", "(?<year>[0-9]{2})"),
    ("year4", "(?<year>[0-9]{4})"),
    ("yearsigned", "(?<year>[+-]?[0-9]{4})"),
    ("month", "(?<month>1[0-2]|0?[0-9])"),
    ("monthlz", "(?<month>1[0-2]|0[0-9])"),
    ("day", "(?<day>3[01]|[0-2]?[0-9])(?:st|nd|rd|th)?"),
    ("daylz", "(?<day>3[01]|[0-2][0-9])"),
    (
        "dayofyear",
        "(?<day>36[0-6]|3[0-5][0-9]|[12][0-9]{2}|0[1-9][0-9]|00[1-9])",
    ),
    ("week", "(?<week>5[0-3]|[1-4][0-9]|0[1-9])"),
    (
        "monthfull",
        "(?<name>(?i:january|february|march|april|may|june|july|august|september|october|november|december|sept|jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec))",
    ),
    (
        "monthtext",
        "(?<name>(?i:january|february|march|april|may|june|july|august|september|october|november|december|sept|jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec)|VIII|VII|VI|IV|V|IX|XII|XI|X|III|II|I)",
    ),
    (
        "monthabbr",
        "(?<name>(?i:jan|feb|mar|apr|may|jun|jul|aug|sept|sep|oct|nov|dec))",
    ),
    ("correction", "(?<zone>{ahead})"),
    (
        "zone",
        r"(?<zone>{ahead}|[A-Z][a-z]+(?:[_/-][A-Za-z]+)+|\(?[A-Za-z]{1,6}\)?)",
    ),
    (
        "ahead",
        "(?:GMT)?[+-](?:{aheadseconds}|(?:2[0-4]|[01]?[0-9])(?::?[0-5]?[0-9])?)",
    ),
    (
        "aheadseconds",
        "(?:2[0-4]|[01][0-9])(?::[0-5][0-9]:(?:60|[0-5][0-9])|[0-5][0-9](?:60|[0-5][0-9]))",
    ),
    (
        "weekday",
        "(?<weekday>(?i:(?:sunday|monday|tuesday|wednesday|thursday|friday|saturday)s?|sun|mon|tue|wed|thu|fri|sat))",
    ),
    (
        "unit",
        "(?<unit>(?i:(?:millisecond|msec|microsecond|usec|µsec|second|sec|minute|min|hour|day|weekday|week|fortnight|forthnight|month|year)s?|ms|µs))",
    ),
    (
        "ordinal",
        "(?<ordinal>(?i:first|second|third|fourth|fifth|sixth|seventh|eighth|eight|ninth|tenth|eleventh|twelfth|next|last|previous|this))",
    ),
];

/// The forms, in timelib's order.
const FORMS: &[(&str, Meaning)] = &[
    (
        "(?<word>(?i:yesterday|now|noon|midnight|today|tomorrow))",
        Meaning::Named,
    ),
    ("@(?<seconds>-?[0-9]+)", Meaning::Seconds),
    (
        r"@(?<seconds>-?[0-9]+)\.(?<fraction>[0-9]{1,6})",
        Meaning::Seconds,
    ),
    ("(?<end>(?i:first|last)) (?i:day of)", Meaning::EndOfMonth),
    (
        "(?<around>(?i:back|front)) (?i:of) {hour24}(?:{space}?{meridian})?",
        Meaning::Around,
    ),
    ("{ordinal}{space}{weekday}{space}(?i:of)", Meaning::WeekdayOfMonth),
    ("{hour12}{space}?{meridian}", Meaning::Fields),
    ("{hour12}[:.]{minutelz}{space}?{meridian}", Meaning::Fields),
    (
        "{hour12}[:.]{minute}[:.]{secondlz}{space}?{meridian}",
        Meaning::Fields,
    ),
    (
        "{hour12}:{minutelz}:{secondlz}[:.](?<fraction>[0-9]+){meridian}",
        Meaning::Fields,
    ),
    ("[tT]{hour24}", Meaning::Fields),
    ("[tT]?{hour24}[:.]{minute}", Meaning::Fields),
    ("[tT]?{hour24}[:.]{minute}[:.]{second}", Meaning::Fields),
    ("[tT]?{hour24}[:.]{minute}[:.]{second}{fraction}", Meaning::Fields),
    ("(?<digits>[tT]?{hour24lz}{minutelz})", Meaning::CompactTime),
    ("[tT]?{hour24lz}{minutelz}{secondlz}", Meaning::Fields),
    ("{month}/{day}", Meaning::Fields),
    ("{month}/{day}/{year}", Meaning::Fields),
    ("{yearsigned}-{monthlz}-{daylz}", Meaning::Fields),
    ("{year4}/{monthlz}/{daylz}/?", Meaning::Fields),
    ("{year4}/{month}/{day}", Meaning::Fields),
    ("{year2}-{monthlz}-{daylz}", Meaning::Fields),
    ("[+-]?[0-9]{5,19}-{monthlz}-{daylz}", Meaning::TooLong),
    ("{year4}-{month}", Meaning::Fields),
    ("{year}-{month}-{day}", Meaning::Fields),
    (r"{day}[ \t.-]*{monthtext}[ \t.-]*{year}", Meaning::Fields),
    (r"{day}[.\t-]{month}[.-]{year4}", Meaning::Fields),
    (r"{day}[.\t]{month}\.{year2}", Meaning::Fields),
    (r"{monthtext}[ .\t-]*{year4}", Meaning::Fields),
    (r"{year4}[ .\t-]*{monthtext}", Meaning::Fields),
    (r"{monthtext}[ .\t-]*{day}[,.stndrh\t ]+{year}", Meaning::Fields),
    (
        r"{monthtext}[ .\t-]*{day}(?:[,.stndrh\t ]+|\x00|\z)",
        Meaning::Fields,
    ),
    (r"{day}[ .\t-]*{monthtext}", Meaning::Fields),
    ("{year4}{monthlz}{daylz}", Meaning::Fields),
    (
        "{year4}-{monthlz}-{daylz}T{hour24lz}:{minutelz}:{secondlz}{fraction}{correction}?",
        Meaning::Fields,
    ),
    (
        "{year4}{monthlz}{daylz}T{hour24}:{minutelz}:{secondlz}",
        Meaning::Fields,
    ),
    (
        "{year4}{monthlz}{daylz}[tT]{hour24}{minutelz}{secondlz}",
        Meaning::Fields,
    ),
    (
        "{year4}-{month}-{day}T{hour24}:{minute}:{second}",
        Meaning::Fields,
    ),
    (
        "{year4}:{monthlz}:{daylz} {hour24lz}:{minutelz}:{secondlz}",
        Meaning::Fields,
    ),
    ("{year4}[.-]?{dayofyear}", Meaning::Fields),
    ("{year4}-?W{week}-?(?<weekday>[0-7])", Meaning::Week),
    ("{year4}-?W{week}", Meaning::Week),
    ("{monthabbr}-{daylz}-{year}", Meaning::Fields),
    ("{year}-{monthabbr}-{daylz}", Meaning::Fields),
    (
        "{day}/{monthabbr}/{year4}:{hour24lz}:{minutelz}:{secondlz}{space}{correction}",
        Meaning::Fields,
    ),
    ("{year4}", Meaning::Year),
    ("(?i:ago)", Meaning::Ago),
    ("{weekday}", Meaning::Weekday),
    ("{ordinal}{space}(?:{unit}|{weekday})", Meaning::Distance),
    ("{monthfull}", Meaning::Fields),
    ("{zone}", Meaning::Zone),
    (
        r"{monthtext}[ .\t-]*{day}(?:[,.stndrh\t ]+|\z){hour12}[:.]{minutelz}(?:[:.]{secondlz})?{space}?{meridian}",
        Meaning::Fields,
    ),
    (
        r"{monthtext}[ .\t-]*{day}[,.stndrh\t ]+[tT]?{hour24}[:.]{minute}(?:[:.]{second})?",
        Meaning::Fields,
    ),
    (
        r"{monthtext}[ .\t-]*{day}[,.stndrh\t ]+[tT]?{hour24}[:.]{minute}[:.]{secondlz}{space}?{zone}",
        Meaning::Fields,
    ),
    (
        r"(?<amount>[+-]*[ \t]*[0-9]{1,13}){space}?(?:{unit}|{weekday})",
        Meaning::Distance,
    ),
];

struct Form {
    regex: Regex,
    meaning: Meaning,
}

static COMPILED: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let compiled = |&(form, meaning): &(&str, Meaning)| Form {
        regex: RegexBuilder::new()
            .jit_if_available(true)
            .build(&written_out(form))
            .expect("a test compiles every form of the table"),
        meaning,
    };
    FORMS.iter().map(compiled).collect()
});

/// The pattern of a form, from the beginning of a text.
fn written_out(form: &str) -> String {
    let whole = PARTS.iter().fold(form.to_owned(), |form, (name, pattern)| {
        form.replace(&format!("{{{name}}}"), pattern)
    });
    format!(r"\A(?:{whole})")
}

/// The longest form at the beginning of a text, and its groups.
pub(super) fn longest(text: &[u8]) -> Option<(Meaning, Captures<'_>)> {
    let mut best: Option<(usize, &Form)> = None;
    for form in COMPILED.iter() {
        let length = form
            .regex
            .find(text)
            .ok()
            .flatten()
            .map_or(0, |found| found.end());
        if length > best.map_or(0, |(longest, _)| longest) {
            best = Some((length, form));
        }
    }
    let (_, form) = best?;
    let captures = form.regex.captures(text).ok().flatten()?;
    Some((form.meaning, captures))
}

#[cfg(test)]
mod tests {
    use super::{COMPILED, FORMS, PARTS, written_out};

    #[test]
    fn every_form_is_written_out_and_compiles() {
        assert_eq!(COMPILED.len(), FORMS.len());
        for (form, _) in FORMS {
            let whole = written_out(form);
            let left = PARTS
                .iter()
                .find(|(name, _)| whole.contains(&format!("{{{name}}}")));
            assert!(left.is_none(), "{form}: {left:?}");
            // `<name>` names a group.
            assert!(!whole.replace("(?<", "").contains('<'), "{form}");
        }
    }
}
