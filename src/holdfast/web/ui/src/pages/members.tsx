// Everybody who holds on.
import { useState } from "preact/hooks";
import { api } from "../api.ts";
import type { Member } from "../model.ts";
import { AddMember } from "../parts/add-member.tsx";
import { Badge, Button, Count, Empty, PageHead, Roles, Size, Time } from "../parts/basics.tsx";
import { type Column, Filter, ListView, Search, Table } from "../parts/table.tsx";
import { useList } from "../resource.ts";
import { ask, asked } from "../router.ts";
import { may } from "../session.ts";

const COLUMNS: Column<Member>[] = [
  {
    name: "Name",
    kind: "main",
    cell: (one) => (
      <>
        <a href={`/members/${one.id}`}>{one.name}</a>
        {!one.enabled && <> <Badge tone="bad">disabled</Badge></>}
        {!one.may_leech && <> <Badge>no leeching</Badge></>}
      </>
    ),
  },
  { name: "Roles", cell: (one) => <Roles of={one.roles} /> },
  { name: "Points", kind: "number", cell: (one) => <Count of={one.points} /> },
  { name: "Uploaded", kind: "number", cell: (one) => <Size of={one.uploaded} /> },
  { name: "Downloaded", kind: "number", cell: (one) => <Size of={one.downloaded} /> },
  { name: "Joined", kind: "number", cell: (one) => <Time at={one.joined} /> },
  { name: "Last seen", kind: "number", cell: (one) => <Time at={one.last_seen} /> },
];

const ROLES = [["", "Every role"], ["member", "Members"], ["moderator", "Moderators"], ["operator", "Operators"]] as const;
const STATES = [["", "Enabled or not"], ["true", "Enabled"], ["false", "Disabled"]] as const;

export function MembersPage() {
  const [adding, setAdding] = useState(() => asked("add") === "1" && may("operator"));
  const query = { q: asked("q"), role: asked("role"), enabled: asked("enabled") };
  const list = useList(
    `members ${JSON.stringify(query)}`,
    (cursor, limit) => api.members({ ...query, cursor, limit }),
    { topics: ["members"] },
  );
  const filtered = Object.values(query).some(Boolean);
  const close = () => {
    setAdding(false);
    ask({ add: "" });
  };
  return (
    <>
      <PageHead title="Members">
        {may("operator") && <Button kind="main" icon="add" onClick={() => setAdding(true)}>Add a member</Button>}
      </PageHead>
      <div class="filters" role="search">
        <Search label="Search by name" />
        <Filter label="Role" param="role" choices={ROLES} />
        <Filter label="State" param="enabled" choices={STATES} />
      </div>
      <ListView
        list={list}
        one="member"
        empty={
          filtered ? (
            <Empty title="Nobody fits."><Button onClick={() => ask({ q: "", role: "", enabled: "" })}>Show everybody</Button></Empty>
          ) : (
            <Empty title="Nobody here yet."><p>Add the first member here, or with <code>holdfast member add NAME</code>.</p></Empty>
          )
        }
      >
        {(rows) => <Table caption="Members" columns={COLUMNS} rows={rows} id={(one) => one.id} faded={(one) => !one.enabled} />}
      </ListView>
      {adding && <AddMember onClose={close} />}
    </>
  );
}
