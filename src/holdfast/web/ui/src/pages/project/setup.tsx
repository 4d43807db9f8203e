// How a project is set up.
import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { type Project, type ProjectChange, PROJECT_STATES, type ProjectState } from "../../model.ts";
import { namesIn, pairsIn, spellPairs } from "../../names.ts";
import { Button, Panel, Problem } from "../../parts/basics.tsx";
import { Check, Form, Input, Select, TextArea } from "../../parts/form.tsx";
import { say } from "../../parts/said.tsx";
import { useAction } from "../../resource.ts";
import { may } from "../../session.ts";
import { MEANS } from "./state.tsx";

const HOUR = 3600;
const FIELDS = ["title", "state", "message", "item_type", "item_pattern", "domains", "lease", "attempts", "minimum_version", "refused_versions", "unknown", "host"];

type Wish = Omit<Required<ProjectChange>, "domains" | "lease" | "attempts" | "refused_versions"> & { domains: string; hours: string; attempts: string; refused: string };

function wishOf(one: Project): Wish {
  const { title, state, host, item_type, item_pattern, minimum_version, smooth, unknown, message } = one;
  return {
    title, state, host, item_type, item_pattern, minimum_version, smooth, unknown, message,
    domains: spellPairs(one.domains), hours: String(one.lease / HOUR), attempts: String(one.attempts), refused: one.refused_versions.join(" "),
  };
}

/** Only what differs is sent: two operators may change different things at once. */
function changes(project: Project, { domains, hours, attempts, refused, ...plain }: Wish): ProjectChange {
  const wanted: ProjectChange = { ...plain, domains: pairsIn(domains), lease: Number(hours) * HOUR, attempts: Number(attempts), refused_versions: namesIn(refused) };
  const names = Object.keys(wanted) as (keyof ProjectChange)[];
  return Object.fromEntries(names.filter((name) => JSON.stringify(wanted[name]) !== JSON.stringify(project[name])).map((name) => [name, wanted[name]]));
}

export function SetUp({ project, onDone }: { project: Project; onDone: (project: Project) => void }) {
  const [before, setBefore] = useState(project);
  const [wish, setWish] = useState(() => wishOf(project));
  const change = changes(before, wish);
  const set = (more: Partial<Wish>) => setWish({ ...wish, ...more });
  const save = useAction(async () => {
    const saved = await api.changeProject(project.slug, change);
    setBefore(saved);
    setWish(wishOf(saved));
    onDone(saved);
    say("Saved.");
  });
  const { error } = save;
  if (!may("operator")) return <Panel title="Set-up" id="setup"><p class="faint">Operators set projects up. You may fill queues, take claims back and set limits.</p></Panel>;
  return (
    <Form label="Set-up" onSend={() => void save.run()}>
      <Problem beside={FIELDS} error={error} />
      <Panel title="What people read" id="words">
        <Input label="Title" name="title" value={wish.title} onInput={(title) => set({ title })} required maxLength={128} error={error} />
        <TextArea label="Message" name="message" value={wish.message} onInput={(message) => set({ message })} maxLength={2048} hint="Stands above the board until you take it away." error={error} />
        <Select label="State" name="state" value={wish.state} onInput={(state) => set({ state: state as ProjectState })} choices={PROJECT_STATES.map((value) => ({ value, label: `${value}: ${MEANS[value]}` }))} error={error} />
        <TextArea label="Domains" name="domains" value={wish.domains} onInput={(domains) => set({ domains })} mono hint={<>Under which names clients count bytes: <code>key = what people read</code>, one in a line. Empty: any.</>} error={error} />
      </Panel>
      <Panel title="Items" id="items">
        <div class="fields">
          <Input label="One is called" name="item_type" value={wish.item_type} onInput={(item_type) => set({ item_type })} required maxLength={32} error={error} />
          <Input label="Names look like" name="item_pattern" value={wish.item_pattern} onInput={(item_pattern) => set({ item_pattern })} required hint="A regular expression that matches a whole name." error={error} />
          <Input label="Hours somebody may hold one" name="lease" type="number" min={0} step={0.01} value={wish.hours} onInput={(hours) => set({ hours })} required hint="0: until it is reported or taken back." error={error} />
          <Input label="Attempts" name="attempts" type="number" min={0} max={1000} value={wish.attempts} onInput={(attempts) => set({ attempts })} required hint="So often an item may fail before it is given up. 0: any number." error={error} />
        </div>
        <Select label="Who reports an unknown item hears" name="unknown" value={wish.unknown} onInput={(unknown) => set({ unknown: unknown as Project["unknown"] })} error={error}
          choices={[{ value: "ok", label: "OK, so that the client goes on" }, { value: "invalid", label: "that it is invalid" }]} />
        <Check label="Give out evenly" checked={wish.smooth} onChange={(smooth) => set({ smooth })} hint="The limit of a minute is spread over its seconds." />
      </Panel>
      <Panel title="Scripts" id="scripts">
        <div class="fields">
          <Input label="Minimum version" name="minimum_version" value={wish.minimum_version} onInput={(minimum_version) => set({ minimum_version })} maxLength={64} hint="Such as 20260101.01; older ones get no items." error={error} />
          <Input label="Refused versions" name="refused_versions" value={wish.refused} onInput={(refused) => set({ refused })} hint="Apart by blanks." error={error} />
          <Input label="Host" name="host" value={wish.host} onInput={(host) => set({ host })} maxLength={253} hint="A host name at which addresses without a slug mean this project." error={error} />
        </div>
      </Panel>
      <footer class="dialog-acts">
        <Button disabled={!Object.keys(change).length} onClick={() => setWish(wishOf(before))}>Undo</Button>
        <Button kind="main" type="submit" busy={save.busy} disabled={!Object.keys(change).length}>Save</Button>
      </footer>
    </Form>
  );
}
