// A file for whoever looks at the page.

export function give(blob, name) {
  const to = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  to.click();
  setTimeout(() => URL.revokeObjectURL(to.href), 60_000);
}

/** A line of comma-separated values. One value that is empty stands in quotes: a line with nothing on it is no record. */
export const csvLine = (values) => `${values.map(cell).join(",") || '""'}\r\n`;

function cell(value) {
  const text = typeof value === "object" && value ? JSON.stringify(value) : String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
