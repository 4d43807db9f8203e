// How a project's sums grew, or one volunteer's; each look is fetched as fine as it is shown.
import { useState } from "preact/hooks";
import { api } from "../api.ts";
import { isWhole, type Span, whole } from "../chart.ts";
import { bytes, number, plural } from "../format.ts";
import type { Series } from "../model.ts";
import { now } from "../now.ts";
import { useResource } from "../resource.ts";
import { Problem, Skeleton } from "./basics.tsx";
import { Chart } from "./chart.tsx";

export function useGrowth(slug: string, volunteer = "") {
  return useResource(`charts ${slug} ${volunteer}`, () => api.charts(slug, { volunteer }), { every: 60 });
}

type GrowthProps = { slug: string; of: keyof Series; label: string; volunteer?: string };

export function Growth({ slug, of, label, volunteer = "" }: GrowthProps) {
  const { data, error } = useGrowth(slug, volunteer);
  const [span, setSpan] = useState<Span | null>(null);
  const finer = useResource<Series | null>(
    `charts ${slug} ${volunteer} ${span ? `${span.from} ${span.to}` : ""}`,
    async () => (span ? api.charts(slug, { volunteer, since: span.from, until: span.to }) : null),
    { every: 60 },
  );
  if (!data) return error ? <Problem error={error} /> : <Skeleton rows={2} kind="block" />;
  if (!data[of].length) return <p class="faint">The line begins with the first report.</p>;
  const all = whole(data[of], Math.max(now.value, data[of].at(-1)?.[0] ?? 0));
  return (
    <>
      <Problem error={finer.error} />
      <Chart label={label} all={all} span={span ?? all} onSpan={(wanted) => setSpan(isWhole(wanted, all) ? null : wanted)}
        points={(span && finer.data ? finer.data : data)[of]} say={of === "bytes" ? bytes : number} binary={of === "bytes"} />
    </>
  );
}

export function itemsAndBytes(items: number, size: number): string {
  return `${plural(items, "item")}, ${bytes(size)}`;
}
