// The swarm of an upload, as it is this moment: counts, a picture, and every client in it.
import { api } from "../../api.ts";
import { bytes, duration } from "../../format.ts";
import { MOST } from "../../grove.ts";
import type { Peer, Swarm, Upload } from "../../model.ts";
import { Badge, Count, MemberLink, Panel, Problem, Skeleton, Time } from "../../parts/basics.tsx";
import { Has, Speed } from "../../parts/gauge.tsx";
import { Grove } from "../../parts/grove.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Surface } from "../../parts/kelp.tsx";
import { type Column, ListView, Table } from "../../parts/table.tsx";
import { type List, type Renewal, type Resource, useList, useResource } from "../../resource.ts";
import { may } from "../../session.ts";

/** Speeds and progress change without an event. */
const SECONDS = 10;

export function useSwarm(upload: Upload): SwarmView {
  const renewal: Renewal = {
    topics: ["uploads"],
    relevant: ({ data }) => String(data.id ?? data.upload_id ?? upload.id) === String(upload.id),
    every: SECONDS,
  };
  const swarm = useResource(`swarm ${upload.id}`, () => api.swarm(upload.id), renewal);
  const list = useList(`peers ${upload.id}`, (cursor, limit) => api.peers(upload.id, { cursor, limit }), renewal);
  const rows = (list.data?.items ?? []).map((peer, at) => ({ ...peer, at })).sort(firstOwn);
  return { swarm, list, rows };
}

type SwarmView = { swarm: Resource<Swarm>; list: List<Peer>; rows: Row[] };

type Row = Peer & { at: number };

/** One's own first, then by what they have; who has the same stays where he came. */
function firstOwn(a: Row, b: Row): number {
  return Number(b.own) - Number(a.own) || b.progress - a.progress || (a.peer_id ?? "").localeCompare(b.peer_id ?? "");
}

export function Water({ upload, view }: { upload: Upload; view: SwarmView }) {
  const { data: swarm, error } = view.swarm;
  if (!swarm) return error ? <Problem error={error} /> : <Skeleton rows={2} kind="block" />;
  const all = view.list.data?.next === null;
  const moving = all ? view.rows.reduce((sum, one) => sum + one.speed_down, 0) : 0;
  const unseeded = upload.removed === null && swarm.seeders === 0;
  return (
    <>
      <section class="grove" aria-labelledby="swarm-title">
        <Surface />
        <h2 class="unseen" id="swarm-title">Swarm</h2>
        <div class="grove-head">
          <dl class="life-counts">
            <Figure name={swarm.seeders === 1 ? "seeder" : "seeders"} value={swarm.seeders} />
            <Figure name={swarm.leechers === 1 ? "leecher" : "leechers"} value={swarm.leechers} />
            <Figure name="completed" value={swarm.snatches} />
            {moving > 0 && <div><dt>on the move</dt><dd class="figure">{bytes(moving)}/s</dd></div>}
          </dl>
        </div>
        <Grove swarm={swarm} peers={view.rows} />
        <p class="grove-legend">{legend(swarm)}</p>
      </section>
      <Problem error={error} />
      {unseeded && <p class="hint-line"><Icon name="warning" size={18} />Nobody seeds this right now. If you hold it, fetch the torrent and open it in your client.</p>}
    </>
  );
}

function legend({ seeders, leechers }: Swarm): string {
  if (seeders + leechers === 0) return "Bare rock: no client is here.";
  const each = Math.round((seeders + leechers) / MOST);
  return `${each > 1 ? `Each stalk stands for about ${each} clients` : "Each stalk is a client"}, as tall as what it has; those that seed reach the light.`;
}

export function Peers({ view }: { view: SwarmView }) {
  const { list, rows } = view;
  if (rows.length === 0 && !list.error) return null;
  return (
    <Panel title="Who holds on" id="peers" aside={<p class="faint">as clients last announced</p>}>
      <ListView list={list} one="client" empty={null} rows={3}>
        {() => <Table caption="Peers" columns={may("moderator") ? STAFF : MEMBERS} rows={rows} id={(one) => one.peer_id ?? one.at} />}
      </ListView>
    </Panel>
  );
}

function Figure({ name, value }: { name: string; value: number }) {
  return <div><dt>{name}</dt><dd><Count of={value} /></dd></div>;
}

const CLIENT: Column<Row> = {
  name: "Client",
  kind: "main",
  cell: (one) => (
    <>
      {one.client} {one.own && <Badge tone="sea">yours</Badge>} {one.role === "partial" && <Badge>has all it wants</Badge>}
      {one.ip && <span class="cell-sub">{!one.own && <>of <MemberLink who={one.member} /> · </>}{address(one.ip, one.port)}</span>}
    </>
  ),
};
const HAS: Column<Row> = { name: "Has", cell: (one) => <Has share={one.progress} /> };
const MEMBERS: Column<Row>[] = [
  CLIENT,
  HAS,
  { name: "Down", kind: "number", cell: (one) => <Moved at={one.speed_down} sum={one.downloaded} /> },
  { name: "Up", kind: "number", cell: (one) => <Moved at={one.speed_up} sum={one.uploaded} /> },
];
const STAFF: Column<Row>[] = [
  ...MEMBERS,
  { name: "Here for", kind: "number", cell: (one) => duration(one.time ?? 0) },
  { name: "Announced", kind: "number", cell: (one) => <Time at={one.last_announce} /> },
];

function Moved({ at, sum }: { at: number; sum: number | null }) {
  return <><Speed of={at} />{sum !== null && <span class="cell-sub figure">{bytes(sum)}</span>}</>;
}

function address(ip: string, port: number | null): string {
  return `${ip.includes(":") ? `[${ip}]` : ip}:${port ?? 0}`;
}
