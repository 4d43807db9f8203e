// How a member stands on an upload, from either side.
import { plural } from "../format.ts";
import type { Participant, Taken } from "../model.ts";
import { Badge, Time } from "./basics.tsx";

type Standing = Pick<Taken & Participant, "hnr" | "hnr_at_risk" | "exempt">;

export function Standings({ of }: { of: Standing }) {
  return (
    <>
      {of.hnr !== null && <Badge tone="bad">hit and run, <Time at={of.hnr} /></Badge>}
      {of.hnr_at_risk && <Badge tone="warm">keep seeding</Badge>}
      {of.exempt && <Badge tone="good">exempt</Badge>}
    </>
  );
}

/** "2 clients seed, 1 client fetches". */
export function clients({ seeding, leeching }: Pick<Taken, "seeding" | "leeching">): string {
  const seed = seeding ? `${plural(seeding, "client")} ${seeding === 1 ? "seeds" : "seed"}` : "";
  const fetch = leeching ? `${plural(leeching, "client")} ${leeching === 1 ? "fetches" : "fetch"}` : "";
  return [seed, fetch].filter(Boolean).join(", ");
}
