//! The two kinds of text indexes, which differ in names and in what they are told of a sort.

/// The service of CouchDB that would search an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// Of indexes of the type `text`.
    Clouseau,
    /// Of indexes of the type `nouveau`.
    Nouveau,
}

impl Service {
    const ALL: [Service; 2] = [Service::Clouseau, Service::Nouveau];

    /// The type of its indexes, as clients name it.
    pub fn kind(self) -> &'static str {
        match self {
            Service::Clouseau => "text",
            Service::Nouveau => "nouveau",
        }
    }

    /// The service of the indexes of a type.
    pub fn of_kind(kind: &str) -> Option<Service> {
        Service::ALL.into_iter().find(|service| service.kind() == kind)
    }

    /// The member of design documents that has its indexes.
    pub const fn member(self) -> &'static str {
        match self {
            Service::Clouseau => "indexes",
            Service::Nouveau => "nouveau",
        }
    }

    /// The service whose indexes a member of design documents has.
    pub(crate) fn of_member(member: &str) -> Option<Service> {
        Service::ALL
            .into_iter()
            .find(|service| service.member() == member)
    }

    /// The types that fields of its indexes may have.
    pub(crate) fn field_types(self) -> &'static [&'static str] {
        match self {
            Service::Clouseau => &["boolean", "number", "string"],
            Service::Nouveau => &["boolean", "number", "string", "text"],
        }
    }

    /// The same as an error lists them.
    pub(crate) fn field_types_shown(self) -> &'static str {
        match self {
            Service::Clouseau => "boolean,number, or string",
            Service::Nouveau => "boolean,number,string or text",
        }
    }

    /// The name of the error where several of its indexes could answer.
    pub(crate) fn ambiguous(self) -> &'static str {
        match self {
            Service::Clouseau => "multiple_text_indexes",
            Service::Nouveau => "multiple_nouveau_indexes",
        }
    }
}
