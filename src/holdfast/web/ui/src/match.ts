// Whether an address is the place that a pattern speaks of. Pure.

/** "/members/:who" against "/members/7" gives {who: "7"}; null when it is another place. */
export function match(pattern: string, path: string): Record<string, string> | null {
  const want = pattern.split("/");
  const have = path.replace(/(.)\/+$/, "$1").split("/");
  if (want.length !== have.length) return null;
  const found: Record<string, string> = {};
  for (const [index, part] of want.entries()) {
    const actual = have[index] ?? "";
    if (part.startsWith(":")) {
      if (!actual) return null;
      try {
        found[part.slice(1)] = decodeURIComponent(actual);
      } catch {
        return null;
      }
    } else if (part !== actual) return null;
  }
  return found;
}
