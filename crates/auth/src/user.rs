//! A user, in the form of MongoDB's `admin.system.users`.

use crate::role::{names_field, names_value};
use crate::{AuthError, Credentials, Mechanism, RoleName};
use value::{Document, Value, doc};

/// The database of users who are known by their certificates: they have no credentials.
pub const EXTERNAL: &str = "$external";

/// How MongoDB says, in place of credentials, that there are none.
const EXTERNAL_CREDENTIALS: &str = "external";

/// A user of one database.
#[derive(Clone, Debug, PartialEq)]
pub struct User {
    /// The database in which the user was made. Logins must name it (`authSource`).
    pub database: String,
    /// What the user logs in as, unique in its database.
    pub name: String,
    /// An id that a later user of the same name does not share.
    pub uuid: [u8; 16],
    /// The salted keys of each mechanism.
    pub credentials: UserCredentials,
    /// The roles.
    pub roles: Vec<RoleName>,
    /// `customData` of `createUser`, kept as it was given; `None` if none was given.
    pub custom_data: Option<Document>,
}

/// The salted keys of each mechanism that a user can log in with.
pub type UserCredentials = Vec<(Mechanism, Credentials)>;

impl User {
    /// `database.name`, which is the user's `_id`.
    pub fn id(&self) -> String {
        format!("{}.{}", self.database, self.name)
    }

    /// `name@database`, by which reports name the user.
    pub fn full_name(&self) -> String {
        format!("{}@{}", self.name, self.database)
    }

    /// The credentials for one mechanism, if the user has them.
    pub fn credentials_for(&self, mechanism: Mechanism) -> Option<&Credentials> {
        self.credentials
            .iter()
            .find(|(has, _)| *has == mechanism)
            .map(|(_, credentials)| credentials)
    }

    /// Makes credentials of a password for each mechanism. Takes some ten milliseconds of hashing each: not for an
    /// async thread. Fails if the password has characters that SASLprep forbids.
    pub fn derive_credentials(
        name: &str,
        password: &str,
        mechanisms: &[Mechanism],
    ) -> Result<UserCredentials, AuthError> {
        mechanisms
            .iter()
            .map(|mechanism| Ok((*mechanism, Credentials::new(*mechanism, name, password)?)))
            .collect()
    }

    /// Makes credentials for SCRAM-SHA-1 of the digest of a password that the client has made. Takes some ten milliseconds
    /// of hashing: not for an async thread.
    pub fn digested_credentials(digest: &str) -> Result<UserCredentials, AuthError> {
        Ok(vec![(Mechanism::ScramSha1, Credentials::of_digest(digest)?)])
    }

    /// The document that is stored.
    pub fn to_document(&self) -> Document {
        let mut credentials = Document::new();
        if self.database == EXTERNAL {
            credentials.push(EXTERNAL_CREDENTIALS, true);
        }
        for (mechanism, keys) in &self.credentials {
            credentials.push(mechanism.name(), keys.to_document());
        }
        let mut document = doc! {
            "_id": self.id(),
            "userId": uuid_value(self.uuid),
            "user": &self.name,
            "db": &self.database,
            "credentials": credentials,
        };
        if let Some(data) = &self.custom_data {
            document.push("customData", data.clone());
        }
        document.push("roles", names_value(&self.roles));
        document
    }

    /// Reads what [`User::to_document`] writes.
    pub fn from_document(document: &Document) -> Result<User, AuthError> {
        Ok(User {
            database: string_field(document, "db")?,
            name: string_field(document, "user")?,
            uuid: uuid_field(document)?,
            credentials: credentials_field(document)?,
            roles: names_field(document.into())?,
            custom_data: match document.get("customData") {
                Some(Value::Document(data)) => Some(data.clone()),
                _ => None,
            },
        })
    }

    /// The document that `usersInfo` shows, with the credentials only where they are asked for.
    pub fn describe(&self, show_credentials: bool, show_custom_data: bool) -> Document {
        let mut shown = self.to_document();
        let mechanisms: Value = match shown.get("credentials") {
            Some(Value::Document(credentials)) => {
                credentials.iter().map(|(name, _)| Value::from(name)).collect()
            }
            _ => Value::Array(Vec::new()),
        };
        shown.retain(|name, _| {
            (name != "credentials" || show_credentials) && (name != "customData" || show_custom_data)
        });
        shown.with("mechanisms", mechanisms)
    }
}

