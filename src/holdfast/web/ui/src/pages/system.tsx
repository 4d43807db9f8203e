// The machine room: every part and store, as it is this moment.
import { useEffect, useState } from "preact/hooks";
import { api } from "../api.ts";
import { bytes, duration, number, share } from "../format.ts";
import type { Part, System } from "../model.ts";
import { Badge, Button, Fact, Facts, PageHead, Panel, Problem, Size, Skeleton, Time, type Tone } from "../parts/basics.tsx";
import { Meter, Spark } from "../parts/gauge.tsx";
import { Icon } from "../parts/icon.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { useResource } from "../resource.ts";

const SECONDS = 5;
const SAMPLES = 60;

export function SystemPage() {
  const view = useResource("system", api.system, { topics: ["system"], every: SECONDS });
  const { data, error } = view;
  const calls = useSamples(data);
  if (!data) {
    return (
      <>
        <PageHead title="System" />
        {error ? <Problem error={error}><Button onClick={() => void view.reload()}>Try again</Button></Problem> : <Skeleton rows={5} kind="block" />}
      </>
    );
  }
  return (
    <>
      <PageHead title="System" note={<>Holdfast {data.version}, up for {duration(data.uptime)}</>} />
      <Problem error={error} />
      <AlarmList system={data} />
      <Panel title="Parts" id="parts"><Table caption="Parts" columns={PARTS} rows={data.parts} id={(one) => `${one.name} ${one.instance}`} /></Panel>
      <div class="panels">
        <LivePanel live={data.live} calls={calls} />
        <RecordsPanel system={data} />
      </div>
      <Panel title="Addresses" id="addresses">
        <Facts>
          <Fact name="Pages and API" wide><span class="mono breakable">{data.addresses.web ?? "—"}</span></Fact>
          <Fact name="Tracker" wide><span class="mono breakable">{data.addresses.tracker ?? "—"}</span></Fact>
        </Facts>
      </Panel>
    </>
  );
}

/** The last five minutes of one figure, as long as somebody watches. */
function useSamples(system: System | undefined): number[] {
  const [samples, setSamples] = useState<number[]>([]);
  useEffect(() => {
    const rate = system?.live.calls_per_second;
    if (typeof rate === "number") setSamples((before) => [...before, rate].slice(-SAMPLES));
  }, [system]);
  return samples;
}

function AlarmList({ system }: { system: System }) {
  if (!system.alarms.length) return <p class="calm"><Icon name="check" size={18} />No alarms. The water is calm.</p>;
  return (
    <ul class="alarms" aria-label="Alarms">
      {system.alarms.map((one) => (
        <li key={one.text} class={`alarm alarm-${one.level}`}>
          <Icon name="warning" />
          <span><strong>{one.level === "alarm" ? "Alarm: " : "Warning: "}</strong>{one.text}</span>
        </li>
      ))}
    </ul>
  );
}

const GOOD = /^(up|running|ready|ok)$/i;
const BAD = /^(away|down|dead|failed|crashed|stopped)$/i;

function State({ of }: { of: string }) {
  const tone: Tone = GOOD.test(of) ? "good" : BAD.test(of) ? "bad" : "warm";
  return <Badge tone={tone}>{of}</Badge>;
}

const PARTS: Column<Part>[] = [
  { name: "Part", kind: "main", cell: (one) => <><strong>{one.name}</strong> <span class="faint mono">{one.instance}</span></> },
  { name: "State", cell: (one) => <State of={one.state} /> },
  { name: "Since", kind: "number", cell: (one) => <Time at={one.since} never="—" /> },
  { name: "Restarts", kind: "number", cell: (one) => <span class={one.restarts ? "warm" : undefined}>{one.restarts}</span> },
  { name: "Memory", kind: "number", cell: (one) => (one.resident_bytes === null ? "—" : <Size of={one.resident_bytes} />) },
  { name: "CPU", kind: "number", cell: (one) => (one.cpu_seconds === null ? "—" : duration(one.cpu_seconds)) },
  { name: "Beat", kind: "number", cell: (one) => (one.beat === null ? "—" : `${one.beat.toFixed(0)} s ago`) },
  { name: "Process", kind: "number", cell: (one) => <span class="mono">{one.pid ?? "—"}</span> },
];

function LivePanel({ live, calls }: { live: System["live"]; calls: number[] }) {
  return (
    <Panel title="Live store" id="live" aside={<State of={live.state} />}>
      <Spark values={calls} label="Calls per second" />
      <Facts>
        <Fact name="Calls per second">{live.calls_per_second === null ? "—" : number(Math.round(live.calls_per_second))}</Fact>
        <Fact name="Clients">{live.clients ?? "—"}</Fact>
        <Fact name="Version">{live.version ?? "—"}</Fact>
        <Fact name="Layout">{live.layout}</Fact>
        <Fact name="Memory" wide>
          {live.used_memory === null ? "—" : live.max_memory
            ? <Meter value={live.used_memory} of={live.max_memory} label={`${bytes(live.used_memory)} of ${bytes(live.max_memory)} (${share(live.used_memory, live.max_memory)})`} />
            : <Size of={live.used_memory} />}
        </Fact>
        <Fact name="Address" wide><span class="mono breakable">{live.address}</span></Fact>
      </Facts>
    </Panel>
  );
}

function RecordsPanel({ system }: { system: System }) {
  const { records, outbox, disk } = system;
  const used = disk.total_bytes - disk.free_bytes;
  return (
    <Panel title="Records and disk" id="records" aside={<State of={records.state} />}>
      <Facts>
        <Fact name="Kind">{records.kind}</Fact>
        <Fact name="Size">{records.size_bytes === null ? "—" : <Size of={records.size_bytes} />}</Fact>
        <Fact name="Schema"><span class="mono">{records.schema ?? "—"}</span></Fact>
        <Fact name="Outbox">{outbox.waiting ? <span class={(outbox.oldest_age ?? 0) > 30 ? "warm" : undefined}>{number(outbox.waiting)} waiting{outbox.oldest_age !== null && `, oldest ${duration(outbox.oldest_age)}`}</span> : "nothing waits"}</Fact>
        <Fact name="Disk" wide><Meter value={used} of={disk.total_bytes} label={`${bytes(disk.free_bytes)} free of ${bytes(disk.total_bytes)}`} /></Fact>
        <Fact name="Address" wide><span class="mono breakable">{records.address}</span></Fact>
      </Facts>
    </Panel>
  );
}
