// What the browser keeps between visits. One that keeps nothing forgets it with the tab.

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
    // It is full, or may keep nothing.
  }
}
