// Text as it comes, in lines, rows and elements: nothing is held but what has no end yet.

/** Lines, of whose ends a carriage return is still there. @param {AsyncIterable<string>} chunks */
async function* ended(chunks) {
  let begun = "";
  for await (const chunk of chunks) {
    const parts = (begun + chunk).split("\n");
    begun = parts.pop();
    yield* parts;
  }
  if (begun) yield begun;
}

const withoutEnd = (line) => (line.endsWith("\r") ? line.slice(0, -1) : line);

/** Lines without their ends. @param {AsyncIterable<string>} chunks */
export async function* lines(chunks) {
  for await (const line of ended(chunks)) yield withoutEnd(line);
}

/** Characters of a row, as much as a document holds. */
const ROW_MAX = 16 << 20;

/** Rows of comma-separated values (RFC 4180); lines within a cell end as they are written. @param {AsyncIterable<string>} chunks @param {string} delimiter */
export async function* rows(chunks, delimiter) {
  let [begun, size, isOpen] = [[], 0, false];
  for await (const line of ended(chunks)) {
    begun.push(line);
    size += line.length;
    if ((line.split('"').length - 1) % 2) isOpen = !isOpen;
    // One quotation mark too many would take all that follows for one cell.
    if (isOpen && size < ROW_MAX) continue;
    const text = withoutEnd(begun.join("\n"));
    [begun, size, isOpen] = [[], 0, false];
    if (text) yield text.includes('"') ? quoted(text, delimiter) : text.split(delimiter);
  }
  if (begun.length) yield quoted(withoutEnd(begun.join("\n")), delimiter);
}

function quoted(text, delimiter) {
  const cells = [];
  let [cell, isQuoted] = ["", false];
  for (let at = 0; at < text.length; at++) {
    const c = text[at];
    if (isQuoted && c === '"' && text[at + 1] === '"') [cell, at] = [cell + c, at + 1];
    else if (c === '"') isQuoted = !isQuoted;
    else if (c === delimiter && !isQuoted) [cell] = [cells.push(cell) && ""];
    else cell += c;
  }
  return [...cells, cell];
}

/**
 * The texts of the elements of a JSON array, as they stand, or of objects that stand one behind another.
 * @param {AsyncIterable<string>} chunks @param {1 | 2} level how many brackets an element is within, with its own
 */
export async function* elements(chunks, level) {
  let [text, start, depth, isString] = ["", -1, 0, false];
  let at = 0;
  for await (const chunk of chunks) {
    text += chunk;
    for (; at < text.length; at++) {
      const c = text[at];
      if (isString) {
        if (c === "\\") at++;
        else if (c === '"') isString = false;
      } else if (c === '"') isString = true;
      else if (c === "{" || c === "[") {
        if (++depth === level) start = at;
      } else if (c === "}" || c === "]") {
        if (--depth === level - 1) {
          yield text.slice(start, at + 1);
          [text, at, start] = [text.slice(at + 1), -1, -1];
        }
      }
    }
    if (start < 0) [text, at] = ["", at - text.length];
  }
  if (depth > 0) throw new Error("the last bracket is missing");
}
