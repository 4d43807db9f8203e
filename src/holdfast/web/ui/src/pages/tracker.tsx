// The tracker as a whole: how much is going on, where most, who serves it, and what the staff has to look at.
import { useEffect, useState } from "preact/hooks";
import { api } from "../api.ts";
import { bytes, duration, plural, words } from "../format.ts";
import { type Order, ORDERS, type Tally, type Tracker, type Worker } from "../model.ts";
import { Badge, Button, Count, Empty, PageHead, Panel, Problem, Size, Skeleton, Time } from "../parts/basics.tsx";
import { Bar, Spark } from "../parts/gauge.tsx";
import { Surface } from "../parts/kelp.tsx";
import { say } from "../parts/said.tsx";
import { type Column, Filter, Table } from "../parts/table.tsx";
import { type Look, rate, rates, spellRate } from "../rate.ts";
import { useAction, useResource } from "../resource.ts";
import { asked } from "../router.ts";
import { may } from "../session.ts";
import { ClientsPanel } from "./tracker/clients.tsx";
import { FreeleechPanel } from "./tracker/freeleech.tsx";
import { ReportsPanel } from "./tracker/reports.tsx";

const SECONDS = 5;
const SAMPLES = 61;

export function TrackerPage() {
  const by = ORDERS.find((one) => one === asked("by")) ?? "leechers";
  const view = useResource(`tracker ${by}`, () => api.tracker(by), { every: SECONDS });
  const { data, error } = view;
  const looks = useLooks(data);
  if (!data) {
    return (
      <>
        <PageHead title="Tracker" />
        {error ? <Problem error={error}><Button onClick={() => void view.reload()}>Try again</Button></Problem> : <Skeleton rows={5} kind="block" />}
      </>
    );
  }
  return (
    <>
      <PageHead title="Tracker" note={data.workers.length ? <>{plural(data.workers.length, "worker")} {data.workers.length === 1 ? "answers" : "answer"} announces.</> : "Nobody answers announces."}>
        {may("operator") && <Upkeep />}
      </PageHead>
      <Problem error={error} />
      <Totals tracker={data} speed={rate(looks)} />
      <ReportsPanel />
      <Busiest tracker={data} by={by} />
      <div class="panels">
        <Panel title="Announces a second" id="rate"><Spark values={rates(looks)} label="Announces a second" /></Panel>
        <Workers workers={data.workers} />
        <Tallies title="Clients" id="clients-seen" tallies={data.clients} none="No client has announced since the workers started." say={(name) => name} />
        {data.refusals.length > 0 && <Tallies title="Refused" id="refused" tallies={data.refusals} none="" say={words} />}
        <FreeleechPanel />
        <ClientsPanel />
      </div>
    </>
  );
}

/** The last five minutes of announces, as long as somebody watches. */
function useLooks(tracker: Tracker | undefined): Look[] {
  const [looks, setLooks] = useState<Look[]>([]);
  useEffect(() => {
    if (!tracker) return;
    const look = { at: tracker.at, count: tracker.totals.announces };
    setLooks((before) => ((before.at(-1)?.at ?? 0) < look.at ? [...before, look].slice(-SAMPLES) : before));
  }, [tracker]);
  return looks;
}

function Upkeep() {
  const reap = useAction(async () => {
    const { gone } = await api.reap();
    say(gone ? `${plural(gone, "silent peer")} left.` : "Nobody had fallen silent unnoticed.");
  });
  const rebuild = useAction(async () => {
    const { mended } = await api.rebuildIndexes();
    say(mended ? `${plural(mended, "place")} in the indexes mended.` : "The indexes were right.");
  });
  return (
    <>
      <Problem error={reap.error ?? rebuild.error} />
      <Button busy={reap.busy} onClick={() => void reap.run()}>Look for silent peers</Button>
      <Button busy={rebuild.busy} onClick={() => void rebuild.run()}>Rebuild the indexes</Button>
    </>
  );
}

