// Says when the server or the live feed is gone, and when it is back.
import { useEffect, useState } from "preact/hooks";
import { epoch, feed } from "../live.ts";
import { session, startProblem, whoIsThere } from "../session.ts";

const WORDS = {
  away: "Holdfast does not answer. What you see may be old; this page looks for it and goes on by itself.",
  paused: "The live feed is interrupted. This page asks every few seconds until it is back.",
} as const;

export function Banner() {
  const state = feed.value;
  const [back, setBack] = useState(false);
  const [was, setWas] = useState(state);
  useEffect(() => {
    if (state === was) return undefined;
    setWas(state);
    setBack(state === "live");
    return undefined;
  }, [state]);
  useEffect(() => {
    if (!back) return undefined;
    const timer = setTimeout(() => setBack(false), 3000);
    return () => clearTimeout(timer);
  }, [back]);
  const renewals = epoch.value;
  useEffect(() => {
    if (session.value === undefined && startProblem.value) void whoIsThere();
  }, [renewals]);
  if (state === "live") return <div class="banner-place" role="status">{back && <p class="banner banner-back">Connected again; everything here is fresh.</p>}</div>;
  return (
    <div class="banner-place" role="status">
      <p class={`banner banner-${state}`}><span class="banner-swell" aria-hidden="true" />{WORDS[state]}</p>
    </div>
  );
}
