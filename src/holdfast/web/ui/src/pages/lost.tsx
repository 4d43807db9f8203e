// Addresses that lead nowhere, and doors that stay shut.
import { Empty, PageHead } from "../parts/basics.tsx";
import { here } from "../router.ts";
import { useTitle } from "../title.ts";

export function LostPage() {
  useTitle("Not found");
  return (
    <>
      <PageHead title="Nothing is moored here" />
      <Empty title="This address leads nowhere.">
        <p><code class="breakable">{here.value.path}</code></p>
        <p><a class="button button-main" href="/">To the overview</a></p>
      </Empty>
    </>
  );
}

export function ForbiddenPage() {
  useTitle("Not for you");
  return (
    <>
      <PageHead title="This page is for the crew" />
      <Empty title="Your roles do not include it.">
        <p>Ask an operator if you need it.</p>
        <p><a class="button button-main" href="/">To the overview</a></p>
      </Empty>
    </>
  );
}
