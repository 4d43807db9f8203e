// Sends one operation of the API as it was filled in, and shows what came back.
import { useRef, useState } from "preact/hooks";
import { ApiError, headers } from "../api.ts";
import { bytes } from "../format.ts";
import { address, type Operation, type Parameter } from "../openapi.ts";
import { useAction } from "../resource.ts";
import { Badge, Button, Problem, Prose } from "./basics.tsx";
import { Form, Input, Select, TextArea } from "./form.tsx";

type Answer = { status: number; milliseconds: number; type: string; size: number; text: string };

/** More than this helps nobody and holds up the page. */
const LONGEST = 100_000;

function pretty(text: string, type: string): string {
  if (!type.includes("json")) return text.slice(0, LONGEST);
  try {
    return JSON.stringify(JSON.parse(text), null, 2).slice(0, LONGEST);
  } catch {
    return text.slice(0, LONGEST);
  }
}

async function send(operation: Operation, values: Record<string, string>, body: BodyInit | null): Promise<Answer> {
  const started = performance.now();
  const sent: Record<string, string> = headers(operation.method !== "GET");
  if (body !== null && operation.body) sent["Content-Type"] = operation.body.type;
  for (const one of operation.parameters) if (one.place === "header" && values[one.name]) sent[one.name] = values[one.name] ?? "";
  const response = await fetch(address(operation, values), { method: operation.method, headers: sent, body });
  const type = response.headers.get("Content-Type") ?? "";
  const binary = /octet-stream|bittorrent/.test(type);
  const content = await response.arrayBuffer();
  const text = binary ? "(bytes)" : new TextDecoder().decode(content);
  return { status: response.status, milliseconds: performance.now() - started, type, size: content.byteLength, text: pretty(text, type) };
}

export function Try({ operation }: { operation: Operation }) {
  const [values, setValues] = useState<Record<string, string>>({});
  const [body, setBody] = useState(operation.body?.example ?? "");
  const [answer, setAnswer] = useState<Answer | null>(null);
  const file = useRef<HTMLInputElement>(null);
  const json = operation.body?.type.includes("json") ?? false;
  const run = useAction(async () => {
    setAnswer(null);
    const content = !operation.body ? null : json ? body : (file.current?.files?.[0] ?? null);
    try {
      setAnswer(await send(operation, values, content));
    } catch {
      throw new ApiError(0, "Nobody answered. Try again when Holdfast is back.");
    }
  });
  return (
    <Form onSend={() => void run.run()} label={`Try ${operation.method} ${operation.path}`}>
      <div class="try-fields">
        {operation.parameters.map((one) => (
          <Field key={one.place + one.name} parameter={one} value={values[one.name] ?? ""} onInput={(value) => setValues((now) => ({ ...now, [one.name]: value }))} />
        ))}
      </div>
      {operation.body && (json
        ? <TextArea label={`Body (${operation.body.type})`} name="body" mono rows={Math.min(14, body.split("\n").length + 1)} value={body} onInput={setBody} required />
        : <div class="field"><label>Body ({operation.body.type})<input ref={file} class="input" type="file" /></label></div>)}
      <div class="acts">
        <Button kind={operation.method === "GET" ? "main" : "danger"} type="submit" busy={run.busy}>Send</Button>
        <code class="faint breakable">{operation.method} {address(operation, values)}</code>
      </div>
      <Problem error={run.error} />
      {answer && <Came answer={answer} />}
    </Form>
  );
}

function Field({ parameter, value, onInput }: { parameter: Parameter; value: string; onInput: (value: string) => void }) {
  const common = { label: parameter.name, name: parameter.name, value, onInput, required: parameter.required };
  const hint = <Prose text={[parameter.place, parameter.kind, parameter.about].filter(Boolean).join(" · ")} />;
  if (parameter.choices.length) {
    const choices = ["", ...parameter.choices].map((one) => ({ value: one, label: one || "—" }));
    return <Select {...common} hint={hint} choices={choices} />;
  }
  if (parameter.kind === "boolean") {
    return <Select {...common} hint={hint} choices={["", "true", "false"].map((one) => ({ value: one, label: one || "—" }))} />;
  }
  return <Input {...common} hint={hint} />;
}

function Came({ answer }: { answer: Answer }) {
  const tone = answer.status < 300 ? "good" : answer.status < 500 ? "warm" : "bad";
  return (
    <section class="came" aria-label="Answer" aria-live="polite">
      <p>
        <Badge tone={tone}>{answer.status}</Badge>{" "}
        <span class="faint">{answer.milliseconds.toFixed(0)} ms · {bytes(answer.size)} · {answer.type || "no content"}</span>
      </p>
      {answer.text && <pre tabIndex={0}>{answer.text}</pre>}
    </section>
  );
}
