// What the page remembers. Where the browser lets it keep nothing (cookies are blocked), it remembers until it is closed.

const kept = new Map();

// `storage` is "localStorage" or "sessionStorage".
export function recall(storage, key) {
  try {
    return window[storage].getItem(key);
  } catch {
    return kept.get(key) ?? null;
  }
}

export function remember(storage, key, value) {
  kept.set(key, value);
  try {
    window[storage].setItem(key, value);
  } catch {
    // Said above.
  }
}
