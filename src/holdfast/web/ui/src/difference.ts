// What a change changed, field by field. Pure.

export type Change = { field: string; before?: unknown; after?: unknown };
type Facts = Record<string, unknown> | null;

export function difference(before: Facts, after: Facts): Change[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const changes: Change[] = [];
  for (const field of names) {
    const was = before?.[field];
    const is = after?.[field];
    if (JSON.stringify(was) === JSON.stringify(is)) continue;
    changes.push({ field, ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { after: is }) });
  }
  return changes;
}

export function spell(value: unknown): string {
  if (value === null) return "nothing";
  if (value === true) return "yes";
  if (value === false) return "no";
  if (value === "") return "empty";
  if (Array.isArray(value)) return value.length ? value.map(spell).join(", ") : "none";
  if (typeof value === "object") return Object.entries(value as object).map(([name, one]) => `${name}: ${spell(one)}`).join("; ");
  return String(value);
}
