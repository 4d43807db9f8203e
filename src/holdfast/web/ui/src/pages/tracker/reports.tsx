// What looks like cheating: staff looks at it, and says what it was.
import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { words } from "../../format.ts";
import { type Report, type Verdict, VERDICTS } from "../../model.ts";
import { Badge, Button, Empty, MemberLink, Panel, Problem, Time, type Tone } from "../../parts/basics.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Form, Input, Select } from "../../parts/form.tsx";
import { say } from "../../parts/said.tsx";
import { type Column, Filter, ListView, Table } from "../../parts/table.tsx";
import { spellReport } from "../../report.ts";
import { useAction, useList } from "../../resource.ts";
import { asked } from "../../router.ts";

const CHOICES = [["", "To settle"], ["settled", "Settled"]] as const;
const TONES: Record<Verdict, Tone> = { cheating: "bad", mistake: "good", unclear: "plain" };

export function ReportsPanel() {
  const [settling, setSettling] = useState<Report | null>(null);
  const settled = asked("reports") === "settled";
  const list = useList(`reports ${settled}`, (cursor, limit) => api.reports(settled, { cursor, limit }), { topics: ["audit"], every: 30 });
  const columns = settled ? [REPORT, ...COLUMNS, VERDICT] : [REPORT, ...COLUMNS, act(setSettling)];
  return (
    <Panel title="Reports" id="reports" aside={<Filter label="Reports" param="reports" choices={CHOICES} />}>
      <ListView list={list} one="report" rows={1} empty={settled ? <Empty title="None was settled yet." /> : <p class="faint">Nothing looks wrong. Impossible speeds, swarms that give more than they take, and torrents that leaked would be told here.</p>}>
        {(rows) => <Table caption="Reports" columns={columns} rows={rows} id={(one) => one.id} />}
      </ListView>
      {settling && <Settle report={settling} onClose={() => setSettling(null)} onDone={() => void list.reload()} />}
    </Panel>
  );
}

const REPORT: Column<Report> = {
  name: "Report",
  kind: "main",
  cell: (one) => (
    <>
      <MemberLink who={one.member} none="nobody in particular" /> <Badge tone="warm">{one.kind}</Badge>
      <span class="cell-sub">{spellReport(one)}</span>
    </>
  ),
};
const COLUMNS: Column<Report>[] = [
  { name: "Upload", cell: ({ upload }) => (upload ? <a href={`/uploads/${upload.id}`}>{upload.name}</a> : <span class="faint">none</span>) },
  { name: "Last", kind: "number", cell: (one) => <Time at={one.last} /> },
];
const VERDICT: Column<Report> = {
  name: "Verdict",
  cell: ({ settled }) => settled && (
    <>
      <Badge tone={TONES[settled.verdict]}>{settled.verdict}</Badge>
      <span class="cell-sub">{settled.note} (<MemberLink who={settled.by} none="the command line" />, <Time at={settled.at} />)</span>
    </>
  ),
};
const act = (settle: (report: Report) => void): Column<Report> => ({
  name: "Acts",
  kind: "acts",
  cell: (one) => <Button label={`Settle the report about ${one.member?.name ?? "nobody in particular"}`} onClick={() => settle(one)}>Settle…</Button>,
});

const MEANS: Record<Verdict, string> = {
  cheating: "they made it up",
  mistake: "there is an honest reason",
  unclear: "nobody can tell",
};

function Settle({ report, onClose, onDone }: { report: Report; onClose: () => void; onDone: () => void }) {
  const [verdict, setVerdict] = useState<Verdict>("unclear");
  const [note, setNote] = useState("");
  const settle = useAction(async () => {
    await api.settle(report.id, verdict, note.trim());
    say("Settled.");
    onDone();
    onClose();
  });
  return (
    <Dialog title="Settle this report" onClose={onClose}>
      <Form onSend={() => void settle.run()}>
        <p><MemberLink who={report.member} none="Nobody in particular" />: {spellReport(report)}. Settling changes nothing for them; what follows is yours to do.</p>
        <Problem beside={["note"]} error={settle.error} />
        <Select label="It was" name="verdict" value={verdict} onInput={(one) => setVerdict(one as Verdict)} choices={VERDICTS.map((value) => ({ value, label: `${words(value)}: ${MEANS[value]}` }))} />
        <Input label="Note" name="note" value={note} onInput={setNote} required hint="For whoever looks at the next one." error={settle.error} />
        <footer class="dialog-acts">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" type="submit" busy={settle.busy}>Settle it</Button>
        </footer>
      </Form>
    </Dialog>
  );
}
