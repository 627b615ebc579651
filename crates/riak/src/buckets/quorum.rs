//! How many copies a request asks for. One store has all copies of an object, so whatever can be asked for is there.

use super::BucketProperties;
use crate::error::{Result, RiakError};
use http::StatusCode;
use serde_json::Value;

/// A number of copies, or one of Riak's words for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quorum {
    One,
    Majority,
    All,
    Default,
    Count(u32),
}

/// Protocol buffers write the words as the highest numbers.
const ONE: u32 = u32::MAX - 1;
const QUORUM: u32 = u32::MAX - 2;
const ALL: u32 = u32::MAX - 3;
const DEFAULT: u32 = u32::MAX - 4;

impl Quorum {
    pub(crate) fn of_number(number: u32) -> Quorum {
        match number {
            ONE => Quorum::One,
            QUORUM => Quorum::Majority,
            ALL => Quorum::All,
            DEFAULT => Quorum::Default,
            count => Quorum::Count(count),
        }
    }

    pub(crate) fn to_number(self) -> u32 {
        match self {
            Quorum::One => ONE,
            Quorum::Majority => QUORUM,
            Quorum::All => ALL,
            Quorum::Default => DEFAULT,
            Quorum::Count(count) => count,
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Quorum> {
        Some(match text {
            "one" => Quorum::One,
            "quorum" => Quorum::Majority,
            "all" => Quorum::All,
            "default" => Quorum::Default,
            number => Quorum::Count(number.parse().ok()?),
        })
    }

    pub(crate) fn of_json(value: &Value) -> Option<Quorum> {
        match value {
            Value::String(text) => Quorum::parse(text),
            Value::Number(number) => Some(Quorum::Count(u32::try_from(number.as_u64()?).ok()?)),
            _ => None,
        }
    }

    pub(crate) fn to_json(self) -> Value {
        match self {
            Quorum::One => "one".into(),
            Quorum::Majority => "quorum".into(),
            Quorum::All => "all".into(),
            Quorum::Default => "default".into(),
            Quorum::Count(count) => count.into(),
        }
    }

    /// Refuses more copies than an object has.
    pub(crate) fn check(self, copies: u64) -> Result<()> {
        match self {
            Quorum::Count(count) if u64::from(count) > copies => Err(RiakError::too_few_copies(copies)),
            _ => Ok(()),
        }
    }
}

/// The quorums that a request names.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Quorums {
    pub(crate) r: Option<Quorum>,
    pub(crate) pr: Option<Quorum>,
    pub(crate) w: Option<Quorum>,
    pub(crate) dw: Option<Quorum>,
    pub(crate) pw: Option<Quorum>,
    pub(crate) rw: Option<Quorum>,
}

/// What a request does, by which it is known what quorums it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Read,
    Write,
    /// Riak reads what is to be deleted, unless it is told the clock.
    Delete {
        has_clock: bool,
    },
}

impl Quorums {
    /// Refuses more copies than an object has, where the request uses what it names; Riak passes over all else.
    pub(crate) fn check(&self, purpose: Purpose, copies: u64) -> Result<()> {
        let (reads, writes) = ([self.r, self.pr], [self.w, self.dw, self.pw]);
        // It stands for `w`, and for `r` where neither is named.
        let both = self.rw.filter(|_| matches!(self.w, None | Some(Quorum::Default)));
        let used: Vec<Option<Quorum>> = match purpose {
            Purpose::Read => reads.to_vec(),
            Purpose::Write => writes.to_vec(),
            Purpose::Delete { has_clock: true } => [&writes[..], &[both]].concat(),
            Purpose::Delete { has_clock: false } => [&reads[..], &writes, &[both]].concat(),
        };
        used.into_iter()
            .flatten()
            .try_for_each(|quorum| quorum.check(copies))
    }
}

