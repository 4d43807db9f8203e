// What is being saved together: every project, how far it is, and the way to begin another.
import { useState } from "preact/hooks";
import { api } from "../api.ts";
import type { Project } from "../model.ts";
import { slugOf } from "../names.ts";
import { Badge, Button, Count, Empty, PageHead, Problem } from "../parts/basics.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Far } from "../parts/far.tsx";
import { Check, Form, Input } from "../parts/form.tsx";
import { say } from "../parts/said.tsx";
import { type Column, ListView, Table } from "../parts/table.tsx";
import { doneShare } from "../progress.ts";
import { useAction, useList } from "../resource.ts";
import { navigate } from "../router.ts";
import { may } from "../session.ts";
import { HeadquartersPanel } from "./project/headquarters.tsx";
import { StateBadge } from "./project/state.tsx";

const COLUMNS: Column<Project>[] = [
  {
    name: "Project",
    kind: "main",
    cell: (one) => (
      <>
        <a href={`/projects/${one.slug}`}>{one.title}</a> <span class="badges"><StateBadge of={one.state} />{one.is_default && <Badge>default</Badge>}</span>
        <span class="cell-sub mono">{one.slug}</span>
      </>
    ),
  },
  { name: "How far", cell: ({ counts }) => <span class="how-far"><Far counts={counts} small /><span class="figure">{doneShare(counts)}</span></span> },
  { name: "To do", kind: "number", cell: ({ counts }) => <Count of={counts.todo} /> },
  { name: "Out", kind: "number", cell: ({ counts }) => <Count of={counts.out} /> },
  { name: "Done", kind: "number", cell: ({ counts }) => <Count of={counts.done} /> },
  { name: "Failed", kind: "number", cell: ({ counts }) => <span class={counts.failed ? "minus" : "faint"}><Count of={counts.failed} /></span> },
];

export function ProjectsPage() {
  const [adding, setAdding] = useState(false);
  const list = useList("projects", (cursor, limit) => api.projects({ cursor, limit }), { topics: ["projects"], every: 15 });
  const crew = may("operator");
  return (
    <>
      <PageHead title="Projects" note="Cut into items that volunteers' clients claim and bring home.">
        {crew && <Button kind="main" icon="add" onClick={() => setAdding(true)}>New project</Button>}
      </PageHead>
      <ListView list={list} one="project" rows={3} empty={<NothingYet onAdd={crew ? () => setAdding(true) : undefined} />}>
        {(rows) => <Table caption="Projects" columns={COLUMNS} rows={rows} id={(one) => one.slug} />}
      </ListView>
      {crew && <HeadquartersPanel />}
      {adding && <Add onClose={() => setAdding(false)} />}
    </>
  );
}

function NothingYet({ onAdd }: { onAdd: (() => void) | undefined }) {
  return (
    <Empty title="Nothing is being saved together yet.">
      <p>A project is a list of items, such as the users of a site that closes. Every volunteer's client takes some, saves them, and reports back.</p>
      {onAdd ? <Button kind="main" icon="add" onClick={onAdd}>New project</Button> : <p>An operator begins one.</p>}
    </Empty>
  );
}

function Add({ onClose }: { onClose: () => void }) {
  const [title, setTitle] = useState("");
  const [slug, setSlug] = useState("");
  const [isDefault, setDefault] = useState(false);
  const shown = slug || slugOf(title);
  const add = useAction(async () => {
    const made = await api.addProject({ slug: shown, title: title.trim(), is_default: isDefault });
    say(`${made.title} is a draft.`);
    onClose();
    navigate(`/projects/${made.slug}`);
  });
  return (
    <Dialog title="New project" onClose={onClose}>
      <Form onSend={() => void add.run()}>
        <Problem beside={["slug", "title"]} error={add.error} />
        <Input label="Title" name="title" value={title} onInput={setTitle} required maxLength={128} error={add.error} />
        <Input label="Slug" name="slug" value={shown} onInput={setSlug} required maxLength={63} error={add.error}
          hint={<>Stands in addresses, and is never changed: <code class="breakable">{location.origin}/{shown || "…"}/</code></>} />
        <Check label="The default project" checked={isDefault} onChange={setDefault} hint="Clients that name no project mean this one. There is one at most, and it stays." />
        <footer class="dialog-acts">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" type="submit" busy={add.busy}>Begin it as a draft</Button>
        </footer>
      </Form>
    </Dialog>
  );
}
