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

/** The groups that have words. */
export const NAMED = GROUPS.filter(({ words }) => words.length).map(({ name }) => name);

/** The words of groups, as logs spell them. @param {...string} groups */
export const spellings = (...groups) => GROUPS.filter(({ name }) => groups.includes(name)).flatMap(({ words }) => words).flatMap((word) => [...new Set([word, word.toUpperCase(), word[0].toUpperCase() + word.slice(1)])]);

/** The levels of a group as a query on a field. */
export const queryOf = (field, group) => {
  const terms = (...groups) => ({ terms: { [field]: spellings(...groups) } });
  return group === "other" ? { bool: { must_not: [terms(...NAMED)] } } : terms(group);
};
