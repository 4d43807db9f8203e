// Where volunteers bring what they fetched; while nothing takes it, nobody gets an item.
import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { Project, UploadTarget } from "../../model.ts";
import { presently } from "../../now.ts";
import { Badge, Button, Count, Panel, Problem, Time } from "../../parts/basics.tsx";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { Check, Form, Input } from "../../parts/form.tsx";
import { say } from "../../parts/said.tsx";
import { type Column, ListView, Table } from "../../parts/table.tsx";
import { useAction, useList } from "../../resource.ts";
import { may } from "../../session.ts";

type Asking = { what: "add" } | { what: "change" | "drop"; target: UploadTarget };

const COLUMNS: Column<UploadTarget>[] = [
  {
    name: "Target",
    kind: "main",
    cell: (one) => (
      <>
        <span class="mono breakable">{one.url}</span> <Standing of={one} />
        {one.held_until > presently() && <span class="cell-sub">again <Time at={one.held_until} />{one.held_why && `: ${one.held_why}`}</span>}
      </>
    ),
  },
  { name: "Weight", kind: "number", cell: (one) => one.weight },
  { name: "Sent there", kind: "number", cell: (one) => <Count of={one.given} /> },
  { name: "Arrived", kind: "number", cell: (one) => <Count of={one.reported} /> },
];

function Standing({ of }: { of: UploadTarget }) {
  if (!of.active) return <Badge>off</Badge>;
  return of.held_until > presently() ? <Badge tone="warm">held</Badge> : <Badge tone="good">takes</Badge>;
}

export function Targets({ project }: { project: Project }) {
  const [asking, setAsking] = useState<Asking | null>(null);
  const list = useList(`targets ${project.slug}`, (cursor, limit) => api.targets(project.slug, { cursor, limit }), { every: 15 });
  const crew = may("operator");
  const close = () => setAsking(null);
  const renew = () => void list.reload();
  const columns: Column<UploadTarget>[] = crew ? [...COLUMNS, {
    name: "Acts",
    kind: "acts",
    cell: (target) => (
      <span class="pair">
        <Button kind="quiet" label={`Change ${target.url}`} onClick={() => setAsking({ what: "change", target })}>Change</Button>
        <Button kind="quiet" icon="trash" label={`Remove ${target.url}`} onClick={() => setAsking({ what: "drop", target })} />
      </span>
    ),
  }] : COLUMNS;
  return (
    <Panel title="Upload targets" id="targets" aside={crew && <Button icon="add" onClick={() => setAsking({ what: "add" })}>Add a target</Button>}>
      <ListView list={list} one="target" rows={2} empty={<p class="faint">None: the script itself knows where to bring things. With targets, clients ask for one, and the weights share them out.</p>}>
        {(rows) => <Table caption="Upload targets" columns={columns} rows={rows} id={(one) => one.id} />}
      </ListView>
      {asking?.what === "add" && <Add slug={project.slug} onClose={close} onDone={renew} />}
      {asking?.what === "change" && <Change slug={project.slug} target={asking.target} onClose={close} onDone={renew} />}
      {asking?.what === "drop" && (
        <Confirm title="Remove this target?" act="Remove it" danger onClose={close}
          onYes={async () => { await api.dropTarget(project.slug, asking.target.id); await list.reload(); }}>
          <p><strong class="breakable">{asking.target.url}</strong> is named to nobody any more. Who is on the way there arrives all the same.</p>
        </Confirm>
      )}
    </Panel>
  );
}

type ActProps = { slug: string; onClose: () => void; onDone: () => void };

function Add({ slug, onClose, onDone }: ActProps) {
  const [url, setUrl] = useState("");
  const [weight, setWeight] = useState("1");
  const add = useAction(async () => {
    await api.addTarget(slug, url.trim(), Number(weight));
    onDone();
    onClose();
  });
  return (
    <Dialog title="Add a target" onClose={onClose}>
      <Form onSend={() => void add.run()}>
        <Problem beside={["url", "weight"]} error={add.error} />
        <Input label="Address" name="url" value={url} onInput={setUrl} required hint={<>Such as <code class="breakable">rsync://host/module/:downloader/</code>; <code>:downloader</code> becomes the volunteer's name.</>} error={add.error} />
        <Input label="Weight" name="weight" type="number" min={0} step={0.01} value={weight} onInput={setWeight} required hint="Of two with 1 and 3, the second gets three of four." error={add.error} />
        <footer class="dialog-acts">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" type="submit" busy={add.busy}>Add it</Button>
        </footer>
      </Form>
    </Dialog>
  );
}

function Change({ slug, target, onClose, onDone }: ActProps & { target: UploadTarget }) {
  const held = target.held_until > presently();
  const [weight, setWeight] = useState(String(target.weight));
  const [active, setActive] = useState(target.active);
  const [minutes, setMinutes] = useState(held ? String(Math.ceil((target.held_until - presently()) / 60)) : "");
  const [why, setWhy] = useState(held ? target.held_why : "");
  const save = useAction(async () => {
    const held_until = minutes ? Date.now() / 1000 + Number(minutes) * 60 : 0;
    await api.changeTarget(slug, target.id, { weight: Number(weight), active, held_until, held_why: minutes ? why.trim() : "" });
    say("Saved.");
    onDone();
    onClose();
  });
  return (
    <Dialog title="Change this target" onClose={onClose}>
      <Form onSend={() => void save.run()}>
        <p class="mono breakable">{target.url}</p>
        <Problem beside={["weight", "held_until", "held_why"]} error={save.error} />
        <Check label="Takes uploads" checked={active} onChange={setActive} />
        <Input label="Weight" name="weight" type="number" min={0} step={0.01} value={weight} onInput={setWeight} required error={save.error} />
        <Input label="Hold it for so many minutes" name="held_until" type="number" min={0} value={minutes} onInput={setMinutes} hint="Nobody is sent there before. While all targets are held, nobody gets an item either." error={save.error} />
        <Input label="Why" name="held_why" value={why} onInput={setWhy} maxLength={500} error={save.error} />
        <footer class="dialog-acts">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" type="submit" busy={save.busy}>Save</Button>
        </footer>
      </Form>
    </Dialog>
  );
}
