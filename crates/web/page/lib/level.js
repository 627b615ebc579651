// Levels as logs write them: names, letters, syslog's numbers; in four groups, each with its words.

export const GROUPS = [
  { name: "error", words: ["fatal", "critical", "crit", "emerg", "emergency", "alert", "panic", "severe", "error", "err", "f", "e"] },
  { name: "warn", words: ["warning", "warn", "w"] },
  { name: "info", words: ["notice", "information", "info", "i", "n"] },
  { name: "other", words: [] },
];

/** The group of a level. @param {unknown} level */
export function groupOf(level) {
  const text = String(level ?? "").toLowerCase();
  if (/^\d$/.test(text)) return Number(text) <= 3 ? "error" : Number(text) === 4 ? "warn" : Number(text) <= 6 ? "info" : "other";
  return GROUPS.find(({ words }) => words.includes(text))?.name ?? "other";
}

export const letterOf = (level) => (String(level ?? "")[0] ?? "").toUpperCase();

/** The levels of a group as a query on a field. */
export const queryOf = (field, group) => {
  const words = GROUPS.find(({ name }) => name === group).words;
  return { bool: { should: words.flatMap((word) => [word, word.toUpperCase(), word[0].toUpperCase() + word.slice(1)]).map((word) => ({ term: { [field]: word } })), minimum_should_match: 1 } };
};
