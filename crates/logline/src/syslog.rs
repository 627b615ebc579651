//! Syslog: RFC 5424, RFC 3164, and the lines of files, where the priority is missing and the time may be of ISO 8601.

use crate::dates;
use crate::gathered::Gathered;
use crate::parser::Mismatch;
use crate::stamp::without_year;
use jiff::tz::TimeZone;
use value::{Document, Value};

const LEVELS: [&str; 8] = [
    "emerg", "alert", "crit", "error", "warning", "notice", "info", "debug",
];

const FACILITIES: [&str; 24] = [
    "kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "authpriv", "ftp",
    "ntp", "audit", "alert", "clock", "local0", "local1", "local2", "local3", "local4", "local5", "local6",
    "local7",
];

/// The bytes of `Jun 14 15:16:01`.
const OLD_TIME_BYTES: usize = 15;

/// The fields of a message. What has neither form but a priority is a message all the same, as RFC 3164 wants.
pub fn parse(line: &str, zone: &TimeZone, now_ms: i64) -> Result<Document, Mismatch> {
    let (priority, rest) = priority(line);
    let mut document = Document::new();
    if let Some(rest) = rest.strip_prefix("1 ").filter(|_| priority.is_some())
        && modern(rest, &mut document).is_some()
    {
        add_priority(&mut document, priority);
        return Ok(document);
    }
    document = Document::new();
    let time = old_time(rest, zone, now_ms).or_else(|| iso_time(rest, zone));
    let Some((time, rest)) = time else {
        if priority.is_none() {
            return Err(Mismatch(
                "a line of syslog begins with its priority or its time".to_owned(),
            ));
        }
        add_priority(&mut document, priority);
        document.push("message", rest);
        return Ok(document);
    };
    document.push("time", Value::DateTime(time));
    add_priority(&mut document, priority);
    host_and_tag(rest, &mut document);
    Ok(document)
}

/// The number that a line begins with between angle brackets, and what follows.
fn priority(line: &str) -> (Option<usize>, &str) {
    let parsed = line.strip_prefix('<').and_then(|rest| rest.split_once('>'));
    match parsed.and_then(|(number, rest)| Some((number.parse::<u8>().ok()?, rest))) {
        Some((number, rest)) if usize::from(number) < FACILITIES.len() * LEVELS.len() => {
            (Some(number.into()), rest)
        }
        _ => (None, line),
    }
}

fn add_priority(document: &mut Document, priority: Option<usize>) {
    if let Some(priority) = priority {
        document.push("level", LEVELS[priority % 8]);
        document.push("facility", FACILITIES[priority / 8]);
    }
}

/// `Jun 14 15:16:01`, or with a fraction of the second, and what follows it.
fn old_time<'a>(text: &'a str, zone: &TimeZone, now_ms: i64) -> Option<(i64, &'a str)> {
    let time = text.get(..OLD_TIME_BYTES)?;
    let rest = text.get(OLD_TIME_BYTES..)?;
    if !time.starts_with(|first: char| first.is_ascii_uppercase()) {
        return None;
    }
    let milliseconds = without_year("%b %e %H:%M:%S", time, zone, now_ms)?;
    let (fraction, rest) = fraction(rest);
    // Anything else right after it, such as an offset, would be taken for the host.
    let is_end = rest.is_empty() || rest.starts_with([' ', '\t', ':']);
    is_end.then(|| (milliseconds + fraction, rest.trim_start()))
}

/// The milliseconds of `.123`, which syslog-ng writes if it is told to (`frac-digits`), and what follows.
fn fraction(text: &str) -> (i64, &str) {
    let Some(after) = text.strip_prefix('.') else {
        return (0, text);
    };
    let count = after.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = after.split_at(count);
    if digits.is_empty() {
        return (0, text);
    }
    let thousandths: String = digits.chars().chain("000".chars()).take(3).collect();
    (thousandths.parse().unwrap_or(0), rest)
}

/// A time of ISO 8601, and what follows it.
fn iso_time<'a>(text: &'a str, zone: &TimeZone) -> Option<(i64, &'a str)> {
    let (time, rest) = text.split_once(' ')?;
    if !time.contains('T') {
        return None;
    }
    Some((dates::milliseconds_in(time, zone)?, rest.trim_start()))
}

