// What a member seeds, fetches, has and owes, upload by upload.
import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { bytes, duration } from "../../format.ts";
import type { Member, Standing, Taken } from "../../model.ts";
import { Badge, Button, Empty, Panel, Problem, Size, Time } from "../../parts/basics.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Form, Input } from "../../parts/form.tsx";
import { Has } from "../../parts/gauge.tsx";
import { say } from "../../parts/said.tsx";
import { clients, Standings } from "../../parts/standing.tsx";
import { type Column, ListView, Table } from "../../parts/table.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { useAction, useList } from "../../resource.ts";
import { may } from "../../session.ts";

type Props = { member: Member; own: boolean };

const TABS = [
  { value: "seeding", label: "Seeds" },
  { value: "leeching", label: "Fetches" },
  { value: "complete", label: "Has" },
  { value: "owing", label: "Owes" },
] as const;
const OWN_TABS = [
  { value: "seeding", label: "I seed" },
  { value: "leeching", label: "I fetch" },
  { value: "complete", label: "I have" },
  { value: "owing", label: "I owe" },
] as const;

export function TorrentsPanel({ member, own }: Props) {
  return (
    <Panel title={own ? "What you hold" : "What they hold"} id="torrents">
      <Tabs<Standing> label="Uploads by how they stand" param="shows" tabs={own ? OWN_TABS : TABS}>
        {(standing) => <Uploads key={standing} member={member} own={own} standing={standing} />}
      </Tabs>
    </Panel>
  );
}

function Uploads({ member, own, standing }: Props & { standing: Standing }) {
  const [freeing, setFreeing] = useState<Taken | null>(null);
  const list = useList(`taken ${member.id} ${standing}`, (cursor, limit) => api.taken(member.id, standing, { cursor, limit }), { topics: ["uploads"] });
  const columns = standing === "owing" ? OWING : COLUMNS;
  const acts: Column<Taken>[] = may("moderator") ? [{ name: "Acts", kind: "acts", cell: (one) => <Free one={one} onClick={() => setFreeing(one)} /> }] : [];
  return (
    <>
      <ListView list={list} one="upload" rows={3} empty={<Nothing standing={standing} own={own} />}>
        {(rows) => <Table caption={`Uploads: ${standing}`} columns={[...columns, ...acts]} rows={rows} id={(one) => one.upload.id} faded={(one) => one.upload.removed} />}
      </ListView>
      {freeing && <Exempt member={member} taken={freeing} onClose={() => setFreeing(null)} onDone={() => void list.reload()} />}
    </>
  );
}

const UPLOAD: Column<Taken> = {
  name: "Upload",
  kind: "main",
  cell: (one) => (
    <>
      <a href={`/uploads/${one.upload.id}`}>{one.upload.name}</a>{" "}
      <span class="badges">
        {one.upload.removed && <Badge tone="bad">removed</Badge>}
        <Standings of={one} />
      </span>
      <span class="cell-sub">{[bytes(one.upload.size), clients(one)].filter(Boolean).join(" · ")}</span>
    </>
  ),
};
const COLUMNS: Column<Taken>[] = [
  UPLOAD,
  { name: "Uploaded", kind: "number", cell: (one) => <Size of={one.uploaded} /> },
  { name: "Downloaded", kind: "number", cell: (one) => <Size of={one.downloaded} /> },
  { name: "Time", kind: "number", cell: (one) => duration(one.time) },
  { name: "Completed", kind: "number", cell: (one) => <Time at={one.snatched} never="—" /> },
];
const OWING: Column<Taken>[] = [
  UPLOAD,
  { name: "Downloaded", kind: "number", cell: (one) => <Size of={one.downloaded} /> },
  { name: "Seeded so far", cell: (one) => <Has share={one.time / (one.time + one.time_owed)} /> },
  { name: "Still owed", kind: "number", cell: (one) => <strong class={one.hnr === null ? "warm" : "minus"}>{duration(one.time_owed)}</strong> },
];

function Free({ one, onClick }: { one: Taken; onClick: () => void }) {
  if (!one.exempt && !one.time_owed) return null;
  return <Button kind="quiet" label={`${one.exempt ? "Take back the exemption for" : "Exempt for"} ${one.upload.name}`} onClick={onClick}>{one.exempt ? "Take back…" : "Exempt…"}</Button>;
}

function Exempt({ member, taken, onClose, onDone }: { member: Member; taken: Taken; onClose: () => void; onDone: () => void }) {
  const [reason, setReason] = useState("");
  const free = !taken.exempt;
  const act = useAction(async () => {
    await api.exempt(member.id, taken.upload.id, free, reason.trim());
    say(free ? `${member.name} owes this upload nothing any more.` : `${member.name} owes this upload again.`);
    onDone();
    onClose();
  });
  return (
    <Dialog title={free ? `Exempt ${member.name}?` : "Take the exemption back?"} onClose={onClose}>
      <Form onSend={() => void act.run()}>
        <p><strong class="breakable">{taken.upload.name}</strong>: {free ? `the ${duration(taken.time_owed)} still owed are waived, and it leaves the list of hit-and-runs.` : "what was owed counts again from now on."}</p>
        <Problem beside={["reason"]} error={act.error} />
        <Input label="Reason" name="reason" value={reason} onInput={setReason} required hint="It stays in the audit." error={act.error} />
        <footer class="dialog-acts">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" type="submit" busy={act.busy}>{free ? "Exempt" : "Take it back"}</Button>
        </footer>
      </Form>
    </Dialog>
  );
}

const EMPTY: Record<Standing, [own: string, theirs: string, todo: string]> = {
  seeding: ["You seed nothing right now.", "Nothing is seeded right now.", "Fetch a torrent from an upload's page and open it in your client: your own announce address is already in it."],
  leeching: ["You fetch nothing right now.", "Nothing is being fetched right now.", "Choose an upload, fetch its torrent, and open it in your client."],
  complete: ["You have nothing whole yet.", "Nothing is held whole yet.", "What your client has completed, or began to seed, stands here from then on."],
  owing: ["You owe nothing.", "Nothing is owed.", "What one fetches is owed some time of seeding; here stands how much is left, and what one ran from."],
};

function Nothing({ standing, own }: { standing: Standing; own: boolean }) {
  const [mine, theirs, todo] = EMPTY[standing];
  return (
    <Empty title={own ? mine : theirs}>
      {(own || standing === "owing") && <p>{todo}</p>}
      {own && standing !== "owing" && <a class="button button-main" href="/uploads">All uploads</a>}
    </Empty>
  );
}
