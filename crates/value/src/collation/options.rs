//! MongoDB's description of a collation, read strictly, and completed with what the language says.

use crate::decimal::Rounding;
use crate::{Document, Type, Value, ValueRef, doc};
use icu_collator::options::{
    AlternateHandling, CaseLevel, CollatorOptions, MaxVariable, ResolvedCollatorOptions, Strength,
};
use icu_collator::preferences::{CollationCaseFirst, CollationNumericOrdering};
use icu_collator::{Collator, CollatorBorrowed, CollatorPreferences};
use icu_locale_core::Locale;

/// Why a description is refused. A protocol says it in its own words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CollationError {
    /// There is no such option.
    #[error("a collation has no option '{0}'")]
    Unknown(String),
    /// An option that must be there is not.
    #[error("a collation needs the option '{0}'")]
    Missing(&'static str),
    /// An option has a value of another type.
    #[error("the option '{option}' of a collation is of the type '{}', not '{wanted}'", .found.alias())]
    WrongType {
        /// The option.
        option: &'static str,
        /// The type of its value.
        found: Type,
        /// The type that it should have.
        wanted: &'static str,
    },
    /// An option that takes one of a few words has another one.
    #[error("the option '{option}' of a collation cannot be '{word}'")]
    NotAChoice {
        /// The option.
        option: &'static str,
        /// Its value.
        word: String,
    },
    /// A strength that there is not.
    #[error("the strength of a collation is one of 1 to 5, not {0}")]
    Strength(String),
    /// A locale that there is not, or options that exclude each other.
    #[error("{0}")]
    Invalid(String),
    /// The combination of options exists, but not here.
    #[error("{0}")]
    NotSupported(String),
    /// Another version of the rules is asked for than the one that is there.
    #[error("{0}")]
    OtherVersion(String),
}

/// The version of ICU that MongoDB states; no other is taken.
const VERSION: &str = "57.1";

/// The one locale that compares accents from the end by default.
const CANADIAN_FRENCH: &str = "fr_CA";

/// Languages whose order is that of Unicode (CLDR's root collation).
const WITHOUT_RULES: [&str; 13] = [
    "ca", "de", "en", "fr", "ga", "id", "it", "lb", "ms", "nl", "pt", "sw", "zu",
];

/// The languages that MongoDB has collations for (MongoDB manual, "Collation Locales and Default Parameters").
const LANGUAGES: &str = "af am ar as az be bg bn bo br bs ca ceb chr cs cy da de dsb dz ee el en eo es et fa fi fil fo fr fy ga gl \
     gu ha haw he hi hr hsb hu hy id ig is it ja ka kk kl km kn ko kok ku ky lb lkt ln lo lt lv mk ml mn mr ms mt my nb ne \
     nl nn no om or pa pl ps pt ro ru se si sk sl smn sq sr sv sw ta te th to tr ug uk ur uz vi wae wo yi yo zh zu";

/// Their locales of a script, a country or a variant of a country.
const LOCALES: [&str; 8] = [
    "bs_Cyrl",
    "de_AT",
    "en_US",
    "en_US_POSIX",
    "fa_AF",
    "fr_CA",
    "sr_Latn",
    "zh_Hant",
];

/// Their variants, of which none is a locale's usual order; `emoji` and `eor` are variants of all.
const VARIANTS: [(&str, &str); 22] = [
    ("ar", "compat"),
    ("bn", "traditional"),
    ("de", "phonebook"),
    ("de_AT", "phonebook"),
    ("es", "traditional"),
    ("fi", "traditional"),
    ("ja", "unihan"),
    ("kn", "traditional"),
    ("ko", "unihan"),
    ("ln", "phonetic"),
    ("si", "dictionary"),
    ("vi", "traditional"),
    ("zh", "big5han"),
    ("zh", "gb2312han"),
    ("zh", "stroke"),
    ("zh", "unihan"),
    ("zh", "zhuyin"),
    ("zh_Hant", "big5han"),
    ("zh_Hant", "gb2312han"),
    ("zh_Hant", "pinyin"),
    ("zh_Hant", "unihan"),
    ("zh_Hant", "zhuyin"),
];

fn invalid<T>(message: String) -> Result<T, CollationError> {
    Err(CollationError::Invalid(message))
}

