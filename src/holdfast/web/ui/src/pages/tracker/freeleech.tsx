// Times in which what everybody moves is credited by other shares.
import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { Freeleech } from "../../model.ts";
import { presently } from "../../now.ts";
import { Badge, Button, Panel, Problem, Time, type Tone } from "../../parts/basics.tsx";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { Form, Input } from "../../parts/form.tsx";
import { ListView } from "../../parts/table.tsx";
import { useAction, useList } from "../../resource.ts";
import { may } from "../../session.ts";
import { spellShares } from "../../shares.ts";

export function FreeleechPanel() {
  const [adding, setAdding] = useState(false);
  const [ending, setEnding] = useState<Freeleech | null>(null);
  const list = useList("freeleech", (cursor, limit) => api.freeleech({ cursor, limit }), { topics: ["audit"] });
  const crew = may("operator");
  return (
    <Panel title="Freeleech" id="freeleech" aside={crew && <Button icon="add" onClick={() => setAdding(true)}>Begin one</Button>}>
      <ListView list={list} one="freeleech" many="freeleeches" rows={1} empty={<p class="faint">There was none yet. In a freeleech, what is downloaded is not counted.</p>}>
        {(rows) => (
          <ul class="lines">
            {rows.map((one) => (
              <li key={one.id} class="line">
                <div>
                  <p class="breakable">{one.reason} <Standing of={one} /></p>
                  <p class="faint">{spellShares(one)} · {one.starts > presently() ? <>begins <Time at={one.starts} />, </> : null}{one.ends > presently() ? "ends" : "ended"} <Time at={one.ends} /></p>
                </div>
                {crew && one.ends > presently() && <Button kind="quiet" label={`End “${one.reason}”`} onClick={() => setEnding(one)}>End</Button>}
              </li>
            ))}
          </ul>
        )}
      </ListView>
      {adding && <Begin onClose={() => setAdding(false)} onDone={() => void list.reload()} />}
      {ending && (
        <Confirm title="End this freeleech?" act="End it now" danger onClose={() => setEnding(null)}
          onYes={async () => { await api.endFreeleech(ending.id); await list.reload(); }}>
          <p><strong class="breakable">{ending.reason}</strong>: from the next announce on, everything is credited as usual. One that has not begun never will.</p>
        </Confirm>
      )}
    </Panel>
  );
}

function Standing({ of }: { of: Freeleech }) {
  const [tone, word]: [Tone, string] = of.ends <= presently() || of.ends <= of.starts ? ["plain", "over"] : of.starts > presently() ? ["sea", "planned"] : ["good", "in force"];
  return <Badge tone={tone}>{word}</Badge>;
}

function Begin({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [reason, setReason] = useState("");
  const [starts, setStarts] = useState("");
  const [hours, setHours] = useState("24");
  const [up, setUp] = useState("1");
  const [down, setDown] = useState("0");
  const begin = useAction(async () => {
    const from = starts ? new Date(starts).getTime() / 1000 : Date.now() / 1000;
    await api.addFreeleech({ starts: from, ends: from + Number(hours) * 3600, multi_up: Number(up), multi_down: Number(down), reason: reason.trim() });
    onDone();
    onClose();
  });
  return (
    <Dialog title="Begin a freeleech" onClose={onClose}>
      <Form onSend={() => void begin.run()}>
        <Problem beside={["reason", "starts", "ends", "multi_up", "multi_down"]} error={begin.error} />
        <Input label="Reason" name="reason" value={reason} onInput={setReason} required hint="Everybody reads it." error={begin.error} />
        <Input label="Begins" name="starts" type="datetime-local" value={starts} onInput={setStarts} hint="In your own time; empty: at once." error={begin.error} />
        <Input label="Hours it lasts" name="ends" type="number" min={1} value={hours} onInput={setHours} required error={begin.error} />
        <Input label="Downloads count" name="multi_down" type="number" min={0} max={8} step={0.001} value={down} onInput={setDown} required hint="0: not at all, 0.5: half, 1: as they are." error={begin.error} />
        <Input label="Uploads count" name="multi_up" type="number" min={0} max={8} step={0.001} value={up} onInput={setUp} required hint="1: as they are, 2: twice." error={begin.error} />
        <footer class="dialog-acts">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" type="submit" busy={begin.busy}>{starts ? "Plan it" : "Begin it"}</Button>
        </footer>
      </Form>
    </Dialog>
  );
}
