// One volunteer over all projects.
import { api } from "../api.ts";
import type { Volunteer } from "../model.ts";
import { Button, Count, Empty, Fact, Facts, PageHead, Panel, Problem, Size, Skeleton } from "../parts/basics.tsx";
import { Growth } from "../parts/growth.tsx";
import { Surface } from "../parts/kelp.tsx";
import { useResource } from "../resource.ts";
import type { PageProps } from "../routes.tsx";
import { useTitle } from "../title.ts";

const DRAWN = 6;

export function VolunteerPage({ params }: PageProps) {
  const name = params.name ?? "";
  const view = useResource(`volunteer ${name}`, () => api.volunteer(name), { every: 30 });
  const { data, error } = view;
  useTitle(name);
  if (!data) {
    return (
      <>
        <PageHead title={name} />
        {error?.status === 404 ? (
          <Empty title={error.message}><p>A report counts here a few seconds after it came in. Names are told apart by large and small letters.</p></Empty>
        ) : error ? <Problem error={error}><Button onClick={() => void view.reload()}>Try again</Button></Problem> : <Skeleton rows={4} kind="block" />}
      </>
    );
  }
  return (
    <>
      <PageHead title={data.name} note="A volunteer, over all projects." />
      <Problem error={error} />
      <section class="grove grove-low" aria-label="All together">
        <Surface />
        <div class="grove-head">
          <dl class="life-counts">
            <div><dt>{data.items === 1 ? "item" : "items"}</dt><dd><Count of={data.items} /></dd></div>
            <div><dt>brought home</dt><dd><Size of={data.bytes} /></dd></div>
            <div><dt>{data.projects.length === 1 ? "project" : "projects"}</dt><dd><Count of={data.projects.length} /></dd></div>
          </dl>
        </div>
      </section>
      {data.projects.map((one, index) => <Part key={one.slug} of={one} name={data.name} drawn={index < DRAWN} />)}
    </>
  );
}

function Part({ of, name, drawn }: { of: Volunteer["projects"][number]; name: string; drawn: boolean }) {
  return (
    <Panel title={of.title} id={`of-${of.slug}`} aside={<a href={`/projects/${of.slug}`}>Its board</a>}>
      <Facts>
        <Fact name={of.items === 1 ? "Item" : "Items"}><Count of={of.items} /></Fact>
        <Fact name="Bytes"><Size of={of.bytes} /></Fact>
      </Facts>
      {drawn && <Growth slug={of.slug} of="bytes" label={`Bytes of ${name}`} volunteer={name} />}
    </Panel>
  );
}
