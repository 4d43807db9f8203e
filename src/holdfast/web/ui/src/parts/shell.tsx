// Ways to go: a bar of places at the side, or behind a button where the screen is narrow.
import { useEffect, useState } from "preact/hooks";
import { api } from "../api.ts";
import { plural } from "../format.ts";
import { useAction, useResource } from "../resource.ts";
import { here } from "../router.ts";
import { type Route, routes } from "../routes.tsx";
import { may, me, session, signOut } from "../session.ts";
import { setTheme, theme, type Theme } from "../theme.ts";
import { startTitles } from "../title.ts";
import { unread } from "../unread.ts";
import { Button } from "./basics.tsx";
import { Dialog } from "./dialog.tsx";
import { Icon, type IconName, Sign } from "./icon.tsx";
import { Forest } from "./kelp.tsx";

startTitles(() => unread.value);

function Places({ current, id }: { current: Route; id: string }) {
  const open = routes.filter((route) => route.nav && route.needs !== "anyone" && may(route.needs));
  return (
    <nav class="places" aria-label={id}>
      <ul>
        {open.map((route) => {
          const at = route === current || (route.path !== "/" && here.value.path.startsWith(`${route.path}/`));
          return (
            <li key={route.path}>
              <a href={route.path} aria-current={at ? "page" : undefined}>
                {route.nav && <Icon name={route.nav.icon} />}
                <span>{route.nav?.label}</span>
                {route.path === "/notices" && unread.value > 0 && <span class="pip">{unread.value > 99 ? "99+" : unread.value}<span class="unseen"> unread</span></span>}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

function House() {
  return (
    <a class="house" href="/">
      <Sign />
      <span class="house-words">
        <span class="house-name">Holdfast</span>
        {session.value && session.value.community !== "Holdfast" && <span class="house-community">{session.value.community}</span>}
      </span>
    </a>
  );
}

export function Sidebar({ current }: { current: Route }) {
  return (
    <header class="sidebar">
      <House />
      <Places current={current} id="Places" />
      <Forest />
    </header>
  );
}

/** For strangers, who may look at what is public. */
export function GuestBar() {
  const { path, search } = here.value;
  return (
    <div class="topbar topbar-guest">
      <House />
      <div class="topbar-acts">
        <ThemeButton />
        <a class="account" href={`/sign-in?to=${encodeURIComponent(path + search)}`}><Icon name="account" />Sign in</a>
      </div>
    </div>
  );
}

/** Fetches the count of unread notices and keeps it, wherever one is. */
function useUnread(): void {
  const list = useResource("unread", () => api.notices({ unread: true, limit: 100 }), { topics: ["notices"] });
  const count = list.data ? list.data.items.length : 0;
  useEffect(() => {
    unread.value = count;
  }, [count]);
}

export function TopBar({ current }: { current: Route }) {
  useUnread();
  const [menu, setMenu] = useState(false);
  const place = here.value.path;
  useEffect(() => setMenu(false), [place]);
  return (
    <div class="topbar">
      <div class="topbar-narrow">
        <Button kind="quiet" icon="menu" label="Menu" onClick={() => setMenu(true)} />
        <House />
      </div>
      <div class="topbar-acts">
        <ThemeButton />
        <a class="bell" href="/notices" aria-label={unread.value ? `Notices, ${plural(unread.value, "unread")}`.replace("unreads", "unread") : "Notices"}>
          <Icon name="notices" />
          {unread.value > 0 && <span class="pip" aria-hidden="true">{unread.value > 99 ? "99+" : unread.value}</span>}
        </a>
        <Account />
      </div>
      {menu && (
        <Dialog title="Places" kind="drawer" onClose={() => setMenu(false)}>
          <Places current={current} id="Menu" />
        </Dialog>
      )}
    </div>
  );
}

function Account() {
  const leave = useAction(signOut);
  const who = me.value;
  if (!who) return null;
  const at = here.value.path;
  return (
    <>
      <a class="account" href={`/members/${who.id}`} aria-current={at === `/members/${who.id}` ? "page" : undefined} title="Your page">
        <Icon name="account" />
        <span class="account-name">{who.name}</span>
      </a>
      <Button kind="quiet" icon="leave" busy={leave.busy} label="Sign out" onClick={() => void leave.run()} />
    </>
  );
}

const THEMES: Record<Theme, { next: Theme; icon: IconName; says: string }> = {
  system: { next: "light", icon: "both", says: "Theme: as the system" },
  light: { next: "dark", icon: "sun", says: "Theme: light" },
  dark: { next: "system", icon: "moon", says: "Theme: dark" },
};

export function ThemeButton() {
  const { next, icon, says } = THEMES[theme.value];
  return <Button kind="quiet" icon={icon} label={`${says}; change to ${next === "system" ? "the system's" : next}`} onClick={() => setTheme(next)} />;
}