/// The collator and all of its options; `None` if the order is that of bytes.
pub(super) fn parse(
    options: &Document,
) -> Result<Option<(CollatorBorrowed<'static>, Document)>, CollationError> {
    check_fields(options)?;
    let locale = match options.get("locale") {
        Some(Value::String(locale)) => locale.as_str(),
        Some(other) => return wrong_type("locale", other, "string"),
        None => return Err(CollationError::Missing("locale")),
    };
    let wanted = wanted(options)?;
    let case_first = choice(
        options,
        "caseFirst",
        &[
            ("upper", CollationCaseFirst::Upper),
            ("lower", CollationCaseFirst::Lower),
            ("off", CollationCaseFirst::False),
        ],
    )?;
    let numeric = flag(options, "numericOrdering")?;
    let normalization = flag(options, "normalization")?.unwrap_or(false);
    let backwards = match options.get("backwards") {
        Some(null @ Value::Null) => return wrong_type("backwards", null, "bool"),
        _ => flag(options, "backwards")?,
    };
    check_version(options)?;
    // The order of bytes, whatever else is asked for.
    if locale == "simple" {
        return Ok(None);
    }
    let backwards = backwards.unwrap_or(locale == CANADIAN_FRENCH);
    let mut preferences = preferences(ordered_as(locale, backwards)?)?;
    preferences.case_first = case_first.or(preferences.case_first);
    if let Some(numeric) = numeric {
        preferences.numeric_ordering = Some(match numeric {
            true => CollationNumericOrdering::True,
            false => CollationNumericOrdering::False,
        });
    }
    let Ok(collator) = Collator::try_new(preferences, wanted) else {
        return invalid(format!("Field 'locale' is invalid in the collation: {locale}"));
    };
    let resolved = collator.resolved_options();
    check_case_first(&resolved)?;
    let description = describe(locale, &resolved, normalization, backwards);
    Ok(Some((collator, description)))
}

/// Refuses what MongoDB refuses of a description that can be followed: a locale that has no order of its own, which ICU would
/// replace by another, and accents from the end where none are compared.
pub(super) fn check_asked(description: &Document) -> Result<(), CollationError> {
    let locale = description.get("locale").map(Value::as_ref);
    let locale = locale.and_then(ValueRef::as_str).unwrap_or_default();
    let (name, variant) = match locale.split_once("@collation=") {
        Some((name, variant)) => (name, Some(variant)),
        None => (locale, None),
    };
    let has_variant =
        |variant: &str| matches!(variant, "emoji" | "eor") || VARIANTS.contains(&(name, variant));
    let nearest = if name.contains('_') && !LOCALES.contains(&name) {
        name.split('_').next()
    } else if variant.is_some_and(|variant| !has_variant(variant)) {
        Some(name)
    } else {
        None
    };
    if let Some(nearest) = nearest {
        return invalid(format!(
            "Field 'locale' is invalid in the collation: '{locale}'. Did you mean '{nearest}'?"
        ));
    }
    let has = |option: &str, value: Value| description.get(option) == Some(&value);
    if has("backwards", Value::Bool(true)) && has("strength", Value::Int32(1)) {
        return invalid("'backwards' is invalid with 'strength' of 1".to_owned());
    }
    Ok(())
}

/// What is compared, whatever the locale is.
fn wanted(options: &Document) -> Result<CollatorOptions, CollationError> {
    let mut wanted = CollatorOptions::default();
    wanted.strength = strength(options)?;
    wanted.case_level = flag(options, "caseLevel")?.map(|on| if on { CaseLevel::On } else { CaseLevel::Off });
    wanted.alternate_handling = choice(
        options,
        "alternate",
        &[
            ("non-ignorable", AlternateHandling::NonIgnorable),
            ("shifted", AlternateHandling::Shifted),
        ],
    )?;
    wanted.max_variable = choice(
        options,
        "maxVariable",
        &[("punct", MaxVariable::Punctuation), ("space", MaxVariable::Space)],
    )?;
    Ok(wanted)
}

fn check_fields(options: &Document) -> Result<(), CollationError> {
    const KNOWN: [&str; 10] = [
        "locale",
        "caseLevel",
        "caseFirst",
        "strength",
        "numericOrdering",
        "alternate",
        "maxVariable",
        "normalization",
        "backwards",
        "version",
    ];
    match options.iter().find(|(name, _)| !KNOWN.contains(name)) {
        Some((name, _)) => Err(CollationError::Unknown(name.to_owned())),
        None => Ok(()),
    }
}

/// The locale whose rules are those of this one with accents compared from the end, or not. The library takes that from
/// the language alone: only Canadian French does, whose order is otherwise that of all languages without rules of their
/// own.
fn ordered_as(locale: &str, backwards: bool) -> Result<&str, CollationError> {
    match (locale, backwards) {
        (CANADIAN_FRENCH, true) => Ok(locale),
        (CANADIAN_FRENCH, false) => Ok("fr"),
        (_, false) => Ok(locale),
        (_, true) if preferences(locale).is_ok() && WITHOUT_RULES.contains(&language(locale)) => {
            Ok(CANADIAN_FRENCH)
        }
        (_, true) => {
            preferences(locale)?;
            let message = format!("collation.backwards is not supported for the locale '{locale}'");
            Err(CollationError::NotSupported(message))
        }
    }
}

/// The language of a locale that names no variant of its order.
fn language(locale: &str) -> &str {
    match locale.contains('@') {
        true => "",
        false => locale.split('_').next().unwrap_or(locale),
    }
}

