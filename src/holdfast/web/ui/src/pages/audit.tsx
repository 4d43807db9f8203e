// Who changed what, when and from where; with what stood there before.
import { api } from "../api.ts";
import { type Change, difference, spellField } from "../difference.ts";
import { words } from "../format.ts";
import type { AuditEntry } from "../model.ts";
import { Badge, Button, Empty, PageHead, Time } from "../parts/basics.tsx";
import { Filter, ListView, Search } from "../parts/table.tsx";
import { useList } from "../resource.ts";
import { ask, asked } from "../router.ts";

const KINDS = [["", "Everything"], ["member", "Members"], ["upload", "Uploads"], ["category", "Categories"], ["token", "Tokens"], ["session", "Sessions"], ["whitelist", "Whitelist"]] as const;
const DOORS: Record<string, string> = { page: "through the pages", api: "through the API", cli: "on the command line", system: "by itself" };

export function AuditPage() {
  const query = { actor: asked("actor"), action: asked("action"), target_kind: asked("target_kind"), target_id: asked("target_id") };
  const list = useList(`audit ${JSON.stringify(query)}`, (cursor, limit) => api.audit({ ...query, cursor, limit }), { topics: ["audit"] });
  const filtered = Object.values(query).some(Boolean);
  return (
    <>
      <PageHead title="Audit" note="Every change by anybody, through any door." />
      <div class="filters" role="search">
        <Search label="By whom" param="actor" />
        <Search label="Action" param="action" />
        <Filter label="What" param="target_kind" choices={KINDS} />
        {query.target_id && <Button icon="close" onClick={() => ask({ target_id: "" })}>number {query.target_id}</Button>}
      </div>
      <ListView list={list} one="entry" many="entries" empty={filtered ? (
        <Empty title="Nothing fits."><Button onClick={() => ask({ actor: "", action: "", target_kind: "", target_id: "" })}>Show everything</Button></Empty>
      ) : <Empty title="Nobody has changed anything yet." />}>
        {(rows) => <ol class="trail">{rows.map((one) => <Entry key={one.id} entry={one} />)}</ol>}
      </ListView>
    </>
  );
}

const PAGES: Record<string, string> = { member: "members", upload: "uploads" };

function Target({ entry }: { entry: AuditEntry }) {
  const name = entry.target_name ?? (entry.target_id === null ? "" : `${entry.target_kind} ${entry.target_id}`);
  const place = PAGES[entry.target_kind];
  if (!name) return null;
  return place && entry.target_id !== null ? <a href={`/${place}/${entry.target_id}`}>{name}</a> : <span>{name}</span>;
}

function Entry({ entry }: { entry: AuditEntry }) {
  const changes = difference(entry.before, entry.after).filter((one) => entry.before !== null || one.after !== null);
  return (
    <li class="entry">
      <p class="entry-head">
        {entry.actor.id === null ? <strong>{entry.actor.name}</strong> : <a class="entry-actor" href={`/members/${entry.actor.id}`}>{entry.actor.name}</a>}
        {" "}<Badge tone="sea">{entry.action}</Badge>{" "}
        <Target entry={entry} />
      </p>
      {changes.length > 0 && (
        <dl class="changes">
          {changes.map((one) => <ChangeLine key={one.field} change={one} created={entry.before === null} />)}
        </dl>
      )}
      <p class="faint entry-foot">
        <Time at={entry.at} /> {DOORS[entry.door] ?? entry.door}{entry.address && <> from <span class="mono">{entry.address}</span></>}
        {entry.request_id && <span class="request-id"> · request <code>{entry.request_id}</code></span>}
      </p>
    </li>
  );
}

function ChangeLine({ change, created }: { change: Change; created: boolean }) {
  const had = "before" in change;
  const has = "after" in change;
  return (
    <div class="change">
      <dt>{words(change.field)}</dt>
      <dd>
        {had && <del>{spellField(change.field, change.before)}</del>}
        {had && has && <span class="arrow" aria-label="became"> → </span>}
        {has && (created ? <span class="breakable">{spellField(change.field, change.after)}</span> : <ins>{spellField(change.field, change.after)}</ins>)}
        {had && !has && <span class="faint"> gone</span>}
      </dd>
    </div>
  );
}
