// A file for whoever looks at the page.

export function give(blob, name) {
  const to = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  to.click();
  setTimeout(() => URL.revokeObjectURL(to.href), 60_000);
}
