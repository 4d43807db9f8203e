// The frame around every page: who may see it, where one can go, what is going on.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Banner } from "./parts/banner.tsx";
import { Button, Problem, Skeleton } from "./parts/basics.tsx";
import { Said } from "./parts/said.tsx";
import { GuestBar, Sidebar, TopBar } from "./parts/shell.tsx";
import { ForbiddenPage } from "./pages/lost.tsx";
import { here, navigate, visit } from "./router.ts";
import { find, PORCH, type Route } from "./routes.tsx";
import { may, session, startProblem, whoIsThere } from "./session.ts";
import { useTitle } from "./title.ts";

export function App() {
  const { route, params } = find(here.value.path);
  const known = session.value;
  const away = route.needs !== "anyone" && known === null;
  useEffect(() => {
    if (!away) return;
    const back = here.value.path + here.value.search;
    navigate(back === "/" ? "/sign-in" : `/sign-in?to=${encodeURIComponent(back)}`, "replace");
  }, [away]);
  const porch = PORCH.includes(route.path);
  const guest = !porch && known === null && !away;
  const bare = porch || (!known && !guest);
  return (
    <div class={bare ? "frame frame-bare" : guest ? "frame frame-guest" : "frame"}>
      <a class="skip" href="#content">Skip to the content</a>
      {!bare && !guest && <Sidebar current={route} />}
      <div class="deck">
        {guest ? <GuestBar /> : !bare && <TopBar current={route} />}
        <Banner />
        <Content route={route} params={params} waiting={away || (known === undefined && !porch)} />
      </div>
      <Said />
    </div>
  );
}

type ContentProps = { route: Route; params: Record<string, string>; waiting: boolean };

function Content({ route, params, waiting }: ContentProps) {
  const main = useRef<HTMLElement>(null);
  const arrivals = visit.value;
  const first = useRef(true);
  useTitle(route.title);
  useLayoutEffect(() => {
    if (!first.current) (main.current?.querySelector<HTMLElement>("h1") ?? main.current)?.focus({ preventScroll: true });
    first.current = false;
  }, [arrivals]);
  const allowed = route.needs === "anyone" || may(route.needs);
  const Page = allowed ? route.page : ForbiddenPage;
  return (
    <main id="content" ref={main} tabIndex={-1} class="content">
      {startProblem.value && session.value === undefined ? (
        <Problem error={startProblem.value}><Button onClick={() => void whoIsThere()}>Try again</Button></Problem>
      ) : waiting ? (
        <Skeleton rows={5} kind="block" />
      ) : (
        <Page key={route.path + JSON.stringify(params)} params={params} />
      )}
    </main>
  );
}
