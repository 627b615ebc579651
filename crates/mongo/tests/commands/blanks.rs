//! Placeholders in requests for values that an earlier answer gives: `<cursor>`, `<session>`, `<uuid>`, and the messages of a
//! login.

use auth::ClientLogin;
use value::{Binary, Document, Value};

/// The name and the password with which `<first>` logs in.
pub const LOGIN: (&str, &str) = ("keeper", "larder");

/// Values from earlier answers.
#[derive(Default)]
pub struct Blanks {
    cursor: Option<Value>,
    session: Option<Value>,
    uuid: Option<Value>,
    login: Option<ClientLogin>,
    payload: Vec<u8>,
}

impl Blanks {
    /// Keeps the values that later requests may refer to.
    pub fn learn(&mut self, reply: &Document) {
        if let Some(Value::Document(cursor)) = reply.get("cursor") {
            self.cursor = cursor.get("id").cloned();
            self.uuid = listed_uuid(cursor).cloned().or_else(|| self.uuid.take());
        }
        if let Some(id @ Value::Document(_)) = reply.get("id") {
            self.session = Some(id.clone());
        }
        if let Some(Value::Binary(payload)) = reply.get("payload") {
            self.payload.clone_from(&payload.bytes);
        }
    }

    /// The request with its placeholders filled in.
    pub fn fill(&mut self, request: &Document) -> Document {
        let mut request = request.clone();
        request.iter_mut().for_each(|(_, value)| self.fill_in(value));
        request
    }

    fn fill_in(&mut self, value: &mut Value) {
        match value {
            Value::String(text) if text.starts_with('<') => *value = self.meant_by(text),
            Value::Document(document) => document.iter_mut().for_each(|(_, inner)| self.fill_in(inner)),
            Value::Array(array) => array.iter_mut().for_each(|inner| self.fill_in(inner)),
            _ => {}
        }
    }

    fn meant_by(&mut self, blank: &str) -> Value {
        match blank {
            "<cursor>" => self.cursor.clone().expect("a cursor was answered"),
            "<session>" => self.session.clone().expect("a session was answered"),
            "<uuid>" => self.uuid.clone().expect("a collection was listed"),
            "<first>" => {
                let login = ClientLogin::new(LOGIN.0, LOGIN.1).unwrap();
                bytes(&self.login.insert(login).first())
            }
            "<proof>" => {
                let login = self.login.as_mut().expect("a login has begun");
                bytes(&login.answer(&self.payload).unwrap().unwrap_or_default())
            }
            other => panic!("what is {other}?"),
        }
    }
}

/// The UUID of the first collection that `listCollections` shows in its cursor.
pub fn listed_uuid(cursor: &Document) -> Option<&Value> {
    let Value::Array(listed) = cursor.get("firstBatch")? else {
        return None;
    };
    let info = listed.first()?.as_document()?.get("info")?;
    info.as_document()?.get("uuid")
}

pub fn bytes(bytes: &[u8]) -> Value {
    let bytes = bytes.to_vec();
    Value::Binary(Binary { subtype: 0, bytes })
}