function Totals({ tracker, speed }: { tracker: Tracker; speed: number | null }) {
  const { seeders, leechers, seeded, announces, open, overdue } = tracker.totals;
  return (
    <section class="grove grove-low" aria-label="Totals">
      <Surface />
      <div class="grove-head">
        <dl class="life-counts">
          <div><dt>{seeders === 1 ? "seeder" : "seeders"}</dt><dd><Count of={seeders} /></dd></div>
          <div><dt>{leechers === 1 ? "leecher" : "leechers"}</dt><dd><Count of={leechers} /></dd></div>
          <div><dt>{seeded === 1 ? "upload seeded" : "uploads seeded"}</dt><dd><Count of={seeded} /></dd></div>
          <div><dt>announces</dt><dd><Count of={announces} /></dd></div>
          <div><dt>announces a second</dt><dd class="figure">{speed === null ? "…" : spellRate(speed)}</dd></div>
          {open > 0 && <div><dt>{open === 1 ? "stranger" : "strangers"}</dt><dd><Count of={open} /></dd></div>}
          {overdue > 0 && <div><dt>silent, not yet looked at</dt><dd><Count of={overdue} /></dd></div>}
        </dl>
      </div>
    </section>
  );
}

const CHOICES: [Order | "", string][] = [["", "Most leechers"], ["seeders", "Most seeders"], ["snatches", "Most completed"]];

const SWARMS: Column<Tracker["busiest"][number]>[] = [
  { name: "Upload", kind: "main", cell: ({ upload }) => <><a href={`/uploads/${upload.id}`}>{upload.name}</a>{upload.removed && <> <Badge tone="bad">removed</Badge></>}</> },
  { name: "Seeders", kind: "number", cell: ({ counts }) => <span class={counts.seeders ? "plus" : "minus"}><Count of={counts.seeders} /></span> },
  { name: "Leechers", kind: "number", cell: ({ counts }) => <Count of={counts.leechers} /> },
  { name: "Completed", kind: "number", cell: ({ counts }) => <Count of={counts.snatches} /> },
  { name: "Announces", kind: "number", cell: ({ counts }) => <Count of={counts.announces} /> },
  { name: "Moved", kind: "number", cell: ({ counts }) => <Size of={Math.max(counts.uploaded, counts.downloaded)} /> },
];

function Busiest({ tracker, by }: { tracker: Tracker; by: Order }) {
  return (
    <Panel title="Busiest swarms" id="busiest" aside={<Filter label="Busy by" param="by" choices={CHOICES} />}>
      {tracker.busiest.length
        ? <Table caption="Busiest swarms" columns={SWARMS} rows={tracker.busiest} id={({ upload }) => upload.id} faded={({ upload }) => upload.removed} />
        : <Empty title={by === "leechers" ? "Nobody fetches anything right now." : "No swarm has any."}><p>Clients appear here as soon as they announce.</p></Empty>}
    </Panel>
  );
}

function Workers({ workers }: { workers: Worker[] }) {
  return (
    <Panel title="Workers" id="workers">
      {workers.length === 0 ? <p class="minus">No worker is heard. <a href="/system">System</a> tells how the parts are.</p> : (
        <ul class="lines">
          {workers.map((one) => (
            <li key={`${one.name} ${one.instance}`} class="line">
              <div>
                <p>{one.name} <span class="faint">{one.instance}</span></p>
                <p class="faint">since <Time at={one.since} /> · {bytes(one.resident_bytes)} · {duration(one.cpu_seconds)} of a processor · heard {duration(one.beat)} ago</p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** Announces by what announced them, each beside the others. */
function Tallies({ title, id, tallies, none, say }: { title: string; id: string; tallies: readonly Tally[]; none: string; say: (name: string) => string }) {
  const all = tallies.reduce((sum, one) => sum + one.count, 0);
  return (
    <Panel title={title} id={id} aside={<p class="faint">since the workers started</p>}>
      {tallies.length === 0 ? <p class="faint">{none}</p> : (
        <ul class="tallies">
          {tallies.map((one) => (
            <li key={one.name} class="tally">
              <span class="breakable">{say(one.name)}</span>
              <Count of={one.count} />
              <Bar value={one.count} of={all} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
