// The API as it describes itself, every operation there to be tried.
import { useMemo, useState } from "preact/hooks";
import { api } from "../api.ts";
import { type Operation, operations } from "../openapi.ts";
import { Badge, Button, Empty, PageHead, Problem, Prose, Skeleton } from "../parts/basics.tsx";
import { Icon } from "../parts/icon.tsx";
import { Try } from "../parts/try.tsx";
import { Search } from "../parts/table.tsx";
import { useResource } from "../resource.ts";
import { ask, asked } from "../router.ts";

export function ApiPage() {
  const { data, error, reload } = useResource("openapi", api.description);
  const all = useMemo(() => (data ? operations(data) : []), [data]);
  const wanted = asked("q").toLowerCase();
  const shown = all.filter((one) => `${one.method} ${one.path} ${one.title} ${one.about} ${one.tag}`.toLowerCase().includes(wanted));
  const tags = Map.groupBy(shown, (one) => one.tag);
  return (
    <>
      <PageHead title="API" note={<>Everything these pages do, any program can do. You try it here as yourself, <strong>on the real system</strong>.</>}>
        <a class="button" href="/api/v1/openapi.json" target="_blank" rel="noopener">openapi.json</a>
      </PageHead>
      <div class="filters" role="search"><Search label="Search operations" /></div>
      <Problem error={error}><Button onClick={() => void reload()}>Try again</Button></Problem>
      {!data && !error && <Skeleton rows={10} />}
      {data && shown.length === 0 && <Empty title="Nothing fits."><Button onClick={() => ask({ q: "" })}>Show all operations</Button></Empty>}
      {[...tags].map(([tag, found]) => (
        <section key={tag} class="panel operations" aria-label={tag}>
          <h2>{tag}</h2>
          <ul>{found.map((one) => <OperationLine key={`${one.method} ${one.path}`} operation={one} />)}</ul>
        </section>
      ))}
    </>
  );
}

function OperationLine({ operation }: { operation: Operation }) {
  const name = `${operation.method} ${operation.path}`;
  const open = asked("op") === name;
  const [touched, setTouched] = useState(open);
  const turn = () => {
    setTouched(true);
    ask({ op: open ? "" : name });
  };
  return (
    <li class="operation">
      <button type="button" class="operation-head" aria-expanded={open} onClick={turn}>
        <span class={`method method-${operation.method.toLowerCase()}`}>{operation.method}</span>
        <code class="breakable">{operation.path}</code>
        <span class="operation-title">{operation.title}</span>
        <Icon name="chevron" size={16} />
      </button>
      {(open || touched) && (
        <div hidden={!open} class="operation-body">
          {operation.about && <p class="prose"><Prose text={operation.about} /></p>}
          <Try operation={operation} />
          {operation.answers.length > 0 && (
            <ul class="answers" aria-label="Answers it may give">
              {operation.answers.map((one) => <li key={one.status}><Badge tone={one.status.startsWith("2") ? "good" : "plain"}>{one.status}</Badge> <span class="faint"><Prose text={one.about} /></span></li>)}
            </ul>
          )}
        </div>
      )}
    </li>
  );
}