/// `host program[pid]: message`. If no colon ends a tag, all that follows the host is message.
fn host_and_tag(rest: &str, document: &mut Document) {
    let (host, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    // Messages of a machine itself come through /dev/log without its name: the first word is the tag then.
    let (host, rest) = match host.strip_suffix(':') {
        Some(_) => (None, format!("{host} {rest}")),
        None => (Some(host), rest.to_owned()),
    };
    if let Some(host) = host.filter(|host| !host.is_empty()) {
        document.push("host", host);
    }
    let is_tag = |tag: &&str| !tag.is_empty() && !tag.contains(' ') && tag.len() <= 128;
    let tagged = rest.split_once(':').filter(|(tag, _)| is_tag(tag));
    let Some((tag, message)) = tagged else {
        document.push("message", rest);
        return;
    };
    let (program, pid) = match tag.strip_suffix(']').and_then(|tag| tag.rsplit_once('[')) {
        Some((program, pid)) => (program, Some(pid)),
        None => (tag, None),
    };
    document.push("program", program);
    if let Some(pid) = pid {
        document.push(
            "pid",
            pid.parse::<i64>()
                .map_or_else(|_| Value::from(pid), Value::integer),
        );
    }
    document.push("message", message.strip_prefix(' ').unwrap_or(message));
}

/// `TIME HOST PROGRAM PID MSGID DATA MESSAGE`, with a hyphen for what is missing.
fn modern(rest: &str, document: &mut Document) -> Option<()> {
    let mut words = rest.splitn(6, ' ');
    let time = words.next()?;
    if time != "-" {
        document.push("time", Value::DateTime(dates::milliseconds(time)?));
    }
    for name in ["host", "program", "pid", "msgid"] {
        let word = words.next()?;
        if word != "-" {
            let number = (name == "pid").then(|| word.parse::<i64>().ok()).flatten();
            document.push(name, number.map_or_else(|| Value::from(word), Value::integer));
        }
    }
    let rest = words.next()?;
    let message = match rest.strip_prefix('-') {
        Some(message) => message,
        None => {
            let (data, message) = structured(rest)?;
            document.push("data", data);
            message
        }
    };
    if !(message.is_empty() || message.starts_with(' ')) {
        return None;
    }
    let message = message.strip_prefix(' ').unwrap_or(message);
    document.push("message", message.strip_prefix('\u{feff}').unwrap_or(message));
    Some(())
}

/// `[id name="value" …][id …]`, and what follows. A name may come again within an element (RFC 5424, section 6.3.3).
fn structured(text: &str) -> Option<(Document, &str)> {
    let mut data = Gathered::default();
    let mut rest = text;
    while let Some(element) = rest.strip_prefix('[') {
        let end = element.find([' ', ']'])?;
        let (id, mut after) = element.split_at(end);
        let mut fields = Gathered::default();
        while let Some(field) = after.strip_prefix(' ') {
            let (name, quoted) = field.split_once("=\"")?;
            let (text, behind) = parameter(quoted)?;
            fields.add(checked_name(name)?, text);
            after = behind;
        }
        data.add(checked_name(id)?, Document::from(fields));
        rest = after.strip_prefix(']')?;
    }
    (!data.is_empty()).then_some((data.into(), rest))
}

/// A name as RFC 5424 allows it, but for its length and letters beyond ASCII; in particular without a zero byte.
fn checked_name(name: &str) -> Option<&str> {
    let is_wrong = |letter: char| letter.is_control() || matches!(letter, ' ' | '=' | ']' | '"');
    (!name.is_empty() && !name.contains(is_wrong)).then_some(name)
}

/// The value of a parameter up to its quotation mark, and what follows that.
fn parameter(quoted: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut letters = quoted.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((text, &quoted[at + 1..])),
            '\\' => match letters.next()? {
                (_, escaped @ ('"' | '\\' | ']')) => text.push(escaped),
                (_, other) => text.extend(['\\', other]),
            },
            other => text.push(other),
        }
    }
    None
}
