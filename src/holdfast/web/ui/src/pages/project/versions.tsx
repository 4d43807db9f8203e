// Which versions of the project's script are in the field, and which of them get no more items.
import { api } from "../../api.ts";
import { number } from "../../format.ts";
import type { Project } from "../../model.ts";
import { Badge, Button, Count, Panel, Problem, Skeleton } from "../../parts/basics.tsx";
import { say } from "../../parts/said.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { useAction } from "../../resource.ts";
import { may } from "../../session.ts";
import { useBoard } from "./board.tsx";

type Version = { version: string; volunteers: number };

export function Versions({ project, onDone }: { project: Project; onDone: (project: Project) => void }) {
  const { data, error } = useBoard(project.slug);
  const turn = useAction(async (version: string, refuse: boolean) => {
    const others = project.refused_versions.filter((one) => one !== version);
    onDone(await api.changeProject(project.slug, { refused_versions: refuse ? [...others, version] : others }));
    say(refuse ? `Whoever runs ${version} gets no more items.` : `${version} gets items again.`);
  });
  const isOld = (version: string) => version < project.minimum_version;
  const isRefused = (version: string) => project.refused_versions.includes(version);
  const columns: Column<Version>[] = [
    { name: "Version", kind: "main", cell: ({ version }) => <><span class="mono">{version || "none given"}</span>{isRefused(version) ? <> <Badge tone="bad">refused</Badge></> : isOld(version) ? <> <Badge tone="warm">below the minimum</Badge></> : null}</> },
    { name: "Volunteers", kind: "number", cell: ({ volunteers }) => <Count of={volunteers} /> },
  ];
  if (may("operator")) {
    columns.push({
      name: "Acts",
      kind: "acts",
      cell: ({ version }) => version && !isOld(version) && <Button kind="quiet" label={`${isRefused(version) ? "Allow" : "Refuse"} version ${version}`} onClick={() => void turn.run(version, !isRefused(version))}>{isRefused(version) ? "Allow" : "Refuse"}</Button>,
    });
  }
  const seen = Object.entries(data?.versions ?? {}).map(([version, volunteers]) => ({ version, volunteers }));
  const unseen = project.refused_versions.filter((one) => !(one in (data?.versions ?? {}))).map((version) => ({ version, volunteers: 0 }));
  const rows = [...seen, ...unseen].sort((one, other) => (one.version < other.version ? 1 : -1));
  return (
    <Panel title="Versions in the field" id="versions" aside={<p class="faint">{project.minimum_version ? <>from <code>{project.minimum_version}</code> on</> : "none is too old"}</p>}>
      <Problem error={project.state === "draft" ? null : error} />
      <Problem error={turn.error} />
      {!data && !error ? <Skeleton rows={2} /> : rows.length
        ? <Table caption="Versions in the field" columns={columns} rows={rows} id={(one) => one.version} />
        : <p class="faint">No report has named a version yet. {number(project.counts.done)} items are done.</p>}
    </Panel>
  );
}
