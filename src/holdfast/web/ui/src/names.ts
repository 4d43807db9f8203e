// Names of items as people hand them over, and a project's name as addresses have it. Pure.

/** One in a line, or apart by blanks; each once, in the order they came. */
export function namesIn(text: string): string[] {
  return [...new Set(text.split(/\s+/).filter(Boolean))];
}

export function* batches<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size);
}

/** "Café des Îles, 2026" becomes "cafe-des-iles-2026". */
export function slugOf(title: string): string {
  const plain = title.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
  return plain.replace(/[^a-z0-9]+/g, "-").slice(0, 40).replace(/^-+|-+$/g, "");
}

/** "web = Web pages", a line each, as a record; what has no sign of equality is its own name. */
export function pairsIn(text: string): Record<string, string> {
  const lines = text.split("\n").map((line) => line.trim()).filter(Boolean);
  return Object.fromEntries(lines.map((line) => {
    const [key = "", ...rest] = line.split("=");
    return [key.trim(), rest.join("=").trim() || key.trim()];
  }));
}

export function spellPairs(pairs: Record<string, string>): string {
  return Object.entries(pairs).map(([key, name]) => `${key} = ${name}`).join("\n");
}
