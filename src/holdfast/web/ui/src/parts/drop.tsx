// A place where a .torrent may be let go.
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";

type DropProps = { onFile: (file: File) => void; disabled?: boolean; children: ComponentChildren };

function carriesFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

export function DropZone({ onFile, disabled = false, children }: DropProps) {
  const [over, setOver] = useState(false);
  const depth = useRef(0); // enter and leave come once for every element inside
  const enter = (by: number) => (event: DragEvent) => {
    if (disabled || !carriesFiles(event)) return;
    event.preventDefault();
    depth.current = Math.max(0, depth.current + by);
    setOver(depth.current > 0);
  };
  return (
    <div
      class="drop"
      onDragEnter={enter(1)}
      onDragLeave={enter(-1)}
      onDragOver={(event) => carriesFiles(event) && event.preventDefault()}
      onDrop={(event) => {
        if (!carriesFiles(event)) return;
        event.preventDefault();
        depth.current = 0;
        setOver(false);
        const file = event.dataTransfer?.files[0];
        if (file && !disabled) onFile(file);
      }}
    >
      {children}
      {over && <div class="drop-veil" aria-hidden="true"><p>Let go to add this torrent</p></div>}
    </div>
  );
}
