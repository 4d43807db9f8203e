// The two multipliers and their reason, wherever they are set.
import type { ApiError } from "../api.ts";
import { changed, type Shares } from "../shares.ts";
import { Input } from "./form.tsx";

export type Wish = { up: string; down: string; reason: string };

export function wishOf({ multi_up, multi_down }: Shares): Wish {
  return { up: String(multi_up), down: String(multi_down), reason: "" };
}

export const SHARE_FIELDS = ["multi_up", "multi_down", "reason"] as const;

type Props = { before: Shares; wish: Wish; onInput: (wish: Wish) => void; error: ApiError | undefined };

export function ShareFields({ before, wish, onInput, error }: Props) {
  const differs = Object.keys(changed(before, wish.up, wish.down, wish.reason)).length > 0;
  const share = { type: "number", min: 0, max: 8, step: 0.001, required: true, error } as const;
  return (
    <>
      <Input {...share} label="Downloads count" name="multi_down" value={wish.down} onInput={(down) => onInput({ ...wish, down })} hint="0: not at all, 0.5: half, 1: as they are." />
      <Input {...share} label="Uploads count" name="multi_up" value={wish.up} onInput={(up) => onInput({ ...wish, up })} hint="1: as they are, 2: twice." />
      {differs && <Input label="Reason" name="reason" value={wish.reason} onInput={(reason) => onInput({ ...wish, reason })} required hint="It stays in the audit." error={error} />}
    </>
  );
}
