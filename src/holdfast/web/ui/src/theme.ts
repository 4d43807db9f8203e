// Light or dark: the system's preference, unless somebody chose, which is remembered.
import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";
const NAME = "holdfast.theme";

function chosen(): Theme {
  const value = document.documentElement.dataset.theme;
  return value === "light" || value === "dark" ? value : "system";
}

export const theme = signal<Theme>(chosen());

export function setTheme(next: Theme): void {
  theme.value = next;
  if (next === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  try {
    if (next === "system") localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, next);
  } catch {
    // Storage may be forbidden; the choice then lasts as long as the page.
  }
}
