//! The names of months and days of the week, in the languages in which dates may have them.

use crate::error::{Result, SearchError};
use value::civil::{DAYS, MONTHS};

/// A language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Locale {
    /// Java's root, whose names are English.
    #[default]
    Root,
    Dutch,
    French,
    German,
    Italian,
    Portuguese,
    Spanish,
}

/// Names as Java has them: in full, and what they are cut to.
#[derive(Debug)]
struct Names {
    months: [&'static str; 12],
    short_months: [&'static str; 12],
    /// From Monday.
    days: [&'static str; 7],
    short_days: [&'static str; 7],
}

static ROOT: Names = Names {
    months: MONTHS,
    short_months: [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ],
    days: DAYS,
    short_days: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
};
static DUTCH: Names = Names {
    months: [
        "januari",
        "februari",
        "maart",
        "april",
        "mei",
        "juni",
        "juli",
        "augustus",
        "september",
        "oktober",
        "november",
        "december",
    ],
    short_months: [
        "jan", "feb", "mrt", "apr", "mei", "jun", "jul", "aug", "sep", "okt", "nov", "dec",
    ],
    days: [
        "maandag",
        "dinsdag",
        "woensdag",
        "donderdag",
        "vrijdag",
        "zaterdag",
        "zondag",
    ],
    short_days: ["ma", "di", "wo", "do", "vr", "za", "zo"],
};
static FRENCH: Names = Names {
    months: [
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ],
    short_months: [
        "janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc.",
    ],
    days: [
        "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche",
    ],
    short_days: ["lun.", "mar.", "mer.", "jeu.", "ven.", "sam.", "dim."],
};
static GERMAN: Names = Names {
    months: [
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ],
    short_months: [
        "Jan", "Feb", "Mrz", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez",
    ],
    days: [
        "Montag",
        "Dienstag",
        "Mittwoch",
        "Donnerstag",
        "Freitag",
        "Samstag",
        "Sonntag",
    ],
    short_days: ["Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"],
};
static ITALIAN: Names = Names {
    months: [
        "gennaio",
        "febbraio",
        "marzo",
        "aprile",
        "maggio",
        "giugno",
        "luglio",
        "agosto",
        "settembre",
        "ottobre",
        "novembre",
        "dicembre",
    ],
    short_months: [
        "gen", "feb", "mar", "apr", "mag", "giu", "lug", "ago", "set", "ott", "nov", "dic",
    ],
    days: [
        "lunedì",
        "martedì",
        "mercoledì",
        "giovedì",
        "venerdì",
        "sabato",
        "domenica",
    ],
    short_days: ["lun", "mar", "mer", "gio", "ven", "sab", "dom"],
};
static PORTUGUESE: Names = Names {
    months: [
        "Janeiro",
        "Fevereiro",
        "Março",
        "Abril",
        "Maio",
        "Junho",
        "Julho",
        "Agosto",
        "Setembro",
        "Outubro",
        "Novembro",
        "Dezembro",
    ],
    short_months: [
        "Jan", "Fev", "Mar", "Abr", "Mai", "Jun", "Jul", "Ago", "Set", "Out", "Nov", "Dez",
    ],
    days: [
        "Segunda-feira",
        "Terça-feira",
        "Quarta-feira",
        "Quinta-feira",
        "Sexta-feira",
        "Sábado",
        "Domingo",
    ],
    short_days: ["Seg", "Ter", "Qua", "Qui", "Sex", "Sáb", "Dom"],
};
static SPANISH: Names = Names {
    months: [
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ],
    short_months: [
        "ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic",
    ],
    days: [
        "lunes",
        "martes",
        "miércoles",
        "jueves",
        "viernes",
        "sábado",
        "domingo",
    ],
    short_days: ["lun", "mar", "mié", "jue", "vie", "sáb", "dom"],
};

impl Locale {
    /// The one of a name, of which the language counts: `de`, `de_AT`, `de-CH`.
    pub(super) fn parse(name: &str) -> Result<Locale> {
        let language = name.split(['_', '-']).next().unwrap_or_default();
        Ok(match language.to_ascii_lowercase().as_str() {
            "" | "root" | "en" => Locale::Root,
            "de" => Locale::German,
            "es" => Locale::Spanish,
            "fr" => Locale::French,
            "it" => Locale::Italian,
            "nl" => Locale::Dutch,
            "pt" => Locale::Portuguese,
            _ => {
                return Err(SearchError::unsupported(format!(
                    "the locale [{name}] of dates that name months or days"
                )));
            }
        })
    }

    fn names(self) -> &'static Names {
        match self {
            Locale::Root => &ROOT,
            Locale::Dutch => &DUTCH,
            Locale::French => &FRENCH,
            Locale::German => &GERMAN,
            Locale::Italian => &ITALIAN,
            Locale::Portuguese => &PORTUGUESE,
            Locale::Spanish => &SPANISH,
        }
    }

    /// The names of months, from January.
    pub(super) fn months(self, is_short: bool) -> &'static [&'static str; 12] {
        let names = self.names();
        if is_short {
            &names.short_months
        } else {
            &names.months
        }
    }

    /// The names of days, from Monday.
    pub(super) fn days(self, is_short: bool) -> &'static [&'static str; 7] {
        let names = self.names();
        if is_short { &names.short_days } else { &names.days }
    }
}

#[cfg(test)]
mod tests {
    use crate::dates::{DateFormats, Rounding};
    use jiff::tz::TimeZone;

    #[test]
    fn months_and_days_are_named_in_the_language_of_the_field() {
        let text = "Mi, 06 Dez 2000 02:55:00 -0800";
        let formats = DateFormats::parse("E, d MMM yyyy HH:mm:ss Z").expect("a format");
        let german = formats.clone().in_locale("de").expect("a language");
        let ms = german.read(text, &TimeZone::UTC, Rounding::Down);
        assert_eq!(ms, Some(976_100_100_000));
        assert_eq!(formats.read(text, &TimeZone::UTC, Rounding::Down), None);
        assert_eq!(
            german.write(976_100_100_000, &TimeZone::UTC),
            "Mi, 6 Dez 2000 10:55:00 +0000"
        );
        assert!(formats.in_locale("tlh").is_err());
        let digits = DateFormats::parse("yyyy").expect("a format");
        assert!(digits.in_locale("tlh").is_ok());
    }
}
