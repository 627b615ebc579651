//! BSON values as JavaScript sees them.

use base64::{Engine, engine::general_purpose::STANDARD};
use javascript::rquickjs::function::IntoArgs;
use javascript::rquickjs::object::Property;
use javascript::rquickjs::{Array, Ctx, Function, IntoJs, Object, Result, Value};
use value::{ArrayRef, DocumentRef, ValueRef};

/// Makes values in one context.
pub(super) struct ToScript<'a, 'js> {
    ctx: &'a Ctx<'js>,
    host: &'a Object<'js>,
}

impl<'a, 'js> ToScript<'a, 'js> {
    pub(super) fn new(ctx: &'a Ctx<'js>, host: &'a Object<'js>) -> ToScript<'a, 'js> {
        ToScript { ctx, host }
    }

    pub(super) fn value(&self, value: ValueRef<'_>) -> Result<Value<'js>> {
        let ctx = self.ctx;
        match value {
            ValueRef::Double(number) => Ok(Value::new_float(ctx.clone(), number)),
            ValueRef::Int32(number) => Ok(Value::new_int(ctx.clone(), number)),
            ValueRef::String(text) | ValueRef::Symbol(text) => text.into_js(ctx),
            ValueRef::Bool(value) => Ok(Value::new_bool(ctx.clone(), value)),
            ValueRef::Null => Ok(Value::new_null(ctx.clone())),
            ValueRef::Undefined => Ok(Value::new_undefined(ctx.clone())),
            ValueRef::Document(document) => self.document(document),
            ValueRef::Array(array) => self.array(array),
            ValueRef::Int64(number) => self.make("long", (number.to_string(),)),
            ValueRef::Decimal128(number) => self.make("decimal", (number.to_string(),)),
            ValueRef::ObjectId(id) => self.make("objectId", (id.to_string(),)),
            ValueRef::DateTime(milliseconds) => self.make("date", (milliseconds as f64,)),
            ValueRef::Timestamp(time) => self.make("timestamp", (time.seconds, time.increment)),
            ValueRef::Binary { subtype, bytes } => self.make("binData", (subtype, STANDARD.encode(bytes))),
            ValueRef::Regex { pattern, options } => self.make("regex", (pattern, flags(options))),
            ValueRef::DbPointer { namespace, id } => self.make("dbPointer", (namespace, id.to_string())),
            ValueRef::JavaScript(code) => self.make("code", (code,)),
            ValueRef::JavaScriptWithScope { code, scope } => self.make("code", (code, self.document(scope)?)),
            ValueRef::MinKey => self.make("minKey", ()),
            ValueRef::MaxKey => self.make("maxKey", ()),
        }
    }

    fn document(&self, document: DocumentRef<'_>) -> Result<Value<'js>> {
        let object = Object::new(self.ctx.clone())?;
        for (name, value) in document.iter() {
            // Defined, not assigned: `__proto__` is a field like others.
            let property = Property::from(self.value(value)?);
            object.prop(name, property.writable().configurable().enumerable())?;
        }
        Ok(object.into_value())
    }

    fn array(&self, elements: ArrayRef<'_>) -> Result<Value<'js>> {
        let array = Array::new(self.ctx.clone())?;
        for (at, element) in elements.iter().enumerate() {
            array.set(at, self.value(element)?)?;
        }
        Ok(array.into_value())
    }

    fn make(&self, kind: &str, parts: impl IntoArgs<'js>) -> Result<Value<'js>> {
        let make: Function<'js> = self.host.get(kind)?;
        make.call(parts)
    }
}

/// The options that JavaScript's patterns have too.
fn flags(options: &str) -> String {
    options
        .chars()
        .filter(|option| "imsu".contains(*option))
        .collect()
}
