// Under which name somebody volunteers: kept in this browser, for a board asks nobody to sign in.
import { signal } from "@preact/signals";

const KEY = "holdfast.volunteer";

function read(): string {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return ""; // storage may be forbidden: then the name lasts as long as the page
  }
}

export const mine = signal(read());

export function remember(name: string): void {
  mine.value = name;
  try {
    if (name) localStorage.setItem(KEY, name);
    else localStorage.removeItem(KEY);
  } catch {
    // as above
  }
}
