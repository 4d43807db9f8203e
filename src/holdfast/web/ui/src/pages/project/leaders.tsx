// Who carried most, and where one stands oneself.
import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { exactNumber } from "../../format.ts";
import { mine, remember } from "../../mine.ts";
import { type Leader, type Window, WINDOWS } from "../../model.ts";
import { Badge, Button, Count, Panel, Problem, Size } from "../../parts/basics.tsx";
import { Input } from "../../parts/form.tsx";
import { type Column, Filter, ListView, Search, Table } from "../../parts/table.tsx";
import { useList, useResource } from "../../resource.ts";
import { asked } from "../../router.ts";

const CHOICES = [["", "Of all time"], ["week", "These seven days"], ["day", "Today"]] as const;
const SECONDS = 30;

export function Leaders({ slug }: { slug: string }) {
  const window = WINDOWS.find((one) => one === asked("window")) ?? "all";
  const q = asked("q");
  const list = useList(`leaders ${slug} ${window} ${q}`, (cursor, limit) => api.leaders(slug, { window, q, cursor, limit }), { every: SECONDS });
  return (
    <Panel title="Volunteers" id="leaders" aside={<Filter label="Since when" param="window" choices={CHOICES} />}>
      <Mine slug={slug} window={window} />
      <div class="filters" role="search"><Search label="Search volunteers" /></div>
      <ListView list={list} one="volunteer" rows={3} empty={<p class="faint">{q ? "Nobody with this name has finished an item in that time." : window === "all" ? "Nobody has finished an item yet. The first to do so stands here." : "Nobody has finished an item in that time."}</p>}>
        {(rows) => <Table caption="Volunteers" columns={COLUMNS} rows={rows} id={(one) => one.name} />}
      </ListView>
    </Panel>
  );
}

const COLUMNS: Column<Leader>[] = [
  { name: "Place", kind: "number", cell: (one) => exactNumber(one.rank) },
  { name: "Volunteer", kind: "main", cell: (one) => <><a href={`/volunteers/${encodeURIComponent(one.name)}`}>{one.name}</a>{one.name === mine.value && <> <Badge tone="sea">you</Badge></>}</> },
  { name: "Items", kind: "number", cell: (one) => <Count of={one.items} /> },
  { name: "Bytes", kind: "number", cell: (one) => <Size of={one.bytes} /> },
];

function Mine({ slug, window }: { slug: string; window: Window }) {
  const name = mine.value;
  const [typed, setTyped] = useState("");
  const own = useResource(`mine ${slug} ${window} ${name}`, async () => (name ? (await api.leaders(slug, { window, volunteer: name })).items[0] ?? null : null), { every: SECONDS });
  if (!name) {
    return (
      <form class="mine" onSubmit={(event) => {
        event.preventDefault();
        remember(typed.trim());
      }}>
        <Input label="Your name as a volunteer" name="volunteer" value={typed} onInput={setTyped} required maxLength={30} />
        <Button type="submit">Show me</Button>
      </form>
    );
  }
  return (
    <>
      <Problem error={own.error} />
      <div class="mine-row" role="note" aria-label="You">
        <strong><a href={`/volunteers/${encodeURIComponent(name)}`}>{name}</a></strong>
        {own.data && <><span>place <strong>{exactNumber(own.data.rank)}</strong></span><span><Count of={own.data.items} /> {own.data.items === 1 ? "item" : "items"}</span><Size of={own.data.bytes} /></>}
        {own.data === null && <span class="faint">nothing in that time</span>}
        <Button kind="quiet" onClick={() => remember("")}>Somebody else</Button>
      </div>
    </>
  );
}
