// Items that were given up, why, and another chance for them.
import { api } from "../../api.ts";
import { plural } from "../../format.ts";
import type { FailedItem, Project } from "../../model.ts";
import { Button, Panel, Problem } from "../../parts/basics.tsx";
import { say } from "../../parts/said.tsx";
import { type Column, ListView, Table } from "../../parts/table.tsx";
import { useAction, useList } from "../../resource.ts";

const COLUMNS: Column<FailedItem>[] = [
  { name: "Item", kind: "main", cell: (one) => <span class="mono breakable">{one.item}</span> },
  { name: "Why", cell: (one) => <span class="breakable">{one.why}</span> },
];

export function FailedItems({ project, onDone }: { project: Project; onDone: () => void }) {
  const list = useList(`failed ${project.slug}`, (cursor, limit) => api.failedItems(project.slug, { cursor, limit }), { every: 15 });
  const retry = useAction(async (items: string[]) => {
    const { count } = await api.retry(project.slug, items);
    say(`${plural(count, "item")} back in the queue.`);
    await list.reload();
    onDone();
  });
  const shown = list.data?.items ?? [];
  const columns: Column<FailedItem>[] = [...COLUMNS, {
    name: "Acts",
    kind: "acts",
    cell: (one) => <Button kind="quiet" label={`Try ${one.item} again`} onClick={() => void retry.run([one.item])}>Try again</Button>,
  }];
  return (
    <Panel title="Failed items" id="failed" aside={shown.length > 1 && <Button busy={retry.busy} onClick={() => void retry.run(shown.map((one) => one.item))}>Try all {shown.length} again</Button>}>
      <Problem error={retry.error} />
      <ListView list={list} one="item" rows={2} empty={<p class="faint">{project.attempts ? `None. An item that fails ${plural(project.attempts, "time")} comes here with its reason.` : "None. As the project is set up, an item is given out again however often it fails."}</p>}>
        {(rows) => <Table caption="Failed items" columns={columns} rows={rows} id={(one) => one.item} />}
      </ListView>
    </Panel>
  );
}
