// Who took part in an upload, now or long ago: for the staff.
import { api } from "../../api.ts";
import { duration } from "../../format.ts";
import type { Participant, Upload } from "../../model.ts";
import { MemberLink, Panel, Size, Time } from "../../parts/basics.tsx";
import { clients, Standings } from "../../parts/standing.tsx";
import { type Column, ListView, Table } from "../../parts/table.tsx";
import { useList } from "../../resource.ts";

const COLUMNS: Column<Participant>[] = [
  {
    name: "Member",
    kind: "main",
    cell: (one) => (
      <>
        <MemberLink who={one.member} /> <span class="badges"><Standings of={one} /></span>
        <span class="cell-sub">{clients(one) || (one.complete ? "has it, is not here" : "is not here")}</span>
      </>
    ),
  },
  { name: "Uploaded", kind: "number", cell: (one) => <Size of={one.uploaded} /> },
  { name: "Downloaded", kind: "number", cell: (one) => <Size of={one.downloaded} /> },
  { name: "Time", kind: "number", cell: (one) => duration(one.time) },
  { name: "Still owed", kind: "number", cell: (one) => (one.time_owed ? duration(one.time_owed) : <span class="faint">—</span>) },
  { name: "Completed", kind: "number", cell: (one) => <Time at={one.snatched} never="—" /> },
];

export function Participants({ upload }: { upload: Upload }) {
  const list = useList(`participants ${upload.id}`, (cursor, limit) => api.participants(upload.id, { cursor, limit }), {
    topics: ["uploads"],
    relevant: ({ data }) => String(data.id ?? upload.id) === String(upload.id),
  });
  return (
    <Panel title="Who took part" id="participants">
      <ListView list={list} one="member" rows={2} empty={<p class="faint">Nobody has announced it yet.</p>}>
        {(rows) => <Table caption="Participants" columns={COLUMNS} rows={rows} id={(one) => one.member.id} />}
      </ListView>
    </Panel>
  );
}
