// Several lists in one place, one at a time: which one stands in the address, arrows go from one to the next.
import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";
import { ask, asked } from "../router.ts";

export type Tab<T extends string> = { value: T; label: string };

type TabsProps<T extends string> = {
  label: string;
  param: string;
  tabs: readonly [Tab<T>, ...Tab<T>[]];
  children: (chosen: T) => ComponentChildren;
};

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

export function Tabs<T extends string>({ label, param, tabs, children }: TabsProps<T>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const wanted = asked(param);
  const chosen = tabs.find((one) => one.value === wanted) ?? tabs[0];
  const choose = (tab: Tab<T>) => ask({ [param]: tab === tabs[0] ? "" : tab.value });
  const move = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const at = (tabs.indexOf(chosen) + step + tabs.length) % tabs.length;
    choose(tabs[at] ?? tabs[0]);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[at]?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map((one) => (
          <button key={one.value} type="button" role="tab" class="tab" id={`${id}-${one.value}`} aria-selected={one === chosen}
            aria-controls={`${id}-panel`} tabIndex={one === chosen ? 0 : -1} onClick={() => choose(one)}>{one.label}</button>
        ))}
      </div>
      <div class="tab-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen.value}`}>{children(chosen.value)}</div>
    </>
  );
}
