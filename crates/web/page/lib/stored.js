// What the browser keeps between visits; where it may keep nothing, as long as the tab is open.

/** What a text says as JSON; something else where it says nothing. */
export function parsed(text, otherwise) {
  try {
    return JSON.parse(text) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function stored(key, otherwise) {
  try {
    return parsed(localStorage.getItem(key), otherwise);
  } catch {
    return otherwise;
  }
}

export function store(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The storage is full or forbidden.
  }
}
