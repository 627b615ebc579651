//! A find by `_id` in the bytes of a message.

use super::HEAD_BYTES;
use crate::arguments::{ReadConcern, ReadLevel, is_plain_mode};
use value::{DocumentRef, RawDocument, Timestamp, ValueRef};

/// Longer messages are no simple finds.
const MESSAGE_BYTES_MAX: usize = 4096;
/// Nothing but a whole command in the one section that follows, and one answer wanted.
const PLAIN_FLAGS_AND_KIND: [u8; 5] = [0; 5];

/// A find by `_id` alone.
#[derive(Debug)]
pub(super) struct FindById<'a> {
    pub(super) database: &'a str,
    pub(super) collection: &'a str,
    /// A value that equals nothing but itself, and no array's element.
    pub(super) id: ValueRef<'a>,
    /// The session's UUID.
    pub(super) session: Option<[u8; 16]>,
    /// The cluster time that the driver passes on.
    pub(super) cluster_time: Option<Timestamp>,
    /// The time that the read must be after.
    pub(super) after: Option<Timestamp>,
}

/// The arguments that are known here; each may come once.
#[derive(Clone, Copy)]
enum Argument {
    Find,
    Filter,
    Database,
    Limit,
    Skip,
    BatchSize,
    SingleBatch,
    Session,
    ClusterTime,
    ReadPreference,
    ReadConcern,
    TimeLimit,
    Comment,
}

impl<'a> FindById<'a> {
    /// Reads a whole message; `None` where it is anything but a find by `_id`, or is not in order.
    pub(super) fn read(message: &'a [u8]) -> Option<FindById<'a>> {
        if message.len() > MESSAGE_BYTES_MAX {
            return None;
        }
        let (head, body) = message.split_at_checked(HEAD_BYTES)?;
        // Seen before all is checked: the body's length, the type of its first field, its name.
        if !head.ends_with(&PLAIN_FLAGS_AND_KIND) || !body.get(4..)?.starts_with(b"\x02find\0") {
            return None;
        }
        FindById::of_command(RawDocument::new(body).ok()?)
    }

    fn of_command(command: RawDocument<'a>) -> Option<FindById<'a>> {
        let (mut database, mut collection, mut id) = (None, None, None);
        let (mut session, mut cluster_time, mut after) = (None, None, None);
        let mut seen = 0_u32;
        for (name, value) in command.iter() {
            let argument = Argument::of(name)?;
            let bit = 1 << argument as u32;
            if seen & bit != 0 {
                return None;
            }
            seen |= bit;
            match (argument, value) {
                (Argument::Find, ValueRef::String(name)) => collection = Some(name),
                (Argument::Filter, ValueRef::Document(filter)) => id = Some(id_of(filter)?),
                (Argument::Database, ValueRef::String(name)) => database = Some(name),
                (Argument::Limit, number) if whole(number)? >= 0 => {}
                (Argument::Skip, number) if whole(number)? == 0 => {}
                // A batch of none opens a cursor.
                (Argument::BatchSize, number) if whole(number)? > 0 => {}
                (Argument::SingleBatch, ValueRef::Bool(_)) => {}
                (Argument::Session, ValueRef::Document(id)) => session = Some(uuid_of(id)?),
                (Argument::ClusterTime, ValueRef::Document(passed)) => {
                    cluster_time = match passed.get("clusterTime") {
                        Some(ValueRef::Timestamp(time)) => Some(time),
                        _ => None,
                    };
                }
                (Argument::ReadPreference, ValueRef::Document(preference)) if is_plain_mode(preference) => {}
                (Argument::ReadConcern, ValueRef::Document(concern)) => {
                    let concern = ReadConcern::parse(concern).ok()?;
                    if concern.level != ReadLevel::Local {
                        return None;
                    }
                    after = concern.after;
                }
                // It is answered at once, whatever the limit is.
                (Argument::TimeLimit, number) if (0..=i64::from(i32::MAX)).contains(&whole(number)?) => {}
                (Argument::Comment, _) => {}
                _ => return None,
            }
        }
        Some(FindById {
            database: database?,
            collection: collection?,
            id: id?,
            session,
            cluster_time,
            after,
        })
    }
}

impl Argument {
    fn of(name: &str) -> Option<Argument> {
        Some(match name {
            "find" => Argument::Find,
            "filter" => Argument::Filter,
            "$db" => Argument::Database,
            "limit" => Argument::Limit,
            "skip" => Argument::Skip,
            "batchSize" => Argument::BatchSize,
            "singleBatch" => Argument::SingleBatch,
            "lsid" => Argument::Session,
            "$clusterTime" => Argument::ClusterTime,
            "$readPreference" => Argument::ReadPreference,
            "readConcern" => Argument::ReadConcern,
            "maxTimeMS" => Argument::TimeLimit,
            "comment" => Argument::Comment,
            _ => return None,
        })
    }
}

/// The `_id` that a filter asks for, where it asks for nothing else. Documents may hold operators, and what is null or an array
/// means more than itself.
fn id_of(filter: DocumentRef<'_>) -> Option<ValueRef<'_>> {
    let mut fields = filter.iter();
    let (name, id) = fields.next()?;
    let is_plain = matches!(
        id,
        ValueRef::String(_)
            | ValueRef::ObjectId(_)
            | ValueRef::Int32(_)
            | ValueRef::Int64(_)
            | ValueRef::Binary { .. }
            | ValueRef::DateTime(_)
            | ValueRef::Bool(_)
    );
    (name == "_id" && is_plain && fields.next().is_none()).then_some(id)
}

fn whole(number: ValueRef<'_>) -> Option<i64> {
    match number {
        ValueRef::Int32(number) => Some(number.into()),
        ValueRef::Int64(number) => Some(number),
        _ => None,
    }
}

/// `{id: UUID}`.
fn uuid_of(session: DocumentRef<'_>) -> Option<[u8; 16]> {
    let mut fields = session.iter();
    let id = match fields.next()? {
        ("id", ValueRef::Binary { subtype: 4, bytes }) => bytes.try_into().ok()?,
        _ => return None,
    };
    fields.next().is_none().then_some(id)
}
