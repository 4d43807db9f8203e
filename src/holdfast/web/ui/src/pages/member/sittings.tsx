// Where one is signed in, and the way to end it from afar.
import { api } from "../../api.ts";
import { Badge, Button, Panel, Problem, Skeleton, Time } from "../../parts/basics.tsx";
import { useAction, useResource } from "../../resource.ts";
import type { Sitting } from "../../model.ts";

/** "Firefox on Linux": enough to know one's own machine by. */
export function machine(agent: string | null): string {
  if (!agent) return "unknown program";
  const program = /(Firefox|Edg|OPR|Chrome|Safari|curl|Python)[/ ]/.exec(agent)?.[1];
  const system = /(Android|iPhone|iPad|Windows|Mac OS X|Linux)/.exec(agent)?.[1];
  const names: Record<string, string> = { Edg: "Edge", OPR: "Opera", "Mac OS X": "macOS" };
  const said = [program, system].filter((one) => one !== undefined).map((one) => names[one] ?? one);
  return said.length ? said.join(" on ") : agent.slice(0, 40);
}

export function SittingsPanel() {
  const { data, error, reload } = useResource("sessions", api.sittings);
  const end = useAction(async (sitting: Sitting) => {
    await api.endSitting(sitting.id);
    await reload();
  });
  return (
    <Panel title="Signed in on" id="sessions">
      <Problem error={error ?? end.error} />
      {!data ? !error && <Skeleton rows={2} /> : (
        <ul class="lines">
          {data.items.map((one) => (
            <li key={one.id} class="line">
              <div>
                <p><span title={one.agent ?? ""}>{machine(one.agent)}</span> {one.current && <Badge tone="good">here</Badge>}</p>
                <p class="faint">{one.address ?? "unknown address"} · used <Time at={one.last_used} /> · expires <Time at={one.expires} /></p>
              </div>
              {!one.current && <Button kind="quiet" busy={end.busy} label={`Sign out ${machine(one.agent)}`} onClick={() => void end.run(one)}>Sign out</Button>}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
