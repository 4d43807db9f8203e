// The smallest pieces that every page is written with.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type ApiError, concerns } from "../api.ts";
import { bytes, exact, exactNumber, number, relative } from "../format.ts";
import type { Role, Who } from "../model.ts";
import { now } from "../now.ts";
import { Icon, type IconName } from "./icon.tsx";
import { say } from "./said.tsx";

type Children = { children?: ComponentChildren };

export function Time({ at, never = "never" }: { at: number | null; never?: string }) {
  if (at === null || at === undefined) return <span class="faint">{never}</span>;
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={exact(at)}>
      {relative(at, now.value)}
    </time>
  );
}

export function Size({ of }: { of: number }) {
  return <span class="figure" title={`${exactNumber(of)} bytes`}>{bytes(of)}</span>;
}

export function Count({ of }: { of: number }) {
  return <span class="figure" title={exactNumber(of)}>{number(of)}</span>;
}

export type Tone = "plain" | "good" | "warm" | "bad" | "sea";

export function Badge({ tone = "plain", children }: Children & { tone?: Tone }) {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}

const ROLE_TONE: Record<Role, Tone> = { member: "plain", moderator: "sea", operator: "warm" };

export function Roles({ of }: { of: readonly Role[] }) {
  return (
    <span class="badges">
      {of.map((role) => <Badge key={role} tone={ROLE_TONE[role]}>{role}</Badge>)}
    </span>
  );
}

export function MemberLink({ who, none = "somebody who left" }: { who: Who | null; none?: string }) {
  return who ? <a href={`/members/${who.id}`}>{who.name}</a> : <span class="faint">{none}</span>;
}

type ButtonProps = Children & {
  kind?: "plain" | "main" | "danger" | "quiet";
  icon?: IconName;
  busy?: boolean;
  disabled?: boolean;
  type?: "button" | "submit";
  onClick?: (event: MouseEvent) => void;
  label?: string;
  pressed?: boolean;
};

export function Button({ kind = "plain", icon, busy = false, type = "button", children, ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      class={`button button-${kind}`}
      onClick={rest.onClick}
      disabled={rest.disabled}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      aria-label={rest.label}
      aria-pressed={rest.pressed}
    >
      {busy ? <span class="spinner" aria-hidden="true" /> : icon ? <Icon name={icon} size={18} /> : null}
      {children}
    </button>
  );
}

/** A problem, in the server's sentence, where it belongs; the request's id for whoever is asked for help. */
type ProblemProps = Children & {
  error: ApiError | undefined | null;
  /** Fields that say beside themselves what is wrong with them. */
  beside?: readonly string[];
};

export function Problem({ error, beside = [], children }: ProblemProps) {
  if (!error) return null;
  const fields = error.fields.filter((one) => !beside.some((name) => concerns(one, name)));
  return (
    <div class="problem" role="alert">
      <Icon name="warning" />
      <div>
        <p>{error.message}</p>
        {fields.length > 0 && (
          <ul>
            {fields.map((one) => <li key={one.field}><code>{one.field}</code> {one.detail}</li>)}
          </ul>
        )}
        {children}
        {error.requestId && <p class="request-id">request <code>{error.requestId}</code></p>}
      </div>
    </div>
  );
}

async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // not https, or not allowed
  }
}

/** Something to carry elsewhere: shown whole, selected by a click, copied by the button. */
export function Copyable({ value, label, secret = false }: { value: string; label: string; secret?: boolean }) {
  const [done, setDone] = useState(false);
  const [open, setOpen] = useState(!secret);
  const copy = async () => {
    const copied = await toClipboard(value);
    if (copied) {
      setDone(true);
      window.setTimeout(() => setDone(false), 2000);
    } else setOpen(true);
    say(copied ? `${label} copied.` : "This browser does not let pages copy; mark the text and copy it yourself.");
  };
  return (
    <div class="copyable">
      <output aria-label={label} class={open ? "copyable-text" : "copyable-text copyable-hidden"}>
        {open ? value : "•".repeat(Math.min(value.length, 32))}
      </output>
      {secret && (
        <Button kind="quiet" onClick={() => setOpen(!open)} label={`${open ? "Hide" : "Show"} ${label.toLowerCase()}`}>
          {open ? "Hide" : "Show"}
        </Button>
      )}
      <Button kind="quiet" icon={done ? "check" : "copy"} onClick={copy} label={`Copy ${label.toLowerCase()}`}>
        {done ? "Copied" : "Copy"}
      </Button>
    </div>
  );
}

/** Nothing here yet, and what to do first. */
export function Empty({ title, children }: Children & { title: string }) {
  return (
    <div class="empty">
      <svg viewBox="0 0 120 72" width="120" height="72" aria-hidden="true">
        <path class="empty-rock" d="M10 70c4-12 16-18 30-18 10 0 13 4 22 4 10 0 14-6 24-4 14 2 20 10 24 18z" />
        <path class="empty-kelp" d="M58 56c-4-8 3-14 0-22s2-14 0-24M58 55c-6 2-9 6-12 11M59 55c5 2 8 5 11 10M58 55v13" />
        <path class="empty-blade" d="M58 38c-10 1-17-3-20-11 10-1 18 3 20 11zM59 26c8 2 15-1 19-9-9-2-16 1-19 9z" />
        <circle class="empty-float" cx="66" cy="40" r="4.500" />
      </svg>
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

export function Panel({ title, children, aside, id }: Children & { title: string; aside?: ComponentChildren; id?: string }) {
  return (
    <section class="panel" aria-labelledby={id ? `${id}-title` : undefined} id={id}>
      <header class="panel-head">
        <h2 id={id ? `${id}-title` : undefined}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

export function PageHead({ title, children, note }: Children & { title: ComponentChildren; note?: ComponentChildren }) {
  return (
    <header class="page-head">
      <div class="page-head-words">
        <h1 tabIndex={-1}>{title}</h1>
        {note && <p class="page-note">{note}</p>}
      </div>
      {children && <div class="page-acts">{children}</div>}
    </header>
  );
}

export function Facts({ children }: Children) {
  return <dl class="facts">{children}</dl>;
}

export function Fact({ name, children, wide = false }: Children & { name: string; wide?: boolean }) {
  return (
    <div class={wide ? "fact fact-wide" : "fact"}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Text in which `backticks` mark what is typed. */
export function Prose({ text }: { text: string }) {
  return <>{text.split("`").map((part, index) => (index % 2 ? <code key={index}>{part}</code> : part))}</>;
}

/** As tall as what will stand there, so that nothing jumps when it arrives. */
export function Skeleton({ rows = 6, kind = "row" }: { rows?: number; kind?: "row" | "fact" | "block" }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => <div key={index} class={`bone bone-${kind} bone-${index % 4}`} />)}
    </div>
  );
}
