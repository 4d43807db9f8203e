// A sum over time that one can look into: drawn over or by buttons, the narrower look is fetched finer.
import { useEffect, useRef, useState } from "preact/hooks";
import { across, atEnd, atStart, heights, isWhole, marks, moments, moved, type Span, spellMoment, within, zoomed } from "../chart.ts";
import { exact } from "../format.ts";
import type { Point } from "../model.ts";
import { sumAt } from "../progress.ts";
import { Button } from "./basics.tsx";

const HIGH = 240;
const LEFT = 64;
const RIGHT = 12;
const TOP = 12;
const FOOT = 26;

type ChartProps = {
  label: string;
  points: readonly Point[];
  span: Span;
  all: Span;
  onSpan: (span: Span) => void;
  say: (sum: number) => string;
  /** Bytes have their round numbers elsewhere. */
  binary?: boolean;
};

export function Chart({ label, points, span, all, onSpan, say, binary = false }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const wide = useWidth(box);
  const [at, setAt] = useState<number | null>(null);
  const [from, setFrom] = useState<number | null>(null);
  const line = across(points, span);
  const { low, high } = heights(line);
  const x = (time: number) => LEFT + ((time - span.from) / (span.to - span.from)) * (wide - LEFT - RIGHT);
  const y = (sum: number) => HIGH - FOOT - ((sum - low) / (high - low)) * (HIGH - FOOT - TOP);
  const timeAt = (event: PointerEvent) => {
    const inside = event.clientX - (box.current?.getBoundingClientRect().left ?? 0);
    const share = Math.min(1, Math.max(0, (inside - LEFT) / (wide - LEFT - RIGHT)));
    return span.from + share * (span.to - span.from);
  };
  const drawn = line.map(([time, sum]) => `${x(time).toFixed(1)},${y(sum).toFixed(1)}`);
  const release = (event: PointerEvent) => {
    const to = timeAt(event);
    if (from !== null && Math.abs(x(to) - x(from)) > 8) onSpan(within({ from: Math.min(from, to), to: Math.max(from, to) }, all));
    setFrom(null);
  };
  const here = at === null ? null : sumAt(line, at);
  const last = line.at(-1)?.[1];
  return (
    <figure class="chart">
      <div class="chart-plot" ref={box}>
        <svg viewBox={`0 0 ${wide} ${HIGH}`} width={wide} height={HIGH} role="img" aria-label={`${label}: ${last === undefined ? "nothing yet" : say(last)}`}
          onPointerMove={(event) => setAt(timeAt(event))}
          onPointerLeave={() => setAt(null)}
          onPointerDown={(event) => {
            if (event.pointerType === "touch" || event.button !== 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            setFrom(timeAt(event));
          }}
          onPointerUp={release}
          onPointerCancel={() => setFrom(null)}
          onDblClick={() => onSpan(all)}
        >
          {marks(low, high, binary).map((sum) => (
            <g key={sum}>
              <path class="chart-mark" d={`M${LEFT} ${y(sum)}H${wide - RIGHT}`} />
              <text x={LEFT - 8} y={y(sum) + 4} text-anchor="end">{say(sum)}</text>
            </g>
          ))}
          {moments(span, Math.max(2, Math.floor((wide - LEFT) / 70)), -new Date(span.to * 1000).getTimezoneOffset() * 60).map((time) => (
            <text key={time} x={Math.min(x(time), wide - 24)} y={HIGH - 6} text-anchor="middle">{spellMoment(time, span)}</text>
          ))}
          {drawn.length > 1 && <path class="chart-water" d={`M${x(span.from)},${y(low)} L${drawn.join(" ")} L${x(span.to)},${y(low)}Z`} />}
          {drawn.length > 1 && <polyline class="chart-line" points={drawn.join(" ")} />}
          {from !== null && at !== null && <rect class="chart-chosen" x={Math.min(x(from), x(at))} width={Math.abs(x(at) - x(from))} y={TOP} height={HIGH - FOOT - TOP} />}
          {at !== null && here !== null && (
            <g>
              <path class="chart-hand" d={`M${x(at)} ${TOP}V${HIGH - FOOT}`} />
              <circle class="chart-dot" cx={x(at)} cy={y(here)} r="5" />
            </g>
          )}
        </svg>
      </div>
      <figcaption class="chart-foot">
        <span class="faint figure">{at !== null && here !== null ? <><strong>{say(here)}</strong> {exact(at).replace(/:\d\d (\S+)$/, " $1")}</> : <span class="chart-hint">Draw over a part to look closer.</span>}</span>
        <span class="acts">
          <Button kind="quiet" icon="earlier" label="Earlier" disabled={atStart(span, all)} onClick={() => onSpan(moved(span, -0.5, all))} />
          <Button kind="quiet" icon="later" label="Later" disabled={atEnd(span, all)} onClick={() => onSpan(moved(span, 0.5, all))} />
          <Button kind="quiet" icon="zoom" label="Look closer" onClick={() => onSpan(zoomed(span, 0.5, all))} />
          <Button kind="quiet" icon="unzoom" label="Look from afar" disabled={isWhole(span, all)} onClick={() => onSpan(zoomed(span, 2, all))} />
          <Button kind="quiet" disabled={isWhole(span, all)} onClick={() => onSpan(all)}>All of it</Button>
        </span>
      </figcaption>
    </figure>
  );
}

/** Words in a drawing keep their size only when the drawing is as wide as its place. */
function useWidth(box: { current: HTMLElement | null }): number {
  const [wide, setWide] = useState(640);
  useEffect(() => {
    const place = box.current;
    if (!place) return undefined;
    const watch = new ResizeObserver(() => setWide(Math.max(240, Math.round(place.clientWidth))));
    watch.observe(place);
    return () => watch.disconnect();
  }, []);
  return wide;
}
