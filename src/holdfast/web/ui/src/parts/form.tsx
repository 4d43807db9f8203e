// Fields with a name, a hint and their own problem beside them.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { type ApiError, concerns } from "../api.ts";

type Common = {
  label: string;
  hint?: ComponentChildren;
  error?: ApiError | undefined;
  /** The name the server uses in its problems. */
  name: string;
  required?: boolean;
};

function problemOf(error: ApiError | undefined, name: string): string | undefined {
  return error?.fields.find((one) => concerns(one, name))?.detail;
}

function Around({ id, of, children }: { id: string; of: Common; children: ComponentChildren }) {
  const wrong = problemOf(of.error, of.name);
  return (
    <div class={wrong ? "field field-wrong" : "field"}>
      <label for={id}>{of.label}{!of.required && <span class="field-optional"> optional</span>}</label>
      {children}
      {of.hint && <p class="field-hint" id={`${id}-hint`}>{of.hint}</p>}
      {wrong && <p class="field-problem" id={`${id}-wrong`}>{wrong}</p>}
    </div>
  );
}

function described(id: string, of: Common): string | undefined {
  const ids = [of.hint ? `${id}-hint` : "", problemOf(of.error, of.name) ? `${id}-wrong` : ""].filter(Boolean);
  return ids.length ? ids.join(" ") : undefined;
}

type InputProps = Common & {
  value: string;
  onInput: (value: string) => void;
  type?: "text" | "password" | "email" | "number" | "search" | "date" | "datetime-local";
  autoComplete?: string;
  maxLength?: number;
  minLength?: number;
  min?: number;
  max?: number;
  step?: number;
  readOnly?: boolean;
};

export function Input({ value, onInput, type = "text", ...of }: InputProps) {
  const id = useId();
  const plain = type === "text" || type === "search";
  return (
    <Around id={id} of={of}>
      <input
        id={id}
        class="input"
        type={type as "text"}
        name={of.name}
        value={value}
        required={of.required}
        autoComplete={of.autoComplete ?? "off"}
        autoCapitalize={plain ? "none" : undefined}
        spellcheck={false}
        maxLength={of.maxLength}
        minLength={of.minLength}
        min={of.min}
        max={of.max}
        step={of.step}
        readOnly={of.readOnly}
        aria-invalid={problemOf(of.error, of.name) ? true : undefined}
        aria-describedby={described(id, of)}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </Around>
  );
}

export function TextArea({ value, onInput, rows = 3, mono = false, ...of }: InputProps & { rows?: number; mono?: boolean }) {
  const id = useId();
  return (
    <Around id={id} of={of}>
      <textarea
        id={id}
        class={mono ? "input input-mono" : "input"}
        name={of.name}
        rows={rows}
        value={value}
        required={of.required}
        spellcheck={!mono}
        maxLength={of.maxLength}
        aria-describedby={described(id, of)}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </Around>
  );
}

export type Choice = { value: string; label: string };

export function Select({ value, onInput, choices, ...of }: Common & {
  value: string; onInput: (value: string) => void; choices: readonly Choice[];
}) {
  const id = useId();
  return (
    <Around id={id} of={{ ...of, required: true }}>
      <select id={id} class="input" name={of.name} value={value} onChange={(event) => onInput(event.currentTarget.value)}>
        {choices.map((one) => <option key={one.value} value={one.value}>{one.label}</option>)}
      </select>
    </Around>
  );
}

export function Check({ label, hint, checked, onChange, disabled = false, shy = false }: {
  label: string; hint?: ComponentChildren; checked: boolean; onChange: (checked: boolean) => void;
  disabled?: boolean;
  /** The label is told to screen readers alone: in a table whose heads already say it. */
  shy?: boolean;
}) {
  const id = useId();
  const [wish, setWish] = useState<boolean | null>(null);
  useEffect(() => {
    if (!disabled) setWish(null); // saved or refused: what holds is what we were given
  }, [disabled, checked]);
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={wish ?? checked}
        disabled={disabled}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => {
          setWish(event.currentTarget.checked);
          onChange(event.currentTarget.checked);
        }}
      />
      <div>
        <label for={id} class={shy ? "unseen" : undefined}>{label}</label>
        {hint && <p class="field-hint" id={`${id}-hint`}>{hint}</p>}
      </div>
    </div>
  );
}

/** Enter sends, the page does not reload. */
export function Form({ onSend, children, label }: { onSend: () => void; children: ComponentChildren; label?: string }) {
  return (
    <form
      class="form"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      {children}
    </form>
  );
}
