// A question above the page: the browser keeps the focus inside and Esc closes it; we give the focus back.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { type Action, useAction } from "../resource.ts";
import { Button, Problem } from "./basics.tsx";

type DialogProps = {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  kind?: "box" | "drawer";
  /** What was shown once would be lost by a stray Esc or click. */
  firm?: boolean;
};

export function Dialog({ title, onClose, children, kind = "box", firm = false }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    const dialog = box.current;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>("[data-first], input, textarea, select")?.focus();
    return () => {
      dialog?.close();
      if (before?.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={box}
      class={`dialog dialog-${kind}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!firm) onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === box.current && !firm) onClose();
      }}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id={id}>{title}</h2>
          {!firm && <Button kind="quiet" icon="close" label="Close" onClick={onClose} />}
        </header>
        {children}
      </div>
    </dialog>
  );
}

type ConfirmProps = {
  title: string;
  children: ComponentChildren;
  act: string;
  danger?: boolean;
  onClose: () => void;
  onYes: () => Promise<unknown>;
};

export function Confirm({ title, children, act, danger = false, onClose, onYes }: ConfirmProps) {
  const action: Action<[]> = useAction(onYes);
  const mounted = useRef(true);
  useEffect(() => () => void (mounted.current = false), []);
  const yes = async () => {
    if ((await action.run()) && mounted.current) onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <Problem error={action.error} />
      <footer class="dialog-acts">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind={danger ? "danger" : "main"} busy={action.busy} onClick={() => void yes()}>{act}</Button>
      </footer>
    </Dialog>
  );
}
