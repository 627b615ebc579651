//! Grades of students in classes: which class has the best average, quizzes left out?

use super::questions::Answer;
use crate::workload::scramble;
use std::collections::BTreeMap;

const CLASSES: u64 = 30;
const CLASSES_OF_A_STUDENT: u64 = 5;

pub const PIPELINE: &str = r#"[
    {"$unwind": "$scores"},
    {"$match": {"scores.type": {"$ne": "quiz"}}},
    {"$group": {"_id": {"class": "$class_id", "student": "$student_id"}, "mean": {"$avg": "$scores.score"}}},
    {"$group": {"_id": "$_id.class", "mean": {"$avg": "$mean"}}},
    {"$sort": {"mean": -1}},
    {"$limit": 1}
]"#;
pub const SQL: &str = "SELECT class, avg(mean) FROM (\
                         SELECT doc->>'class_id' class, avg((s->>'score')::float8) mean \
                         FROM grades, jsonb_array_elements(doc->'scores') s WHERE s->>'type' <> 'quiz' \
                         GROUP BY doc->>'class_id', doc->>'student_id') students \
                       GROUP BY 1 ORDER BY 2 DESC LIMIT 1";

pub const DUCKDB: &str = "SELECT class, avg(mean) FROM (\
                            SELECT class, avg((s->>'score')::float8) mean FROM (\
                              SELECT doc->>'class_id' class, doc->>'student_id' student, \
                                     unnest(from_json(doc->'scores', '[\"json\"]')) s FROM grades) scores \
                            WHERE (s->>'type') <> 'quiz' GROUP BY class, student) students \
                          GROUP BY 1 ORDER BY 2 DESC LIMIT 1";

/// What one student got in one class: the numbers of both, and a kind and a score of each work.
fn grades(number: u64) -> (u64, u64, Vec<(&'static str, f64)>) {
    let (student, nth) = (number / CLASSES_OF_A_STUDENT, number % CLASSES_OF_A_STUDENT);
    // Classes that lie apart, so that no student takes one twice.
    let class = (scramble(student) + nth * (CLASSES / CLASSES_OF_A_STUDENT)) % CLASSES;
    let homeworks = 1 + scramble(number) % 4;
    let kinds = ["exam", "quiz"]
        .into_iter()
        .chain((0..homeworks).map(|_| "homework"));
    let scores = kinds.enumerate().map(|(at, kind)| {
        let random = scramble(number * 16 + at as u64);
        (kind, (random % 100_000) as f64 / 1000.0)
    });
    (student, class, scores.collect())
}

/// The grades of one student in one class.
pub fn json(number: u64) -> String {
    let (student, class, scores) = grades(number);
    let scores: Vec<String> = scores
        .iter()
        .map(|(kind, score)| format!("{{\"type\":\"{kind}\",\"score\":{score:?}}}"))
        .collect();
    let scores = scores.join(",");
    format!("{{\"student_id\":{student},\"class_id\":{class},\"scores\":[{scores}]}}")
}

/// The best class and its average.
pub fn answer(documents: u64) -> Answer {
    let mut classes = BTreeMap::<u64, Vec<f64>>::new();
    for (_, class, scores) in (0..documents).map(grades) {
        let counted = scores.iter().filter(|(kind, _)| *kind != "quiz");
        let counted: Vec<f64> = counted.map(|(_, score)| *score).collect();
        classes.entry(class).or_default().push(mean(&counted));
    }
    let means = classes.iter().map(|(class, means)| (class, mean(means)));
    let best = means.max_by(|left, right| left.1.total_cmp(&right.1));
    best.map_or_else(Answer::default, |(class, mean)| Answer::of(class, mean))
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}
