// Lists: a dense table where there is room, one card per row where there is not.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { plural } from "../format.ts";
import type { List } from "../resource.ts";
import { ask, asked } from "../router.ts";
import { Button, Problem, Skeleton } from "./basics.tsx";
import { Icon } from "./icon.tsx";

export type Column<T> = {
  name: string;
  cell: (row: T) => ComponentChildren;
  /** "main" heads the card on a phone, "number" stands to the right. */
  kind?: "main" | "number" | "acts";
};

type TableProps<T> = {
  caption: string;
  columns: Column<T>[];
  rows: readonly T[];
  id: (row: T) => string | number;
  faded?: (row: T) => boolean;
};

// The roles are spelled out because browsers forget them when a row is drawn as a card.
export function Table<T>({ caption, columns, rows, id, faded }: TableProps<T>) {
  return (
    <table class="table" role="table">
      <caption class="unseen">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">{columns.map((one) => <th key={one.name} role="columnheader" scope="col" class={`cell-${one.kind ?? "plain"}`}>{one.kind === "acts" ? <span class="unseen">{one.name}</span> : one.name}</th>)}</tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={id(row)} role="row" class={faded?.(row) ? "faded" : undefined}>
            {columns.map((one) => (
              <td key={one.name} role="cell" class={`cell-${one.kind ?? "plain"}`}>
                {one.kind !== "main" && one.kind !== "acts" && <span class="cell-name" aria-hidden="true">{one.name}</span>}
                <span class="cell-value">{one.cell(row)}</span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type ListViewProps<T> = {
  list: List<T>;
  /** What one of the rows is called. */
  one: string;
  many?: string;
  empty: ComponentChildren;
  children: (rows: T[]) => ComponentChildren;
  rows?: number;
};

/** Loading, problem, nothing, or the rows and the way to more of them. */
export function ListView<T>({ list, one, many, empty, children, rows = 8 }: ListViewProps<T>) {
  const { data, error } = list;
  if (!data) return error ? <Problem error={error}><Again list={list} /></Problem> : <Skeleton rows={rows} />;
  return (
    <>
      <Problem error={error} />
      {data.items.length ? children(data.items) : empty}
      {data.items.length > 0 && (
        <footer class="list-foot">
          <p class="faint">{data.next ? `The first ${plural(data.items.length, one, many)}` : plural(data.items.length, one, many)}</p>
          {data.next && <Button busy={list.growing} onClick={() => void list.more()}>Show more</Button>}
        </footer>
      )}
    </>
  );
}

function Again<T>({ list }: { list: List<T> }) {
  return <Button busy={list.busy} onClick={() => void list.reload()}>Try again</Button>;
}

/** A search whose words stand in the address; the server is asked when the typing pauses. */
export function Search({ label, param = "q" }: { label: string; param?: string }) {
  const inAddress = asked(param);
  const [text, setText] = useState(inAddress);
  const mine = useRef(inAddress);
  useEffect(() => {
    if (inAddress !== mine.current) {
      mine.current = inAddress;
      setText(inAddress);
    }
  }, [inAddress]);
  useEffect(() => {
    if (text.trim() === mine.current) return undefined;
    const timer = setTimeout(() => {
      mine.current = text.trim();
      ask({ [param]: mine.current });
    }, 250);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div class="search">
      <Icon name="search" size={18} />
      <input
        class="input"
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        spellcheck={false}
        autoComplete="off"
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </div>
  );
}

/** A choice that stands in the address. */
export function Filter({ label, param, choices }: { label: string; param: string; choices: readonly (readonly [value: string, label: string])[] }) {
  return (
    <select class="input filter" aria-label={label} value={asked(param)} onChange={(event) => ask({ [param]: event.currentTarget.value })}>
      {choices.map(([value, name]) => <option key={value} value={value}>{name}</option>)}
    </select>
  );
}
