// The life of what is saved, as one plant: from the surface where it is found to the rock that keeps it.
import { api } from "../api.ts";
import { bytes, number } from "../format.ts";
import type { Overview, Upload, Verb, VerbName } from "../model.ts";
import { Badge, Count, Empty, PageHead, Panel, Problem, Button, Size, Skeleton, Time, MemberLink } from "../parts/basics.tsx";
import { Icon } from "../parts/icon.tsx";
import { Depths, Reach, Surface } from "../parts/kelp.tsx";
import { presently } from "../now.ts";
import { useResource } from "../resource.ts";
import { may } from "../session.ts";
import { spellShares } from "../shares.ts";

export function OverviewPage() {
  const view = useResource("overview", api.overview, { topics: ["uploads", "members", "notices"], every: 30 });
  const { data, error } = view;
  if (!data) {
    return (
      <>
        <PageHead title="Overview" />
        {error ? <Problem error={error}><Button onClick={() => void view.reload()}>Try again</Button></Problem> : <Skeleton rows={5} kind="block" />}
      </>
    );
  }
  const fresh = data.counts.uploads === 0;
  return (
    <>
      <Problem error={error} />
      {may("moderator") && <Alarms />}
      <InForce />
      <Life view={data} />
      {fresh && <First counts={data.counts} />}
      {!fresh && (
        <Panel title="Newest uploads" id="recent" aside={<a href="/uploads">All uploads</a>}>
          <Recent uploads={data.recent.uploads} />
        </Panel>
      )}
    </>
  );
}

/** What the crew must know before anything else. */
function Alarms() {
  const { data } = useResource("system", api.system, { topics: ["system"] });
  if (!data?.alarms.length) return null;
  return (
    <ul class="alarms" aria-label="Alarms">
      {data.alarms.map((one) => (
        <li key={one.text} class={`alarm alarm-${one.level}`}>
          <Icon name="warning" />
          <span><strong>{one.level === "alarm" ? "Alarm: " : "Warning: "}</strong>{one.text}</span>
          <a href="/system">System</a>
        </li>
      ))}
    </ul>
  );
}

/** What everybody should know before they fetch anything. */
function InForce() {
  const { data } = useResource("freeleech now", () => api.freeleech({ limit: 10 }), { every: 60 });
  const at = presently();
  return (
    <>
      {data?.items.filter((one) => one.starts <= at && at < one.ends).map((one) => (
        <p key={one.id} class="calm"><Icon name="down" size={18} /><span><strong>{one.reason}</strong>: {spellShares(one)}; it ends <Time at={one.ends} />.</span></p>
      ))}
    </>
  );
}

function Life({ view }: { view: Overview }) {
  const { counts } = view;
  return (
    <section class="life" aria-labelledby="life-title">
      <Surface />
      <Depths />
      <header class="life-head">
        <h1 id="life-title" tabIndex={-1}>{view.community || "Holdfast"}</h1>
        <p>{counts.uploads ? "What is found at the surface is held on the rock." : "The water is still. What a community refuses to lose will hold on here."}</p>
        <dl class="life-counts">
          <div><dt>{counts.uploads === 1 ? "upload" : "uploads"}</dt><dd><Count of={counts.uploads} /></dd></div>
          <div><dt>kept</dt><dd><Size of={counts.size} /></dd></div>
          <div><dt>{counts.members === 1 ? "member" : "members"}</dt><dd><Count of={counts.members} /></dd></div>
          {counts.removed > 0 && <div><dt>removed</dt><dd><Count of={counts.removed} /></dd></div>}
        </dl>
      </header>
      <ol class="verbs">
        {view.verbs.map((verb, index) => (
          <VerbRow key={verb.verb} verb={verb} index={index} last={index === view.verbs.length - 1} />
        ))}
      </ol>
    </section>
  );
}

/** Where a verb is done. */
const PLACES: Partial<Record<VerbName, string>> = { spread: "/projects", share: "/uploads" };

function VerbRow({ verb, index, last }: { verb: Verb; index: number; last: boolean }) {
  const ready = verb.state === "ready";
  const place = PLACES[verb.verb];
  return (
    <li class={ready ? "verb" : "verb verb-coming"}>
      <Reach depth={index === 0 ? "surface" : last ? "rock" : "water"} side={index % 2 ? "left" : "right"} lit={ready} />
      <div class="verb-words">
        <h2><span class="verb-name">{place ? <a href={place}>{verb.verb}</a> : verb.verb}</span> {verb.title.toLowerCase() !== verb.verb && <span class="verb-title">{verb.title}</span>}</h2>
        <p class="verb-note">{verb.note}</p>
      </div>
      {ready ? (
        <dl class="verb-figures">
          {verb.figures.map((one) => (
            <div key={one.label}><dt>{caption(one)}</dt><dd>{figure(one.label, one.value)}</dd></div>
          ))}
        </dl>
      ) : <p class="verb-later">not yet grown</p>}
    </li>
  );
}

function caption({ label, value }: Verb["figures"][number]): string {
  if (label === "bytes") return "held";
  return value === 1 ? label.replace(/s\b/, "") : label;
}

function figure(label: string, value: number | string | null): string {
  if (value === null) return "—";
  if (typeof value === "string") return value;
  return /size|bytes|kept|volume/i.test(label) ? bytes(value) : number(value);
}

function First({ counts }: { counts: Overview["counts"] }) {
  const crew = may("operator");
  return (
    <Panel title="What to do first" id="first">
      <ol class="steps">
        {crew && (
          <li class={counts.members > 1 ? "step step-done" : "step"}>
            <h3>Invite somebody</h3>
            <p>A member has a name, a passkey for their client, and a one-time link to come in by.</p>
            <a class="button" href="/members?add=1"><Icon name="add" size={18} />Add a member</a>
          </li>
        )}
        <li class="step">
          <h3>Share the first thing</h3>
          <p>Drop a <code>.torrent</code>, or let Holdfast make one from a folder: <code class="breakable">holdfast upload add PATH --by NAME</code></p>
          <a class="button" href="/uploads?add=1"><Icon name="up" size={18} />Add an upload</a>
        </li>
        <li class="step">
          <h3>Seed it</h3>
          <p>Fetch its torrent from its page: your own announce address is already in it. Open it in any BitTorrent client.</p>
        </li>
        {crew && (
          <li class="step">
            <h3>Look at the machine</h3>
            <p>Parts, stores, disk and alarms, live; and everything anybody changed.</p>
            <a class="button" href="/system"><Icon name="system" size={18} />System</a>
          </li>
        )}
      </ol>
    </Panel>
  );
}

function Recent({ uploads }: { uploads: Upload[] }) {
  if (!uploads.length) return <Empty title="Nothing new." />;
  return (
    <ul class="recent">
      {uploads.map((one) => (
        <li key={one.id}>
          <a class="recent-name" href={`/uploads/${one.id}`}>{one.name}</a>
          <span class="recent-facts">
            <Badge>{one.category.name}</Badge>
            <Size of={one.size} />
            <span>by <MemberLink who={one.uploader} /></span>
            <Time at={one.created} />
          </span>
        </li>
      ))}
    </ul>
  );
}
