//! The codes of errors in groups. MongoDB runs groups by another engine than the rest, with codes of its own, unless a group names an
//! operator that this engine does not have, or stands behind a stage that it does not run.

use crate::{Code, QueryError};
use language::expression::names_operator;
use value::{Document, Value};

/// The accumulators that MongoDB's engine for groups does not have.
const NO_ACCUMULATORS: [&str; 3] = ["$accumulator", "$median", "$percentile"];

/// The operators of expressions that it does not have.
const NO_OPERATORS: [&str; 45] = [
    "$allElementsTrue",
    "$arrayElemAt",
    "$binarySize",
    "$bitAnd",
    "$bitNot",
    "$bitOr",
    "$bitXor",
    "$convert",
    "$filter",
    "$first",
    "$firstN",
    "$function",
    "$getField",
    "$indexOfArray",
    "$last",
    "$lastN",
    "$log",
    "$map",
    "$maxN",
    "$median",
    "$mergeObjects",
    "$meta",
    "$minN",
    "$percentile",
    "$reduce",
    "$replaceAll",
    "$replaceOne",
    "$setField",
    "$sigmoid",
    "$size",
    "$slice",
    "$split",
    "$toBool",
    "$toDate",
    "$toDecimal",
    "$toDouble",
    "$toHashedIndexKey",
    "$toInt",
    "$toLong",
    "$toObjectId",
    "$toString",
    "$toUUID",
    "$type",
    "$unsetField",
    "$zip",
];

/// The codes of the rest, each with how the message begins where several operators share it, and the codes in groups.
const CODES: &[(i32, &str, i32)] = &[
    (14, "$add only ", 7_157_723),
    (14, "can't $subtract ", 7_157_720),
    (14, "$multiply only ", 7_157_721),
    (14, "$divide only ", 7_157_719),
    (16_034, "", 5_155_603),
    (16_035, "", 5_155_602),
    (16_610, "", 4_848_403),
    (16_611, "", 7_157_718),
    (16_612, "", 7_157_722),
    (16_702, "", 7_158_201),
    (17_041, "", 7_158_300),
    (17_043, "", 7_158_101),
    (17_044, "", 7_158_100),
    (17_046, "", 7_158_100),
    (17_047, "", 7_158_101),
    (17_048, "", 7_158_101),
    (17_049, "", 7_158_101),
    (28_664, "", 7_158_000),
    (28_680, "", 7_157_701),
    (28_714, "", 7_157_710),
    (28_761, "", 7_157_708),
    (28_762, "", 5_154_200),
    (28_763, "", 5_154_200),
    (28_764, "", 5_154_201),
    (28_765, "$abs ", 7_157_700),
    (28_765, "$ceil ", 7_157_702),
    (28_765, "$floor ", 7_157_703),
    (28_765, "$exp ", 7_157_704),
    (28_765, "$ln ", 7_157_705),
    (28_765, "$log10 ", 7_157_707),
    (28_765, "$sqrt ", 7_157_709),
    (28_765, "$cos ", 7_157_802),
    (28_765, "$sin ", 7_157_802),
    (28_765, "$tan ", 7_157_802),
    (28_765, "$acos ", 7_157_802),
    (28_765, "$asin ", 7_157_802),
    (28_765, "$acosh ", 7_157_802),
    (28_765, "$atanh ", 7_157_802),
    (28_765, "$", 7_157_800),
    (28_766, "", 7_157_706),
    (31_393, "", 7_158_301),
    (34_435, "", 7_158_002),
    (34_443, "", 7_157_711),
    (34_444, "", 7_157_714),
    (34_445, "", 7_157_712),
    (34_446, "", 7_157_715),
    (34_447, "", 7_157_713),
    (34_448, "", 7_157_716),
    (34_449, "", 7_157_717),
    (34_471, "", 5_155_900),
    (34_473, "", 5_155_800),
    (40_066, "", 7_158_303),
    (40_081, "", 5_153_700),
    (40_386, "", 5_153_200),
    (40_390, "", 5_153_215),
    (40_400, "", 5_911_200),
    (50_699, "", 5_156_302),
    (50_700, "", 5_156_303),
    (50_989, "", 7_157_803),
    (51_044, "", 7_157_801),
    (51_045, "", 7_157_801),
    (51_081, "", 5_155_300),
    (51_082, "", 5_155_301),
    (51_083, "", 5_155_301),
    (51_104, "", 5_073_401),
    (51_105, "", 5_126_601),
    (2_942_504, "", 7_158_001),
    (5_687_301, "", 7_157_900),
    (5_687_302, "", 7_157_901),
    (5_733_415, "", 4_848_403),
];

/// Whether errors on documents have the codes of groups.
pub(super) fn has_own_codes(group: &Document) -> bool {
    let computes = |value: &Value| NO_OPERATORS.iter().any(|name| names_operator(value, name));
    group.iter().all(|(field, value)| match value {
        Value::Document(accumulator) if field != "_id" => accumulator
            .iter()
            .all(|(name, operand)| !NO_ACCUMULATORS.contains(&name) && !computes(operand)),
        id => !computes(id),
    })
}

/// An error on a document, with the code that it has in a group.
pub(super) fn in_group(error: QueryError) -> QueryError {
    match error {
        QueryError::Language(error) => {
            let code = group_code(&error).unwrap_or(error.code);
            QueryError::new(code, error.message)
        }
        other => other,
    }
}

fn group_code(error: &language::Error) -> Option<Code> {
    if error.is_division_by_zero {
        return Some(Code::location(4_848_401));
    }
    let number = error.code.number();
    let found = CODES
        .iter()
        .find(|(code, start, _)| *code == number && error.message.starts_with(*start));
    found.map(|(_, _, code)| Code::location(*code))
}
