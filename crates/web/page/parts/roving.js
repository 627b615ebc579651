// Arrows move between the links of a list; Enter follows one, as everywhere.

export function moveInList(event) {
  const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
  if (!step || event.target.closest("input, textarea, select")) return;
  const links = [...event.currentTarget.querySelectorAll("tbody a[href], li a[href]")];
  const now = links.indexOf(document.activeElement);
  const next = links[Math.max(0, Math.min(links.length - 1, now < 0 ? 0 : now + step))];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
