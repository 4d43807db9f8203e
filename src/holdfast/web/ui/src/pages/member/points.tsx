// The ledger: every point that came or went, and why.
import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { exactNumber } from "../../format.ts";
import type { Member, PointsEntry } from "../../model.ts";
import { Button, Count, Empty, MemberLink, Problem, Time } from "../../parts/basics.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Form, Input } from "../../parts/form.tsx";
import { type Column, ListView, Table } from "../../parts/table.tsx";
import { useAction, useList } from "../../resource.ts";
import { may } from "../../session.ts";

const signed = (amount: number) => `${amount > 0 ? "+" : amount < 0 ? "−" : ""}${exactNumber(Math.abs(amount))}`;

const COLUMNS: Column<PointsEntry>[] = [
  {
    name: "Reason",
    kind: "main",
    cell: (one) => (one.upload_id === null ? one.reason : <a href={`/uploads/${one.upload_id}`}>{one.reason}</a>),
  },
  { name: "Amount", kind: "number", cell: (one) => <span class={one.amount < 0 ? "minus" : "plus"}>{signed(one.amount)}</span> },
  { name: "Balance after", kind: "number", cell: (one) => exactNumber(one.balance_after) },
  { name: "By", cell: (one) => <MemberLink who={one.by} none="Holdfast" /> },
  { name: "When", kind: "number", cell: (one) => <Time at={one.at} /> },
];

export function PointsPanel({ member }: { member: Member }) {
  const [granting, setGranting] = useState(false);
  const list = useList(`points ${member.id}`, (cursor, limit) => api.points(member.id, { cursor, limit }), { topics: ["members"] });
  return (
    <section class="panel" aria-labelledby="points-title">
      <header class="panel-head">
        <h2 id="points-title">Points <Count of={member.points} /></h2>
        {may("operator") && <Button icon="add" onClick={() => setGranting(true)}>Grant points</Button>}
      </header>
      <ListView list={list} one="entry" many="entries" rows={3} empty={<Empty title="No points yet."><p>They come with uploads, as their category says, or are granted.</p></Empty>}>
        {(rows) => <Table caption="Points ledger" columns={COLUMNS} rows={rows} id={(one) => one.id} />}
      </ListView>
      {granting && <Grant member={member} onClose={() => setGranting(false)} onDone={() => void list.reload()} />}
    </section>
  );
}

function Grant({ member, onClose, onDone }: { member: Member; onClose: () => void; onDone: () => void }) {
  const [amount, setAmount] = useState("");
  const [reason, setReason] = useState("");
  const grant = useAction(async () => {
    await api.grant(member.id, Number(amount), reason.trim());
    onDone();
    onClose();
  });
  return (
    <Dialog title={`Grant points to ${member.name}`} onClose={onClose}>
      <Form onSend={() => void grant.run()}>
        <Problem beside={["amount", "reason"]} error={grant.error} />
        <Input label="Amount" name="amount" type="number" value={amount} onInput={setAmount} required hint="A negative amount takes points away." error={grant.error} />
        <Input label="Reason" name="reason" value={reason} onInput={setReason} required hint="They read it, and it stays in the ledger." error={grant.error} />
        <footer class="dialog-acts">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" type="submit" busy={grant.busy}>Write into the ledger</Button>
        </footer>
      </Form>
    </Dialog>
  );
}
