//! Documents and arrays written down in Rust as one would write them in JSON.

/// A [`Document`](crate::Document): `doc! {"a": 1, "b": [1, "x", null], "c": {"d": true}}`.
///
/// Values are `null`, nested `{…}` and `[…]`, or any expression that is `Into<Value>` (an integer literal is an
/// `i32`). A name is a literal, a variable, or an expression in parentheses.
#[macro_export]
macro_rules! doc {
    ($($fields:tt)*) => {{
        #[allow(unused_mut)]
        let mut document = $crate::Document::new();
        $crate::__fields!(document; $($fields)*);
        document
    }};
}

/// A `Vec<Value>`, its elements written as in [`doc!`](crate::doc).
#[macro_export]
macro_rules! array {
    ($($elements:tt)*) => {{
        #[allow(unused_mut)]
        let mut elements = ::std::vec::Vec::<$crate::Value>::new();
        $crate::__elements!(elements; $($elements)*);
        elements
    }};
}

#[doc(hidden)]
#[macro_export]
macro_rules! __fields {
    ($document:ident;) => {};
    ($document:ident; $name:tt : null $(, $($rest:tt)*)?) => {
        $document.push($name, $crate::Value::Null);
        $crate::__fields!($document; $($($rest)*)?);
    };
    ($document:ident; $name:tt : { $($inner:tt)* } $(, $($rest:tt)*)?) => {
        $document.push($name, $crate::doc! { $($inner)* });
        $crate::__fields!($document; $($($rest)*)?);
    };
    ($document:ident; $name:tt : [ $($inner:tt)* ] $(, $($rest:tt)*)?) => {
        $document.push($name, $crate::array![ $($inner)* ]);
        $crate::__fields!($document; $($($rest)*)?);
    };
    ($document:ident; $name:tt : $value:expr $(, $($rest:tt)*)?) => {
        $document.push($name, $value);
        $crate::__fields!($document; $($($rest)*)?);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __elements {
    ($array:ident;) => {};
    ($array:ident; null $(, $($rest:tt)*)?) => {
        $array.push($crate::Value::Null);
        $crate::__elements!($array; $($($rest)*)?);
    };
    ($array:ident; { $($inner:tt)* } $(, $($rest:tt)*)?) => {
        $array.push($crate::Value::Document($crate::doc! { $($inner)* }));
        $crate::__elements!($array; $($($rest)*)?);
    };
    ($array:ident; [ $($inner:tt)* ] $(, $($rest:tt)*)?) => {
        $array.push($crate::Value::Array($crate::array![ $($inner)* ]));
        $crate::__elements!($array; $($($rest)*)?);
    };
    ($array:ident; $value:expr $(, $($rest:tt)*)?) => {
        $array.push($crate::Value::from($value));
        $crate::__elements!($array; $($($rest)*)?);
    };
}
