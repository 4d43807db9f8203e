// One project: for everybody its board, for staff also what keeps it going.
import { api } from "../api.ts";
import type { Project, ProjectState } from "../model.ts";
import { Button, Empty, PageHead, Problem, Skeleton } from "../parts/basics.tsx";
import { say } from "../parts/said.tsx";
import { type Tab, Tabs } from "../parts/tabs.tsx";
import { type Resource, useAction, useResource } from "../resource.ts";
import { ask } from "../router.ts";
import type { PageProps } from "../routes.tsx";
import { may } from "../session.ts";
import { useTitle } from "../title.ts";
import { Blocks } from "./project/blocks.tsx";
import { BoardView, useBoard } from "./project/board.tsx";
import { Claims } from "./project/claims.tsx";
import { FailedItems } from "./project/failed.tsx";
import { Limits } from "./project/limits.tsx";
import { Queues } from "./project/queues.tsx";
import { SetUp } from "./project/setup.tsx";
import { MEANS, StateBadge } from "./project/state.tsx";
import { Story } from "./project/story.tsx";
import { Targets } from "./project/targets.tsx";
import { Versions } from "./project/versions.tsx";

export function ProjectPage({ params }: PageProps) {
  const slug = params.slug ?? "";
  return may("moderator") ? <Crewed slug={slug} /> : <Shown slug={slug} />;
}

function Away({ view, crew }: { view: Pick<Resource<unknown>, "error" | "reload">; crew: boolean }) {
  return (
    <>
      <PageHead title="Project" />
      {view.error ? (
        <Problem error={view.error}>{crew ? <p><a href="/projects">All projects</a></p> : <Button onClick={() => void view.reload()}>Try again</Button>}</Problem>
      ) : <Skeleton rows={4} kind="block" />}
    </>
  );
}

function Shown({ slug }: { slug: string }) {
  const view = useBoard(slug);
  const { data, error } = view;
  useTitle(data?.title);
  if (!data) return <Away view={view} crew={may("member")} />;
  return (
    <>
      <PageHead title={data.title} note={<><StateBadge of={data.state} /> {MEANS[data.state]}</>} />
      <Problem error={error} />
      <BoardView board={data} />
    </>
  );
}

type Place = "board" | "setup" | "queues" | "claims" | "limits" | "failed" | "versions" | "targets" | "blocks";
const PLACES: readonly [Tab<Place>, ...Tab<Place>[]] = [
  { value: "board", label: "Board" },
  { value: "queues", label: "Queues" },
  { value: "claims", label: "Claims" },
  { value: "failed", label: "Failed" },
  { value: "limits", label: "Limits" },
  { value: "blocks", label: "Blocked" },
  { value: "targets", label: "Targets" },
  { value: "versions", label: "Versions" },
  { value: "setup", label: "Set-up" },
];

function Crewed({ slug }: { slug: string }) {
  const view = useResource(`project ${slug}`, () => api.project(slug), {
    topics: ["projects"],
    relevant: ({ data }) => (data.slug ?? slug) === slug,
    every: 15,
  });
  const { data, error, set } = view;
  useTitle(data?.title);
  if (!data) return <Away view={view} crew />;
  return (
    <>
      <PageHead title={data.title} note={<><StateBadge of={data.state} /> {MEANS[data.state]}</>}>
        {may("operator") && <Turn project={data} onDone={set} />}
      </PageHead>
      <Problem error={error} />
      <div class="board">
        <Tabs label="Parts of the project" param="part" tabs={PLACES}>
          {(place) => {
            switch (place) {
              case "board": return data.state === "draft" ? <Draft project={data} /> : <CrewedBoard slug={slug} />;
              case "queues": return <Queues project={data} onDone={() => void view.reload()} />;
              case "claims": return <><Claims project={data} /><Story slug={slug} /></>;
              case "failed": return <FailedItems project={data} onDone={() => void view.reload()} />;
              case "limits": return <Limits project={data} />;
              case "versions": return <Versions project={data} onDone={set} />;
              case "targets": return <Targets project={data} />;
              case "blocks": return <Blocks project={data} />;
              case "setup": return <SetUp key={data.slug} project={data} onDone={set} />;
            }
          }}
        </Tabs>
      </div>
    </>
  );
}

function CrewedBoard({ slug }: { slug: string }) {
  const { data, error } = useBoard(slug);
  if (!data) return error ? <Problem error={error} /> : <Skeleton rows={4} kind="block" />;
  return <><Problem error={error} /><BoardView board={data} /></>;
}

/** What an operator most likely does next to a project in this state. */
const TURNS: Partial<Record<ProjectState, [to: ProjectState, act: string, said: string][]>> = {
  draft: [["active", "Start it", "It gives out items from now on."]],
  active: [["paused", "Pause it", "Nothing more is given out; reports are taken."]],
  paused: [["active", "Go on", "It gives out items again."]],
  draining: [["archived", "Archive it", "It is over; its board stays."], ["active", "Go on", "It gives out items again."]],
  archived: [["active", "Take it up again", "It gives out items again."]],
};

function Turn({ project, onDone }: { project: Project; onDone: (project: Project) => void }) {
  const turn = useAction(async (state: ProjectState, said: string) => {
    onDone(await api.changeProject(project.slug, { state }));
    say(said);
  });
  return (
    <>
      <Problem error={turn.error} />
      {TURNS[project.state]?.map(([state, act, said]) => (
        <Button key={state} kind={state === "active" ? "main" : "plain"} busy={turn.busy} onClick={() => void turn.run(state, said)}>{act}</Button>
      ))}
    </>
  );
}

function Draft({ project }: { project: Project }) {
  return (
    <Empty title={project.counts.todo ? "Ready when you are." : "A project begins with its items."}>
      <p>{project.counts.todo ? "It has items to give out. Start it, and volunteers' clients get them." : "Put names of items into a queue, set it up as its script expects, then start it. Until then nobody sees it."}</p>
      <div class="acts">
        <Button kind={project.counts.todo ? "plain" : "main"} onClick={() => ask({ part: "queues" })}>Fill a queue</Button>
        {may("operator") && <Button onClick={() => ask({ part: "setup" })}>Set it up</Button>}
      </div>
    </Empty>
  );
}
