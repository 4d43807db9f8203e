// A project as everybody sees it: how far, how fast, by whom, under which limits.
import { useEffect, useState } from "preact/hooks";
import { api } from "../../api.ts";
import { bytes, duration, number } from "../../format.ts";
import { listen } from "../../live.ts";
import { reportedOf } from "../../log.ts";
import type { Board, ItemCounts } from "../../model.ts";
import { mine } from "../../mine.ts";
import { Count, Empty, Fact, Facts, Panel, Size } from "../../parts/basics.tsx";
import { Far, FarLegend } from "../../parts/far.tsx";
import { Bar } from "../../parts/gauge.tsx";
import { Growth, useGrowth } from "../../parts/growth.tsx";
import { Surface } from "../../parts/kelp.tsx";
import { Filter } from "../../parts/table.tsx";
import { doneShare, pace, spellPace, timeLeft } from "../../progress.ts";
import { spellRate } from "../../rate.ts";
import { type Resource, useResource } from "../../resource.ts";
import { asked } from "../../router.ts";
import { may } from "../../session.ts";
import { Leaders } from "./leaders.tsx";
import { LiveLog } from "./live-log.tsx";

const SECONDS = 10;

/** Fetched now and then; in between, what the live feed says of the items. */
export function useBoard(slug: string): Resource<Board> {
  const view = useResource(`board ${slug}`, () => api.board(slug), { every: SECONDS });
  const [heard, setHeard] = useState<{ at: number; counts: ItemCounts } | null>(null);
  useEffect(() => {
    setHeard(null);
    return listen(["items"], (event) => {
      const told = event && reportedOf(event, slug);
      if (told) setHeard({ at: event.at, counts: told.counts });
    });
  }, [slug]);
  const { data } = view;
  return data && heard && heard.at > data.at ? { ...view, data: { ...data, ...heard } } : view;
}

export function BoardView({ board }: { board: Board }) {
  const { added } = board.counts;
  return (
    <div class="board">
      {board.message && <p class="said-by-crew prose">{board.message}</p>}
      {added === 0 ? <NoItems /> : <Water board={board} />}
      {added > 0 && <Growing slug={board.slug} />}
      <LiveLog slug={board.slug} />
      <Leaders slug={board.slug} />
      <div class="panels">
        <Rules board={board} />
        <Domains board={board} />
      </div>
    </div>
  );
}

function NoItems() {
  return (
    <Empty title="There is nothing to do yet.">
      {may("moderator")
        ? <p>Put names of items into a queue under <a href="?part=queues">Queues</a>, and volunteers' clients are given them.</p>
        : <p>Its items are still being gathered. Clients may wait: they are served as soon as there are some.</p>}
    </Empty>
  );
}

function Water({ board }: { board: Board }) {
  const { counts } = board;
  const sums = useGrowth(board.slug).data;
  const total = Object.values(board.domain_bytes).reduce((sum, one) => sum + one, 0);
  const items = sums ? pace(sums.items, { at: board.at, sum: counts.done }) : null;
  const load = sums ? pace(sums.bytes, { at: board.at, sum: total }) : null;
  const left = board.state === "active" || board.state === "draining" ? timeLeft(counts, items) : null;
  const spelled = items ? spellPace(items) : null;
  return (
    <section class="grove grove-low" aria-label="Progress">
      <Surface />
      <div class="grove-head">
        <dl class="life-counts">
          <div><dt>done</dt><dd class="figure">{doneShare(counts)}</dd></div>
          <div><dt>brought home</dt><dd><Size of={total} /></dd></div>
          {spelled && <div><dt>items a {spelled.per}</dt><dd class="figure">{spelled.count < 100 ? spellRate(spelled.count) : number(Math.round(spelled.count))}</dd></div>}
          {load !== null && load > 0 && <div><dt>a second</dt><dd class="figure">{bytes(Math.round(load))}</dd></div>}
          {left !== null && left > 0 && <div><dt>left, at this pace</dt><dd class="figure">{duration(left)}</dd></div>}
        </dl>
        <div class="far">
          <Far counts={counts} />
          <FarLegend counts={counts} />
        </div>
      </div>
    </section>
  );
}

function Growing({ slug }: { slug: string }) {
  const me = mine.value;
  const choices = [["", "Items"], ["bytes", "Bytes"], ...(me ? [["mine", `Bytes of ${me}`] as const] : [])] as const;
  const chosen = asked("chart");
  const own = chosen === "mine" && me !== "";
  return (
    <Panel title="How it grew" id="growth" aside={<Filter label="What the line shows" param="chart" choices={choices} />}>
      {own
        ? <Growth key="mine" slug={slug} of="bytes" label={`Bytes of ${me}`} volunteer={me} />
        : <Growth key={chosen} slug={slug} of={chosen === "bytes" ? "bytes" : "items"} label={chosen === "bytes" ? "Bytes" : "Items done"} />}
    </Panel>
  );
}

function Rules({ board }: { board: Board }) {
  const { per_minute, monitor, each } = board.limits;
  const held = [per_minute, monitor].filter((one) => one !== null);
  const least = held.length ? Math.min(...held) : null;
  return (
    <Panel title="How it gives out" id="rules">
      <Facts>
        <Fact name="Items a minute">{least === null ? "as many as are asked for" : least === 0 ? <span class="warm">none: it is held back</span> : <Count of={least} />}</Fact>
        <Fact name="One volunteer may hold">{each === null ? "any number" : <Count of={each} />}</Fact>
        {monitor !== null && <Fact name="Set by a monitor of the site">{number(monitor)} a minute</Fact>}
        <Fact name="Clients ask at" wide><code class="breakable">{location.origin}/{board.slug}/</code></Fact>
      </Facts>
    </Panel>
  );
}

function Domains({ board }: { board: Board }) {
  const all = Object.entries(board.domain_bytes).sort(([, one], [, other]) => other - one);
  if (!all.length) return null;
  const sum = all.reduce((sum, [, one]) => sum + one, 0);
  return (
    <Panel title="Bytes by kind" id="domains">
      <ul class="tallies">
        {all.map(([name, size]) => (
          <li key={name} class="tally">
            <span class="breakable">{board.domains[name] || name}</span>
            <Size of={size} />
            <Bar value={size} of={sum} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
