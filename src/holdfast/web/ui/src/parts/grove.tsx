// The swarm as one sees it from the shore: a stand of kelp, each stalk as tall as what its client has.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { share } from "../format.ts";
import { grove, lines, type Stalk } from "../grove.ts";
import type { Peer, Swarm } from "../model.ts";

const HIGH = 150;
const GROUND = 16;
const SKIN = 14;
const WIDEST = 58;

/** How wide an element is at present, in pixels; 0 until it is known. */
function useWidth() {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const measure = () => setWidth(element.clientWidth);
    const watch = new ResizeObserver(measure);
    measure();
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  return { ref, width };
}

export function Grove({ swarm, peers }: { swarm: Swarm; peers: readonly Peer[] }) {
  const { ref, width } = useWidth();
  const stalks = grove(swarm, peers);
  const slot = Math.min(WIDEST, (width - 24) / Math.max(1, stalks.length));
  const left = (width - slot * stalks.length) / 2;
  return (
    <div class="grove-water" ref={ref}>
      {width > 0 && (
        <svg width={width} height={HIGH} role="img" aria-label={told(swarm, stalks)}>
          <path class="grove-bed" d={`M0 ${HIGH}v-10c${width * 0.2}-10 ${width * 0.3} 2 ${width * 0.5}-4s${width * 0.3}-8 ${width * 0.5} 2v12z`} />
          {stalks.map((one, at) => (
            <Plant key={at} of={one} x={left + slot * (at + 0.5)} slot={slot} turn={at} />
          ))}
        </svg>
      )}
    </div>
  );
}

function told(swarm: Swarm, stalks: readonly Stalk[]): string {
  const growing = stalks.filter((one) => one.role !== "seeder");
  const middle = growing[Math.floor(growing.length / 2)];
  const seeders = `${swarm.seeders} reach the surface`;
  if (!middle) return `A stand of kelp: ${seeders}`;
  return `A stand of kelp: ${seeders}, ${swarm.leechers} still grow, half of them beyond ${share(middle.grown, 1)}`;
}

function Plant({ of, x, slot, turn }: { of: Stalk; x: number; slot: number; turn: number }) {
  const base = HIGH - GROUND;
  const { stipe, blades, top } = lines({ x, base, top: base - (base - SKIN) * Math.max(0.06, of.grown), slot, turn });
  const [tipX, tipY] = top;
  const size = Math.min(6.5, Math.max(2.5, slot * 0.17));
  return (
    <g class={`plant plant-${of.role}${of.own ? " plant-own" : ""}`}>
      <g class={`plant-sway plant-sway-${turn % 3}`}>
        <path class="stipe" d={stipe} />
        <path class="blade" d={blades} />
        {of.role === "leecher" ? <circle class="tip" cx={tipX} cy={tipY} r={size * 0.5} /> : <circle class={of.role === "seeder" ? "float float-lit" : "float"} cx={tipX} cy={tipY} r={size} />}
      </g>
      {of.taking && [0, 1, 2].map((one) => <circle key={one} class={`bubble bubble-${one}`} cx={tipX + size + one} cy={tipY - 4} r={1.4 + one * 0.4} />)}
      {of.own && <text class="plant-name" x={x} y={HIGH - 3}>you</text>}
    </g>
  );
}
