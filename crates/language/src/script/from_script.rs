//! Values that a script returns, as BSON.

use base64::{Engine, engine::general_purpose::STANDARD};
use javascript::rquickjs::{Array, Ctx, Exception, Function, Object, Result, Value as Script};
use value::{Binary, DbPointer, Document, ObjectId, Regex, Timestamp, Value};

/// How deep values nest, as in MongoDB.
const DEPTH_MAX: usize = 150;

/// Reads values of one context.
pub(super) struct FromScript<'a, 'js> {
    ctx: &'a Ctx<'js>,
    host: &'a Object<'js>,
}

impl<'a, 'js> FromScript<'a, 'js> {
    pub(super) fn new(ctx: &'a Ctx<'js>, host: &'a Object<'js>) -> FromScript<'a, 'js> {
        FromScript { ctx, host }
    }

    pub(super) fn value(&self, value: Script<'js>) -> Result<Value> {
        self.value_at(value, 0)
    }

    fn value_at(&self, value: Script<'js>, depth: usize) -> Result<Value> {
        if depth > DEPTH_MAX {
            return Err(self.wrong(&format!(
                "exceeded depth limit of {DEPTH_MAX} when converting js object to BSON. Do you have a cycle?"
            )));
        }
        if let Some(number) = value.as_number() {
            return Ok(Value::Double(number));
        }
        if let Some(value) = value.as_bool() {
            return Ok(Value::Bool(value));
        }
        if let Some(text) = value.as_string() {
            return Ok(Value::String(text.to_string()?));
        }
        if value.is_null() {
            return Ok(Value::Null);
        }
        if value.is_undefined() {
            return Ok(Value::Undefined);
        }
        if value.is_big_int() {
            return Err(self.wrong("cannot convert a BigInt to BSON: use NumberLong"));
        }
        if let Some(array) = value.as_array() {
            let elements = array.iter::<Script<'js>>();
            return elements
                .map(|element| self.value_at(element?, depth + 1))
                .collect::<Result<_>>();
        }
        let Some(object) = value.as_object() else {
            return Err(self.wrong(&format!("cannot convert a {} to BSON", value.type_name())));
        };
        let describe: Function<'js> = self.host.get("describe")?;
        match describe.call::<_, Option<Array<'js>>>((object.clone(),))? {
            Some(described) => self.typed(&described, depth),
            None => self.document(object, depth),
        }
    }

    fn document(&self, object: &Object<'js>, depth: usize) -> Result<Value> {
        let mut document = Document::new();
        for field in object.props::<String, Script<'js>>() {
            let (name, value) = field?;
            document.push(name, self.value_at(value, depth + 1)?);
        }
        Ok(Value::Document(document))
    }

    /// A value of a type that JavaScript does not have, from its description by `shell.js`.
    fn typed(&self, described: &Array<'js>, depth: usize) -> Result<Value> {
        let kind: String = described.get(0)?;
        let text = |at| described.get::<String>(at);
        Ok(match kind.as_str() {
            "long" => Value::Int64(self.parsed(&text(1)?)?),
            "int" => Value::Int32(described.get(1)?),
            "decimal" => Value::Decimal128(self.parsed(&text(1)?)?),
            "objectId" => Value::ObjectId(self.object_id(&text(1)?)?),
            "date" => Value::DateTime(described.get::<f64>(1)? as i64),
            "timestamp" => Value::Timestamp(Timestamp {
                seconds: described.get::<f64>(1)? as u32,
                increment: described.get::<f64>(2)? as u32,
            }),
            "binData" => Value::Binary(Binary {
                subtype: described.get(1)?,
                bytes: STANDARD
                    .decode(text(2)?)
                    .map_err(|_| self.wrong("BinData: invalid base64"))?,
            }),
            "regex" => Value::Regex(Regex {
                pattern: text(1)?,
                // BSON's options in their order, without those of JavaScript alone.
                options: text(2)?.chars().filter(|flag| "imsu".contains(*flag)).collect(),
            }),
            "dbPointer" => Value::DbPointer(DbPointer {
                namespace: text(1)?,
                id: self.object_id(&text(2)?)?,
            }),
            "javascript" => match self.value_at(described.get(2)?, depth + 1)? {
                Value::Document(scope) => Value::JavaScriptWithScope(text(1)?, scope),
                _ => Value::JavaScript(text(1)?),
            },
            "minKey" => Value::MinKey,
            _ => Value::MaxKey,
        })
    }

    fn object_id(&self, text: &str) -> Result<ObjectId> {
        self.parsed(text)
    }

    fn parsed<T: std::str::FromStr>(&self, text: &str) -> Result<T> {
        text.parse()
            .map_err(|_| self.wrong(&format!("cannot convert '{text}' to BSON")))
    }

    fn wrong(&self, message: &str) -> javascript::rquickjs::Error {
        Exception::throw_message(self.ctx, message)
    }
}