/// Refuses to have a request confirmed by more nodes than there are, which is one: other than copies, nodes are machines (`node_confirms`
/// of the request, else of the bucket).
pub(crate) fn check_nodes(
    asked: Option<Quorum>,
    purpose: Purpose,
    properties: &BucketProperties,
) -> Result<()> {
    let copies = properties.copies();
    let asked = match (purpose, asked) {
        // What a deletion names is passed over.
        (Purpose::Delete { .. }, _) | (_, None | Some(Quorum::Default)) => properties.node_confirms(),
        (_, asked) => asked,
    };
    let wanted = match asked {
        None | Some(Quorum::Default) => 0,
        Some(Quorum::One) => 1,
        Some(Quorum::Majority) => copies / 2 + 1,
        Some(Quorum::All) => copies,
        Some(Quorum::Count(count)) => count.into(),
    };
    let unavailable = |why| RiakError::new(StatusCode::SERVICE_UNAVAILABLE, why);
    match purpose {
        _ if wanted <= 1 => Ok(()),
        Purpose::Write if wanted > copies => Err(RiakError::too_few_copies(copies)),
        Purpose::Write => Err(
            unavailable(format!("{{node_confirms_val_unsatisfied,{wanted},1}}"))
                .or_by_http(format!("node_confirms-value unsatisfied: 1/{wanted}")),
        ),
        // A deletion begins with a read.
        Purpose::Read | Purpose::Delete { .. } => {
            Err(unavailable(format!("{{insufficient_nodes,1,need,{wanted}}}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::DEFAULT_TYPE;
    use serde_json::json;

    #[test]
    fn quorums_of_other_requests_are_passed_over() {
        let (clockless, with_clock) = (
            Purpose::Delete { has_clock: false },
            Purpose::Delete { has_clock: true },
        );
        let five = Some(Quorum::Count(5));
        let named = |set: fn(&mut Quorums, Option<Quorum>)| {
            let mut quorums = Quorums::default();
            set(&mut quorums, five);
            quorums
        };
        let (r, pr) = (named(|all, five| all.r = five), named(|all, five| all.pr = five));
        let (w, dw) = (named(|all, five| all.w = five), named(|all, five| all.dw = five));
        let (pw, rw) = (named(|all, five| all.pw = five), named(|all, five| all.rw = five));
        let rw_and_w = Quorums {
            w: Some(Quorum::One),
            ..rw
        };
        for (quorums, refused) in [
            (r, [true, false, true, false]),
            (pr, [true, false, true, false]),
            (w, [false, true, true, true]),
            (dw, [false, true, true, true]),
            (pw, [false, true, true, true]),
            (rw, [false, false, true, true]),
            (rw_and_w, [false, false, false, false]),
        ] {
            let purposes = [Purpose::Read, Purpose::Write, clockless, with_clock];
            let found = purposes.map(|purpose| quorums.check(purpose, 3).is_err());
            assert_eq!(found, refused, "{quorums:?}");
            assert!(
                purposes
                    .into_iter()
                    .all(|purpose| quorums.check(purpose, 5).is_ok())
            );
        }
    }

    #[test]
    fn one_node_confirms_alone() {
        let mut properties = BucketProperties::defaults(DEFAULT_TYPE);
        let told = |properties: &BucketProperties, asked, purpose| {
            let checked = check_nodes(asked, purpose, properties);
            checked.map_err(|error| error.web_message().to_owned())
        };
        let gone = Purpose::Delete { has_clock: true };
        for asked in [
            None,
            Some(Quorum::Default),
            Some(Quorum::One),
            Some(Quorum::Count(1)),
        ] {
            for purpose in [Purpose::Read, Purpose::Write, gone] {
                assert_eq!(told(&properties, asked, purpose), Ok(()), "{asked:?}");
            }
        }
        let unsatisfied = |wanted| Err(format!("node_confirms-value unsatisfied: 1/{wanted}"));
        assert_eq!(
            told(&properties, Some(Quorum::Majority), Purpose::Write),
            unsatisfied(2)
        );
        assert_eq!(
            told(&properties, Some(Quorum::All), Purpose::Write),
            unsatisfied(3)
        );
        let too_many = told(&properties, Some(Quorum::Count(4)), Purpose::Write);
        assert_eq!(
            too_many,
            Err("Specified w/dw/pw values invalid for bucket n value of 3".to_owned())
        );
        let few = Err("{insufficient_nodes,1,need,2}".to_owned());
        assert_eq!(told(&properties, Some(Quorum::Count(2)), Purpose::Read), few);
        assert_eq!(told(&properties, Some(Quorum::Count(2)), gone), Ok(()));
        properties.0.insert("node_confirms".to_owned(), json!("quorum"));
        assert_eq!(told(&properties, None, Purpose::Write), unsatisfied(2));
        assert_eq!(told(&properties, None, gone), few);
        assert_eq!(told(&properties, Some(Quorum::One), Purpose::Write), Ok(()));
    }
}