/// ICU writes `zh_Hant@collation=stroke` what BCP 47 writes `zh-Hant-u-co-stroke`.
fn preferences(locale: &str) -> Result<CollatorPreferences, CollationError> {
    let unknown = || format!("Field 'locale' is invalid in the collation: '{locale}'");
    let (name, variant) = match locale.split_once("@collation=") {
        Some((name, variant)) => (name, Some(variant)),
        None => (locale, None),
    };
    let language = name.split('_').next().unwrap_or(name);
    if !LANGUAGES.split(' ').any(|known| known == language) {
        return invalid(unknown());
    }
    let name = name
        .strip_suffix("_POSIX")
        .map_or(name.to_owned(), |name| format!("{name}-posix"));
    let tag = match variant {
        Some("phonebook") => format!("{name}-u-co-phonebk"),
        Some("traditional") => format!("{name}-u-co-trad"),
        Some("dictionary") => format!("{name}-u-co-dict"),
        Some("gb2312han") => format!("{name}-u-co-gb2312"),
        Some("search") => return invalid(unknown()),
        Some(variant) => format!("{name}-u-co-{variant}"),
        None => name,
    };
    match tag.replace('_', "-").parse::<Locale>() {
        Ok(locale) => Ok(CollatorPreferences::from(&locale)),
        Err(_) => invalid(unknown()),
    }
}

fn strength(options: &Document) -> Result<Option<Strength>, CollationError> {
    let number = match options.get("strength") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Decimal128(number)) => number.round_to_place(0, Rounding::HalfEven).to_f64(),
        Some(number) if number.as_ref().is_number() => number.as_ref().as_f64().unwrap_or_default().trunc(),
        Some(other) => return wrong_type("strength", other, "number"),
    };
    Ok(Some(match number {
        1.0 => Strength::Primary,
        2.0 => Strength::Secondary,
        3.0 => Strength::Tertiary,
        4.0 => Strength::Quaternary,
        5.0 => Strength::Identical,
        _ => return Err(CollationError::Strength(number.to_string())),
    }))
}

fn flag(options: &Document, name: &'static str) -> Result<Option<bool>, CollationError> {
    match options.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(*flag)),
        Some(other) => wrong_type(name, other, "bool"),
    }
}

fn choice<T: Copy>(
    options: &Document,
    name: &'static str,
    choices: &[(&str, T)],
) -> Result<Option<T>, CollationError> {
    let text = match options.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text,
        Some(other) => return wrong_type(name, other, "string"),
    };
    match choices.iter().find(|(known, _)| known == text) {
        Some((_, choice)) => Ok(Some(*choice)),
        None => Err(CollationError::NotAChoice {
            option: name,
            word: text.clone(),
        }),
    }
}

fn check_version(options: &Document) -> Result<(), CollationError> {
    match options.get("version") {
        None | Some(Value::Null) => Ok(()),
        Some(Value::String(version)) if version == VERSION => Ok(()),
        Some(Value::String(version)) => Err(CollationError::OtherVersion(format!(
            "Requested collation version '{version}' is not that of this server, '{VERSION}'"
        ))),
        Some(other) => wrong_type("version", other, "string"),
    }
}

/// Upper or lower case first means nothing where case is not compared.
fn check_case_first(resolved: &ResolvedCollatorOptions) -> Result<(), CollationError> {
    let compares_case = resolved.strength >= Strength::Tertiary || resolved.case_level == CaseLevel::On;
    if resolved.case_first != CollationCaseFirst::False && !compares_case {
        return invalid(
            "'caseFirst' is invalid unless 'caseLevel' is on or 'strength' is greater than 2".to_owned(),
        );
    }
    Ok(())
}

fn wrong_type<T>(option: &'static str, found: &Value, wanted: &'static str) -> Result<T, CollationError> {
    Err(CollationError::WrongType {
        option,
        found: found.type_of(),
        wanted,
    })
}

fn describe(
    locale: &str,
    resolved: &ResolvedCollatorOptions,
    normalization: bool,
    backwards: bool,
) -> Document {
    let strength = match resolved.strength {
        Strength::Primary => 1,
        Strength::Secondary => 2,
        Strength::Tertiary => 3,
        Strength::Quaternary => 4,
        _ => 5,
    };
    let case_first = match resolved.case_first {
        CollationCaseFirst::Upper => "upper",
        CollationCaseFirst::Lower => "lower",
        _ => "off",
    };
    let alternate = match resolved.alternate_handling {
        AlternateHandling::Shifted => "shifted",
        _ => "non-ignorable",
    };
    let max_variable = match resolved.max_variable {
        MaxVariable::Space => "space",
        _ => "punct",
    };
    doc! {
        "locale": locale,
        "caseLevel": resolved.case_level == CaseLevel::On,
        "caseFirst": case_first,
        "strength": strength,
        "numericOrdering": resolved.numeric == CollationNumericOrdering::True,
        "alternate": alternate,
        "maxVariable": max_variable,
        "normalization": normalization,
        "backwards": backwards,
        "version": VERSION,
    }
}
