// Where a project stands, in a word and in a sentence.
import type { ProjectState } from "../../model.ts";
import { Badge, type Tone } from "../../parts/basics.tsx";

const TONES: Record<ProjectState, Tone> = { draft: "plain", active: "good", paused: "warm", draining: "sea", archived: "plain" };

export const MEANS: Record<ProjectState, string> = {
  draft: "being filled; nobody sees it",
  active: "gives out items",
  paused: "gives out nothing for now; reports are taken",
  draining: "ends when the last report is in",
  archived: "over; what was done stays readable",
};

export function StateBadge({ of }: { of: ProjectState }) {
  return <Badge tone={TONES[of]}>{of}</Badge>;
}
