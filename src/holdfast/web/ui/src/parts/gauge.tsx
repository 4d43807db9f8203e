// Figures as shapes: how full something is, and how it went lately.
import { bytes, number, share as percent } from "../format.ts";

/** The filled part of a line; words beside it say what it means. */
export function Bar({ value, of, tone = "good" }: { value: number; of: number; tone?: "good" | "warm" | "bad" }) {
  const full = of > 0 ? Math.min(1, value / of) : 0;
  return (
    <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect class="meter-bed" width="100" height="4" rx="2" />
      <rect class={`meter-${tone}`} width={Math.max(full > 0 ? 1 : 0, full * 100)} height="4" rx="2" />
    </svg>
  );
}

export function Meter({ value, of, label }: { value: number; of: number; label: string }) {
  const full = of > 0 ? value / of : 0;
  return (
    <span class="meter">
      <Bar value={value} of={of} tone={full > 0.95 ? "bad" : full > 0.85 ? "warm" : "good"} />
      <span class="figure">{label}</span>
    </span>
  );
}

/** How much of something is there; to be whole is what it strives for. */
export function Has({ share }: { share: number }) {
  return (
    <span class="has">
      <Bar value={share} of={1} tone={share < 1 ? "warm" : "good"} />
      <span class="figure">{share < 1 ? percent(Math.min(share, 0.999), 1) : "all"}</span>
    </span>
  );
}

export function Speed({ of }: { of: number }) {
  return of > 0 ? <span class="figure">{bytes(of)}/s</span> : <span class="faint">—</span>;
}

const WIDE = 300;
const HIGH = 48;

/** Stands from the first moment at its full height: an empty line is a line too. */
export function Spark({ values, label }: { values: readonly number[]; label: string }) {
  const top = Math.max(1, ...values) * 1.15;
  const step = WIDE / 59;
  const left = WIDE - (values.length - 1) * step;
  const points = values.map((value, index) => `${(left + index * step).toFixed(1)},${(HIGH - 2 - (value / top) * (HIGH - 6)).toFixed(1)}`);
  const last = values.at(-1);
  return (
    <figure class="spark">
      <svg viewBox={`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none" role="img" aria-label={`${label}, lately: ${last === undefined ? "no figure yet" : number(Math.round(last))}`}>
        <path class="spark-bed" d={`M0 ${HIGH - 1}H${WIDE}`} />
        {points.length > 1 && <path class="spark-water" d={`M${points[0]} L${points.join(" ")} L${WIDE},${HIGH} L${left},${HIGH}Z`} />}
        {points.length > 1 && <polyline class="spark-line" points={points.join(" ")} />}
      </svg>
      <figcaption class="faint">{label}, while you watch</figcaption>
    </figure>
  );
}
