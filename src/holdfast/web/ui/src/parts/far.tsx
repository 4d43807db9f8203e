// How far a project is, as one bar: what is done, what is out, what was given up, what is still to do.
import { exactNumber } from "../format.ts";
import type { ItemCounts } from "../model.ts";
import { doneShare, type Part, PARTS, stretches } from "../progress.ts";
import { Count } from "./basics.tsx";

const SAYS: Record<Part, string> = { done: "done", out: "out with volunteers", failed: "failed", todo: "to do" };

export function Far({ counts, small = false }: { counts: ItemCounts; small?: boolean }) {
  const said = PARTS.map((part) => `${exactNumber(counts[part])} ${SAYS[part]}`).join(", ");
  return (
    <svg class={small ? "far-bar far-small" : "far-bar"} viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label={`${doneShare(counts)} done: ${said}`}>
      {stretches(counts).map((one) => <rect key={one.part} class={`part-${one.part}`} x={one.from} width={one.width} height="4" />)}
    </svg>
  );
}

export function FarLegend({ counts }: { counts: ItemCounts }) {
  return (
    <dl class="far-legend">
      {PARTS.filter((part) => part !== "failed" || counts.failed > 0).map((part) => (
        <div key={part}>
          <dt>{SAYS[part]}</dt>
          <svg viewBox="0 0 10 10" width="12" height="12" aria-hidden="true"><rect class={`part-${part}`} width="10" height="10" rx="3" /></svg>
          <dd><Count of={counts[part]} /></dd>
        </div>
      ))}
    </dl>
  );
}
