//! Functions in JavaScript: `$function`, and the two that `mapReduce` is made of.

use super::{Operator, Syntax, error, operator, type_name};
use crate::expression::evaluated::Evaluated;
use crate::expression::node::{Node, Operation, Scope};
use crate::expression::parse::Parser;
use crate::script::Program;
use crate::{Code, Result};
use value::{ArrayRef, Document, Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[
    operator("$function", Syntax::Own(parse_function)),
    operator("$_internalJsCall", Syntax::Own(parse_call)),
    operator("$_internalJsEmit", Syntax::Own(parse_emit)),
];

/// What is done with the function.
#[derive(Clone, Copy, Debug)]
enum Use {
    /// It is called with the elements of the operand, and its value is given.
    Call,
    /// It is called on the operand as `this`, and what it emits is given.
    Emit,
}

#[derive(Debug)]
struct ScriptCall {
    program: Program,
    operand: Node,
    used: Use,
}

fn parse_function(parser: &mut Parser<'_>, argument: &Value) -> Result<Node> {
    let argument = object("$function", argument)?;
    let body = required(argument, "body", Code::location(31_261), "The body function")?;
    let Node::Constant(Some(body)) = parser.operand(body)?.folded()? else {
        return Err(error(
            Code::location(31_432),
            "The body function must be a constant expression",
        ));
    };
    let (Value::String(source) | Value::JavaScript(source)) = body else {
        return Err(error(
            Code::location(31_262),
            "The body function must evaluate to type string or code",
        ));
    };
    let arguments = required(argument, "args", Code::location(31_263), "The args field")?;
    let operand = parser.operand(arguments)?;
    let language = required(argument, "lang", Code::location(31_418), "The lang field")?;
    if !matches!(language, Value::String(name) if name == "js") {
        return Err(error(
            Code::location(31_419),
            "Currently the only supported language specifier is 'js'.",
        ));
    }
    Ok(node(
        Program::new(vec![source], Document::new()),
        operand,
        Use::Call,
    ))
}

fn parse_call(parser: &mut Parser<'_>, argument: &Value) -> Result<Node> {
    parse_internal(parser, "$_internalJsCall", "args", argument, Use::Call)
}

fn parse_emit(parser: &mut Parser<'_>, argument: &Value) -> Result<Node> {
    parse_internal(parser, "$_internalJsEmit", "this", argument, Use::Emit)
}

/// `{eval: function, args or this: operand}`; the function may bring global variables.
fn parse_internal(
    parser: &mut Parser<'_>,
    name: &str,
    field: &str,
    argument: &Value,
    used: Use,
) -> Result<Node> {
    let argument = object(name, argument)?;
    let program = match required(argument, "eval", Code::location(31_222), "The map function")? {
        Value::String(source) | Value::JavaScript(source) => {
            Program::new(vec![source.clone()], Document::new())
        }
        Value::JavaScriptWithScope(source, scope) => Program::new(vec![source.clone()], scope.clone()),
        _ => {
            return Err(error(
                Code::location(31_224),
                "The map function must be of type string, code, or code w/ scope",
            ));
        }
    };
    let operand = required(argument, field, Code::location(31_223), "The operand")?;
    let operand = parser.operand(operand)?;
    Ok(node(program, operand, used))
}

fn node(program: Program, operand: Node, used: Use) -> Node {
    Node::Operation(Box::new(ScriptCall {
        program,
        operand,
        used,
    }))
}

fn object<'v>(name: &str, argument: &'v Value) -> Result<&'v Document> {
    match argument {
        Value::Document(argument) => Ok(argument),
        other => Err(error(
            Code::location(31_260),
            format!(
                "{name} requires an object as an argument, found: {}",
                other.type_of().alias()
            ),
        )),
    }
}

fn required<'v>(argument: &'v Document, field: &str, missing: Code, what: &str) -> Result<&'v Value> {
    argument
        .get(field)
        .ok_or_else(|| error(missing, format!("{what} must be specified.")))
}

impl Operation for ScriptCall {
    fn evaluate<'e>(&'e self, scope: &Scope<'e>) -> Result<Evaluated<'e>> {
        let operand = self.operand.evaluate(scope)?;
        let value = match (self.used, operand.get()) {
            (Use::Call, Some(ValueRef::Array(arguments))) => call(&self.program, arguments)?,
            (Use::Emit, Some(document @ ValueRef::Document(_))) => self.program.emits(0, document)?,
            (Use::Call, _) => {
                return Err(error(
                    Code::location(31_266),
                    "The args field must be of type array",
                ));
            }
            (Use::Emit, _) => {
                let message = format!("'this' must be an object, but found {}", type_name(&operand));
                return Err(error(Code::location(31_225), message));
            }
        };
        Ok(Evaluated::Owned(value))
    }

    fn operands(&mut self) -> Vec<&mut Node> {
        vec![&mut self.operand]
    }

    fn reads_document(&self) -> bool {
        self.operand.reads_document()
    }

    /// A function may give another value the next time, and take its time for it.
    fn is_foldable(&self) -> bool {
        false
    }
}

fn call(program: &Program, arguments: ArrayRef<'_>) -> Result<Value> {
    let arguments: Vec<ValueRef<'_>> = arguments.iter().collect();
    program.call(0, None, &arguments)
}
