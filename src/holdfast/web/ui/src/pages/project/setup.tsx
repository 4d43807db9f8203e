// How a project is set up.
import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { type Project, type ProjectChange, PROJECT_STATES, type ProjectState } from "../../model.ts";
import { namesIn, pairsIn, spellPairs } from "../../names.ts";
import { Button, Copyable, Panel, Problem } from "../../parts/basics.tsx";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { Check, Form, Input, Select, TextArea } from "../../parts/form.tsx";
import { say } from "../../parts/said.tsx";
import { useAction } from "../../resource.ts";
import { may } from "../../session.ts";
import { MEANS } from "./state.tsx";

const HOUR = 3600;
const FIELDS = ["title", "state", "message", "item_type", "item_pattern", "domains", "lease", "attempts", "minimum_version", "refused_versions", "unknown", "host", "description", "repository", "logo", "leaderboard", "deadline", "weight", "backfeed_queue"];

const DAY = 24 * HOUR;

type Typed = { domains: string; hours: string; attempts: string; refused: string; weight: string; deadline: string };
type Wish = Omit<Required<ProjectChange>, keyof Typed | "lease" | "refused_versions"> & Typed;

function wishOf(one: Project): Wish {
  const { title, state, host, item_type, item_pattern, minimum_version, smooth, unknown, message } = one;
  const { description, repository, logo, leaderboard, rescue, backfeed_queue } = one;
  return {
    title, state, host, item_type, item_pattern, minimum_version, smooth, unknown, message,
    description, repository, logo, leaderboard, rescue, backfeed_queue,
    weight: String(one.weight), deadline: one.deadline ? new Date(one.deadline * 1000).toISOString().slice(0, 10) : "",
    domains: spellPairs(one.domains), hours: String(one.lease / HOUR), attempts: String(one.attempts), refused: one.refused_versions.join(" "),
  };
}

/** Only what differs is sent: two operators may change different things at once. */
function changes(project: Project, { domains, hours, attempts, refused, weight, deadline, ...plain }: Wish): ProjectChange {
  const day = deadline ? Date.parse(deadline) / 1000 : 0;
  // A date says nothing of the hour that was set elsewhere.
  const kept = day === Math.floor(project.deadline / DAY) * DAY ? project.deadline : day;
  const wanted: ProjectChange = { ...plain, weight: Number(weight), deadline: kept, domains: pairsIn(domains), lease: Number(hours) * HOUR, attempts: Number(attempts), refused_versions: namesIn(refused) };
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
      <Panel title="What warriors are told" id="warriors">
        <TextArea label="Description" name="description" value={wish.description} onInput={(description) => set({ description })} maxLength={2048} error={error} />
        <div class="fields">
          <Input label="Repository" name="repository" value={wish.repository} onInput={(repository) => set({ repository })} hint="Where warriors clone its script; empty: it is not offered to them." error={error} />
          <Input label="Logo" name="logo" value={wish.logo} onInput={(logo) => set({ logo })} hint="Its address." error={error} />
          <Input label="Leaderboard" name="leaderboard" value={wish.leaderboard} onInput={(leaderboard) => set({ leaderboard })} hint="Empty: this page." error={error} />
          <Input label="Deadline" name="deadline" type="date" value={wish.deadline} onInput={(deadline) => set({ deadline })} error={error} />
          <Input label="Weight" name="weight" type="number" min={0} step={0.01} value={wish.weight} onInput={(weight) => set({ weight })} required hint="How often warriors choose it that leave the choice to us." error={error} />
        </div>
      </Panel>
      <Panel title="Discovered items" id="discovered" aside={<NewKey slug={project.slug} />}>
        <div class="fields">
          <Input label="Go to the queue" name="backfeed_queue" value={wish.backfeed_queue} onInput={(backfeed_queue) => set({ backfeed_queue })} required error={error} />
        </div>
        <Check label="Everybody may add items" checked={wish.rescue} onChange={(rescue) => set({ rescue })} hint={<>At <code class="breakable">{location.origin}/{project.slug}/rescue-me</code></>} />
      </Panel>
      <footer class="dialog-acts">
        <Button disabled={!Object.keys(change).length} onClick={() => setWish(wishOf(before))}>Undo</Button>
        <Button kind="main" type="submit" busy={save.busy} disabled={!Object.keys(change).length}>Save</Button>
      </footer>
    </Form>
  );
}

function NewKey({ slug }: { slug: string }) {
  const [asking, setAsking] = useState(false);
  const [path, setPath] = useState("");
  return (
    <>
      <Button icon="key" onClick={() => setAsking(true)}>New key…</Button>
      {asking && (
        <Confirm title="Make a new key?" act="Make it" onClose={() => setAsking(false)} onYes={async () => setPath((await api.newKey(slug)).path)}>
          <p>Scripts that find further items send them to an address with this key in it. A key that was made before is good no more.</p>
        </Confirm>
      )}
      {path && (
        <Dialog title="The address for discovered items" firm onClose={() => setPath("")}>
          <p>It is shown this once. Whoever has it can add items.</p>
          <Copyable label="Address" value={location.origin + path} />
          <footer class="dialog-acts"><Button kind="main" onClick={() => setPath("")}>I have it</Button></footer>
        </Dialog>
      )}
    </>
  );
}
