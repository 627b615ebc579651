//! A script as a tree.

use crate::patterns::Pattern;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Declare(Vec<(Arc<str>, Option<Expression>)>),
    Evaluate(Expression),
    If(Expression, Vec<Statement>, Vec<Statement>),
    While(Expression, Vec<Statement>),
    /// The body comes before the first look at the condition.
    DoWhile(Vec<Statement>, Expression),
    For {
        begin: Option<Box<Statement>>,
        condition: Option<Expression>,
        next: Option<Expression>,
        body: Vec<Statement>,
    },
    ForEach(Arc<str>, Expression, Vec<Statement>),
    Return(Option<Expression>),
    Break,
    Continue,
    Throw(Expression),
    /// What is done where the first statements go wrong, with a name for why.
    Try(Vec<Statement>, Arc<str>, Vec<Statement>),
    Block(Vec<Statement>),
}

/// A function that a script declares.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) parameters: Vec<Arc<str>>,
    pub(crate) body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(crate) enum Expression {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    /// Shared, so that an evaluation makes no text anew.
    Text(Arc<str>),
    /// `/a/i`.
    Pattern(Arc<Pattern>),
    Name(String),
    List(Vec<Expression>),
    Map(Vec<(Expression, Expression)>),
    /// `a.b`; whether nothing comes of nothing (`a?.b`).
    Member(Box<Expression>, Arc<str>, bool),
    Index(Box<Expression>, Box<Expression>),
    /// `a.b(…)`; whether nothing comes of nothing.
    Call(Box<Expression>, String, Vec<Expression>, bool),
    /// `b(…)`.
    Function(String, Vec<Expression>),
    New(String, Vec<Expression>),
    Unary(&'static str, Box<Expression>),
    Binary(&'static str, Box<Expression>, Box<Expression>),
    Ternary(Box<Expression>, Box<Expression>, Box<Expression>),
    InstanceOf(Box<Expression>, String),
    Cast(String, Box<Expression>),
    /// `a = b`, `a += b`.
    Assign(Box<Expression>, Option<&'static str>, Box<Expression>),
    /// `a++`, `--a`: what is added, and whether the value is the one before.
    Step(Box<Expression>, i64, bool),
    /// The body of a lambda that has statements.
    Block(Vec<Statement>),
    /// `x -> …`.
    Lambda(Arc<[Arc<str>]>, Arc<Expression>),
}
