// What comes in, as it comes in: it can be held still, and searched.
import { useEffect, useRef, useState } from "preact/hooks";
import { number, plural } from "../../format.ts";
import { granted, listen } from "../../live.ts";
import { grown, type Line, reportedOf, shown } from "../../log.ts";
import { Badge, Button, Panel, Size } from "../../parts/basics.tsx";
import { Check } from "../../parts/form.tsx";
import { Icon } from "../../parts/icon.tsx";

const ROWS = 100;
const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

/** Only where the feed speaks of items: a stranger has no feed. */
export function LiveLog({ slug }: { slug: string }) {
  const [lines, setLines] = useState<Line[]>([]);
  const [held, setHeld] = useState<Line[] | null>(null);
  const [words, setWords] = useState("");
  const [empty, setEmpty] = useState(false);
  const unshown = useRef(0);
  useEffect(() => listen(["items"], (event) => {
    const told = event && reportedOf(event, slug);
    if (!told) return;
    unshown.current += told.more;
    setLines((before) => grown(before, told, event.at));
  }), [slug]);
  if (!granted.value.has("items")) return null;
  const now = held ?? lines;
  const rows = shown(now, words, empty);
  const waiting = held ? (lines[0]?.key ?? 0) - (held[0]?.key ?? 0) : 0;
  return (
    <Panel title="Live" id="live" aside={<Button pressed={held !== null} onClick={() => setHeld(held ? null : lines)}>{held ? (waiting ? `Go on, ${plural(waiting, "more line")}` : "Go on") : "Hold still"}</Button>}>
      <div class="log-filters">
        <div class="search">
          <Icon name="search" size={18} />
          <input class="input" type="search" aria-label="Search the log" placeholder="Volunteer or item" value={words} spellcheck={false} autoComplete="off" onInput={(event) => setWords(event.currentTarget.value)} />
        </div>
        <Check label="Only what brought nothing home" checked={empty} onChange={setEmpty} />
      </div>
      {rows.length === 0 ? <p class="faint log-none">{now.length ? "No line is like that." : "Reports appear here the moment they come in."}</p> : (
        <ol class="log" aria-label="Reports" tabIndex={0}>
          {rows.slice(0, ROWS).map((one) => (
            <li key={one.key} class="log-line">
              <time class="faint figure" dateTime={new Date(one.at * 1000).toISOString()}>{clock.format(new Date(one.at * 1000))}</time>
              <a href={`/volunteers/${encodeURIComponent(one.name)}`}>{one.name}</a>
              <span class="log-items">{one.item}{one.items > 1 && ` and ${number(one.items - 1)} more`}{one.again && <> <Badge>again</Badge></>}</span>
              {one.bytes ? <Size of={one.bytes} /> : <Badge tone="warm">nothing</Badge>}
            </li>
          ))}
        </ol>
      )}
      {unshown.current > 0 && <p class="faint">{plural(unshown.current, "report")} came too fast to be shown.</p>}
    </Panel>
  );
}
