// Who holds what, and since when; what hangs is taken back, looked at before it is done.
import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { plural } from "../../format.ts";
import type { ItemClaim, Project, Release, Released } from "../../model.ts";
import { Button, Empty, Panel, Problem, Time } from "../../parts/basics.tsx";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { Form, Input } from "../../parts/form.tsx";
import { say } from "../../parts/said.tsx";
import { type Column, ListView, Search, Table } from "../../parts/table.tsx";
import { useAction, useList } from "../../resource.ts";
import { asked } from "../../router.ts";

const COLUMNS: Column<ItemClaim>[] = [
  { name: "Item", kind: "main", cell: (one) => <span class="mono breakable">{one.item}</span> },
  { name: "Volunteer", cell: ({ holder }) => <a href={`/volunteers/${encodeURIComponent(holder.name)}`}>{holder.name}</a> },
  { name: "Address", cell: ({ holder }) => <span class="mono breakable">{holder.address}</span> },
  { name: "Since", kind: "number", cell: (one) => <Time at={one.since} /> },
];

const act = (release: (claim: ItemClaim) => void): Column<ItemClaim> => ({
  name: "Acts",
  kind: "acts",
  cell: (one) => <Button kind="quiet" label={`Take ${one.item} back`} onClick={() => release(one)}>Take back</Button>,
});

export function Claims({ project }: { project: Project }) {
  const [asking, setAsking] = useState<ItemClaim | "many" | null>(null);
  const downloader = asked("holder");
  const list = useList(`claims ${project.slug} ${downloader}`, (cursor, limit) => api.claims(project.slug, { downloader, cursor, limit }), { every: 15 });
  const done = async (count: number) => {
    say(`${plural(count, "item")} taken back.`);
    await list.reload();
  };
  return (
    <Panel title="Claims" id="claims" aside={<Button onClick={() => setAsking("many")}>Take several back…</Button>}>
      <div class="filters" role="search"><Search label="Volunteer, the whole name" param="holder" /></div>
      <ListView list={list} one="claim" rows={4} empty={<Empty title={downloader ? `${downloader} holds nothing.` : "Nobody holds anything."}><p>{project.state === "active" ? "Clients appear here as soon as they ask for items." : "The project gives out nothing now."}</p></Empty>}>
        {(rows) => <Table caption="Claims" columns={[...COLUMNS, act(setAsking)]} rows={rows} id={(one) => one.item} />}
      </ListView>
      {asking === "many" && <Several slug={project.slug} downloader={downloader} onClose={() => setAsking(null)} onDone={done} />}
      {asking !== null && asking !== "many" && (
        <Confirm title="Take this item back?" act="Take it back" danger onClose={() => setAsking(null)}
          onYes={async () => done((await api.release(project.slug, { items: [asking.item] }, false)).count)}>
          <p><strong class="breakable">{asking.item}</strong> is given to somebody else. If {asking.holder.name} reports it all the same, it counts once.</p>
        </Confirm>
      )}
    </Panel>
  );
}

type SeveralProps = { slug: string; downloader: string; onClose: () => void; onDone: (count: number) => Promise<void> };

function Several({ slug, downloader, onClose, onDone }: SeveralProps) {
  const [name, setName] = useState(downloader);
  const [hours, setHours] = useState("");
  const [pattern, setPattern] = useState("");
  const [seen, setSeen] = useState<Released | null>(null);
  const which: Release = {
    ...(name.trim() ? { downloader: name.trim() } : {}),
    ...(hours ? { hours: Number(hours) } : {}),
    ...(pattern ? { pattern } : {}),
  };
  const edit = (set: (value: string) => void) => (value: string) => {
    setSeen(null);
    set(value);
  };
  const look = useAction(async () => setSeen(await api.release(slug, which, true)));
  const release = useAction(async () => {
    await onDone((await api.release(slug, which, false)).count);
    onClose();
  });
  return (
    <Dialog title="Take several back" onClose={onClose}>
      <Form onSend={() => void (seen ? release.run() : look.run())}>
        <p>All claims that everything given here is true of.</p>
        <Problem beside={["downloader", "hours", "pattern"]} error={look.error ?? release.error} />
        <Input label="Volunteer" name="downloader" value={name} onInput={edit(setName)} maxLength={30} hint="The whole name." error={look.error} />
        <Input label="Held for more than so many hours" name="hours" type="number" min={0} step={0.1} value={hours} onInput={edit(setHours)} error={look.error} />
        <Input label="Items that look like" name="pattern" value={pattern} onInput={edit(setPattern)} maxLength={200} hint="A regular expression that matches whole names." error={look.error} />
        {seen && (
          <div role="status" aria-label="What would be taken back">
            <p>{seen.count ? <><strong>{plural(seen.count, "item")}</strong> would go to somebody else{seen.count > seen.some.length ? `; the first ${seen.some.length}` : ""}:</> : "No claim is like that."}</p>
            {seen.count > 0 && <ul class="names">{seen.some.map((one) => <li key={one}>{one}</li>)}</ul>}
          </div>
        )}
        <footer class="dialog-acts">
          <Button onClick={onClose}>Cancel</Button>
          {seen?.count
            ? <Button kind="danger" type="submit" busy={release.busy}>Take {plural(seen.count, "item")} back</Button>
            : <Button kind="main" type="submit" busy={look.busy} disabled={!Object.keys(which).length}>Look which</Button>}
        </footer>
      </Form>
    </Dialog>
  );
}
