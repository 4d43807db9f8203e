// The inbox: what concerns you, unfolded by a click, read when unfolded.
import { useState } from "preact/hooks";
import { api } from "../api.ts";
import { words } from "../format.ts";
import type { Delivery, Notice } from "../model.ts";
import { Badge, Button, Empty, PageHead, Problem, Time } from "../parts/basics.tsx";
import { Icon } from "../parts/icon.tsx";
import { Filter, ListView } from "../parts/table.tsx";
import { type List, useAction, useList } from "../resource.ts";
import { ask, asked } from "../router.ts";
import { me } from "../session.ts";
import { unread } from "../unread.ts";

export function NoticesPage() {
  const only = asked("unread") === "true";
  const list = useList(`notices ${only}`, (cursor, limit) => api.notices({ ...(only ? { unread: true } : {}), cursor, limit }), { topics: ["notices"] });
  const all = useAction(async () => {
    await api.readNotices();
    unread.value = 0;
    await list.reload();
  });
  return (
    <>
      <PageHead title="Notices">
        {unread.value > 0 && <Button icon="check" busy={all.busy} onClick={() => void all.run()}>Mark all as read</Button>}
      </PageHead>
      <Problem error={all.error} />
      <div class="filters"><Filter label="Read or not" param="unread" choices={[["", "All notices"], ["true", "Unread only"]]} /></div>
      <ListView list={list} one="notice" empty={only ? (
        <Empty title="All read."><Button onClick={() => ask({ unread: "" })}>Show all notices</Button></Empty>
      ) : (
        <Empty title="Your inbox is calm."><p>You hear here of what happens to uploads you shared or fetched. Where else you want to hear of it stands on <a href={`/members/${me.value?.id ?? ""}`}>your page</a>.</p></Empty>
      )}>
        {(rows) => <ul class="inbox">{rows.map((one) => <Letter key={one.id} notice={one} list={list} />)}</ul>}
      </ListView>
    </>
  );
}

function Letter({ notice, list }: { notice: Notice; list: List<Notice> }) {
  const [open, setOpen] = useState(false);
  const read = useAction(async () => {
    const now = await api.readNotice(notice.id);
    unread.value = Math.max(0, unread.value - 1);
    if (list.data) list.set({ ...list.data, items: list.data.items.map((one) => (one.id === now.id ? now : one)) });
  });
  const turn = () => {
    setOpen(!open);
    if (!open && notice.read_at === null) void read.run();
  };
  const id = `notice-${notice.id}`;
  return (
    <li class={notice.read_at === null ? "letter letter-new" : "letter"}>
      <button type="button" class="letter-head" aria-expanded={open} aria-controls={id} onClick={turn}>
        <span class="letter-dot">{notice.read_at === null && <span class="unseen">unread: </span>}</span>
        <span class="letter-subject">{notice.subject}</span>
        <span class="letter-facts"><Badge tone={notice.role === "operator" ? "warm" : "plain"}>as {notice.role}</Badge> <Time at={notice.created} /></span>
        <Icon name="chevron" size={16} />
      </button>
      <div id={id} hidden={!open} class="letter-body">
        <Problem error={read.error} />
        <p class="prose">{notice.body}</p>
        {notice.deliveries.length > 0 && <ul class="deliveries" aria-label="Deliveries">{notice.deliveries.map((one) => <Sent key={one.sink} delivery={one} />)}</ul>}
        <p class="faint">{words(notice.kind)}{notice.read_at !== null && <> · read <Time at={notice.read_at} /></>}</p>
      </div>
    </li>
  );
}

const SAYS = { pending: "on its way", sent: "sent", failed: "failed" } as const;

function Sent({ delivery }: { delivery: Delivery }) {
  const tone = delivery.state === "sent" ? "good" : delivery.state === "failed" ? "bad" : "plain";
  return (
    <li>
      <Badge tone={tone}>{delivery.sink}: {SAYS[delivery.state]}</Badge>
      {delivery.error && <span class="faint"> {delivery.error} (tried {delivery.attempts} ×)</span>}
    </li>
  );
}
