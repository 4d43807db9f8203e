// A swarm as a stand of kelp: which stalks stand in it, how far they have grown, and their lines. Pure.
import type { Peer, Swarm } from "./model.ts";

export type Stalk = { grown: number; role: Peer["role"]; own: boolean; taking: boolean };

/** Few enough for a phone; of a larger swarm each stands for several. */
export const MOST = 40;

function stalk(peer: Peer): Stalk {
  return { grown: peer.progress, role: peer.role, own: peer.own, taking: peer.speed_down > 0 };
}

/** `count` of the values, evenly taken from first to last. */
function spread<T>(values: readonly T[], count: number): T[] {
  return Array.from({ length: count }, (_, at) => values[Math.floor(((at + 0.5) * values.length) / count)] as T);
}

const tall = (a: Stalk, b: Stalk) => b.grown - a.grown || Number(b.own) - Number(a.own);

/** The tallest first. Of a large swarm some stand for all, in its own shares, and are nobody's in particular. */
export function grove(swarm: Pick<Swarm, "seeders" | "leechers">, peers: readonly Peer[], most = MOST): Stalk[] {
  const known = peers.map(stalk).sort(tall);
  const total = swarm.seeders + swarm.leechers;
  if (known.length <= most && known.length >= total) return known;
  const some = known.map((one) => ({ ...one, own: false }));
  const seeds = some.filter((one) => one.role === "seeder");
  const others = some.filter((one) => one.role !== "seeder");
  const room = Math.min(most, Math.max(total, known.length));
  const share = Math.round((room * swarm.seeders) / Math.max(1, total));
  const lit = Math.min(room - (others.length ? 1 : 0), Math.max(seeds.length ? 1 : 0, share));
  return [...(seeds.length ? spread(seeds, lit) : []), ...(others.length ? spread(others, room - lit) : [])];
}

export type Lines = { stipe: string; blades: string; top: [x: number, y: number] };
type Ground = { x: number; base: number; top: number; slot: number; turn: number };

const STEP = 9;
const WAVE = 24;

/** The lines of one stalk from the ground to its top; `turn` makes neighbours differ, always in the same way. */
export function lines({ x, base, top, slot, turn }: Ground): Lines {
  const reach = Math.min(21, slot * 0.6);
  const sway = Math.min(6, slot * 0.2);
  const at = (y: number) => x + sway * Math.sin((base - y) / WAVE + turn * 2.4) * Math.min(1, (base - y) / 30);
  const points: string[] = [];
  for (let y = base; y > top; y -= STEP) points.push(`${at(y).toFixed(1)} ${y.toFixed(1)}`);
  points.push(`${at(top).toFixed(1)} ${top.toFixed(1)}`);
  const blades: string[] = [];
  let side = turn % 2 ? 1 : -1;
  for (let y = base - 16; y > top + 4; y -= 16) {
    const wide = reach * Math.min(1, 0.45 + (y - top) / 60) * side;
    blades.push(`M${at(y).toFixed(1)} ${y.toFixed(1)}q${(wide * 0.3).toFixed(1)}-9 ${wide.toFixed(1)}-10q${(-wide * 0.2).toFixed(1)} 8 ${(-wide).toFixed(1)} 10z`);
    side = -side;
  }
  return { stipe: `M${points.join("L")}`, blades: blades.join(""), top: [at(top), top] };
}
