// The settings as the running system sees them, and where each one came from.
import { api } from "../api.ts";
import type { Setting } from "../model.ts";
import { Badge, Button, Empty, PageHead, Problem, Prose, Skeleton, type Tone } from "../parts/basics.tsx";
import { Search } from "../parts/table.tsx";
import { useResource } from "../resource.ts";
import { ask, asked } from "../router.ts";
import { spell } from "../difference.ts";

function tone(source: string): Tone {
  if (source === "default") return "plain";
  return /^HOLDFAST_|env/i.test(source) ? "warm" : "sea";
}

export function SettingsPage() {
  const view = useResource("settings", api.settings);
  const wanted = asked("q").toLowerCase();
  const { data, error } = view;
  const fits = (one: Setting) => `${one.name} ${spell(one.value)} ${one.doc} ${one.source}`.toLowerCase().includes(wanted);
  const shown = data?.items.filter(fits) ?? [];
  const sections = Map.groupBy(shown, (one) => (one.name.includes(".") ? one.name.slice(0, one.name.lastIndexOf(".")) : "general"));
  return (
    <>
      <PageHead title="Settings" note={<>As the running system sees them. They are changed in the settings file or the environment; <code>holdfast settings</code> prints a sample.</>} />
      <div class="filters" role="search"><Search label="Search names, values and words" /></div>
      <Problem error={error}><Button onClick={() => void view.reload()}>Try again</Button></Problem>
      {!data && !error && <Skeleton rows={8} />}
      {data && shown.length === 0 && <Empty title="Nothing fits."><Button onClick={() => ask({ q: "" })}>Show all settings</Button></Empty>}
      {[...sections].map(([section, items]) => (
        <section key={section} class="panel settings" aria-label={section}>
          <h2>{section}</h2>
          <dl>{items.map((one) => <Line key={one.name} setting={one} />)}</dl>
        </section>
      ))}
    </>
  );
}

function Line({ setting }: { setting: Setting }) {
  return (
    <div class="setting">
      <dt><code class="breakable">{setting.name}</code> <Badge tone={tone(setting.source)}>{setting.source}</Badge></dt>
      <dd>
        <span class="setting-value mono breakable">{spell(setting.value)}</span>
        <span class="field-hint"><Prose text={setting.doc} /></span>
      </dd>
    </div>
  );
}