/// The [`user_digest`] of clients that have not logged in: the SHA-256 of the empty string.
pub const NOBODY_DIGEST: [u8; 32] = [
    0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4, 0xc8, 0x99, 0x6f, 0xb9, 0x24, 0x27,
    0xae, 0x41, 0xe4, 0x64, 0x9b, 0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55,
];

/// The SHA-256 of a user's full name (`name@database`), which keeps sessions of users apart.
pub fn user_digest(full_name: &str) -> [u8; 32] {
    let mut digest = [0; 32];
    let hash = Mechanism::ScramSha256.hash(full_name.as_bytes());
    digest.iter_mut().zip(hash).for_each(|(to, from)| *to = from);
    digest
}

fn uuid_value(uuid: [u8; 16]) -> Value {
    Value::Binary(value::Binary {
        subtype: 4,
        bytes: uuid.to_vec(),
    })
}

fn string_field(document: &Document, name: &'static str) -> Result<String, AuthError> {
    match document.get(name) {
        Some(Value::String(text)) => Ok(text.clone()),
        _ => Err(AuthError::Damaged(name)),
    }
}

fn uuid_field(document: &Document) -> Result<[u8; 16], AuthError> {
    match document.get("userId") {
        Some(Value::Binary(binary)) => binary.bytes.as_slice().try_into().ok(),
        _ => None,
    }
    .ok_or(AuthError::Damaged("userId"))
}

fn credentials_field(document: &Document) -> Result<UserCredentials, AuthError> {
    let Some(Value::Document(credentials)) = document.get("credentials") else {
        return Err(AuthError::Damaged("credentials"));
    };
    let mut out = Vec::new();
    for (name, keys) in credentials
        .iter()
        .filter(|(name, _)| *name != EXTERNAL_CREDENTIALS)
    {
        let Value::Document(keys) = keys else {
            return Err(AuthError::Damaged("credentials"));
        };
        let mechanism = Mechanism::parse(name)?;
        out.push((mechanism, Credentials::from_document(mechanism, keys)?));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ada() -> User {
        User {
            database: "shop".into(),
            name: "ada".into(),
            uuid: [3; 16],
            credentials: User::derive_credentials("ada", "secret", &Mechanism::ALL).unwrap(),
            roles: vec![RoleName::new("readWrite", "shop")],
            custom_data: Some(doc! {"desk": 4}),
        }
    }

    #[test]
    fn a_user_survives_its_stored_form() {
        let user = ada();
        assert_eq!(User::from_document(&user.to_document()).unwrap(), user);
    }

    #[test]
    fn a_user_known_by_a_certificate_has_no_credentials() {
        let user = User {
            database: EXTERNAL.into(),
            name: "CN=ada,O=Example".into(),
            credentials: Vec::new(),
            ..ada()
        };
        let stored = user.to_document();
        assert_eq!(stored.get("credentials"), Some(&doc! {"external": true}.into()));
        assert_eq!(User::from_document(&stored).unwrap(), user);
        let mechanisms = vec![Value::from("external")];
        let shown = user.describe(false, true);
        assert_eq!(shown.get("mechanisms"), Some(&Value::Array(mechanisms)));
    }

    #[test]
    fn a_digest_stands_for_the_password() {
        let mechanism = Mechanism::ScramSha1;
        let digest = mechanism.prepare("ada", "secret").unwrap();
        let credentials = User::digested_credentials(&digest).unwrap();
        assert!(credentials[0].1.are_of(mechanism, "ada", "secret"));
        assert!(!credentials[0].1.are_of(mechanism, "ada", &digest));
    }

    #[test]
    fn credentials_are_shown_only_where_asked_for() {
        assert!(!ada().describe(false, true).contains("credentials"));
        assert!(ada().describe(true, true).contains("credentials"));
    }

    #[test]
    fn logs_never_show_keys() {
        let text = format!("{:?}", ada());
        assert!(!text.contains("stored_key"), "{text}");
    }
}
