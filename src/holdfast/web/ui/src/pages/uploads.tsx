// Everything that is shared, newest first.
import { useState } from "preact/hooks";
import { api } from "../api.ts";
import { plural } from "../format.ts";
import type { Upload } from "../model.ts";
import { AddUpload } from "../parts/add-upload.tsx";
import { Badge, Button, Count, Empty, MemberLink, PageHead, Size, Time } from "../parts/basics.tsx";
import { DropZone } from "../parts/drop.tsx";
import { type Column, Filter, ListView, Search, Table } from "../parts/table.tsx";
import { useList, useResource } from "../resource.ts";
import { ask, asked } from "../router.ts";
import { may } from "../session.ts";

const COLUMNS: Column<Upload>[] = [
  {
    name: "Name",
    kind: "main",
    cell: (one) => (
      <>
        <a href={`/uploads/${one.id}`}>{one.name}</a>
        {one.removed && <> <Badge tone="bad">removed</Badge></>}
        <span class="cell-sub">{one.category.name} · {plural(one.file_count, "file")} · by <MemberLink who={one.uploader} /></span>
      </>
    ),
  },
  { name: "Size", kind: "number", cell: (one) => <Size of={one.size} /> },
  { name: "Seeders", kind: "number", cell: (one) => <span class={one.seeders ? "plus" : "faint"}><Count of={one.seeders} /></span> },
  { name: "Leechers", kind: "number", cell: (one) => <Count of={one.leechers} /> },
  { name: "Completed", kind: "number", cell: (one) => <Count of={one.completed} /> },
  { name: "Added", kind: "number", cell: (one) => <Time at={one.created} /> },
];

const REMOVED = [["", "Not removed"], ["true", "Removed"], ["any", "All"]] as const;
const NO_FILE: File | null = null;

export function UploadsPage() {
  const [adding, setAdding] = useState<{ file: File | null } | null>(() => (asked("add") === "1" ? { file: NO_FILE } : null));
  const query = { q: asked("q"), category: asked("category"), uploader: asked("uploader"), removed: asked("removed") };
  const list = useList(
    `uploads ${JSON.stringify(query)}`,
    (cursor, limit) => api.uploads({ ...query, cursor, limit }),
    { topics: ["uploads"] },
  );
  const categories = useResource("categories", api.categories).data?.items ?? [];
  const filtered = Object.values(query).some(Boolean);
  const close = () => {
    setAdding(null);
    ask({ add: "" });
  };
  return (
    <DropZone onFile={(file) => setAdding({ file })} disabled={adding !== null}>
      <PageHead title="Uploads" note="Newest first.">
        <Button kind="main" icon="up" onClick={() => setAdding({ file: NO_FILE })}>Add an upload</Button>
      </PageHead>
      <div class="filters" role="search">
        <Search label="Search by name or info hash" />
        <Filter label="Category" param="category" choices={[["", "Every category"], ...categories.map((one) => [one.name, one.name] as const)]} />
        {may("moderator") && <Filter label="Removed or not" param="removed" choices={REMOVED} />}
        {query.uploader && <Button icon="close" onClick={() => ask({ uploader: "" })}>by {query.uploader}</Button>}
      </div>
      <ListView list={list} one="upload" empty={filtered ? <NothingFits /> : <NothingYet onAdd={() => setAdding({ file: NO_FILE })} />}>
        {(rows) => <Table caption="Uploads" columns={COLUMNS} rows={rows} id={(one) => one.id} faded={(one) => one.removed !== null} />}
      </ListView>
      {adding && <AddUpload file={adding.file} categories={categories} onClose={close} />}
    </DropZone>
  );
}

function NothingFits() {
  return (
    <Empty title="Nothing fits.">
      <Button onClick={() => ask({ q: "", category: "", uploader: "", removed: "" })}>Show everything</Button>
    </Empty>
  );
}

function NothingYet({ onAdd }: { onAdd: () => void }) {
  return (
    <Empty title="Nothing is shared yet.">
      <p>Drop a <code>.torrent</code> anywhere on this page, or let Holdfast make one from a folder:</p>
      <p><code class="breakable">holdfast upload add PATH --by NAME</code></p>
      <Button kind="main" icon="up" onClick={onAdd}>Add an upload</Button>
    </Empty>
  );
}
