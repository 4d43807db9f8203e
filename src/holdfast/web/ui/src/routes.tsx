// Every address there is, what stands at it, and who is let in.
import type { ComponentType } from "preact";
import { match } from "./match.ts";
import type { Role } from "./model.ts";
import { ApiPage } from "./pages/explorer.tsx";
import { AuditPage } from "./pages/audit.tsx";
import { LostPage } from "./pages/lost.tsx";
import { MemberPage } from "./pages/member.tsx";
import { MembersPage } from "./pages/members.tsx";
import { NoticesPage } from "./pages/notices.tsx";
import { OverviewPage } from "./pages/overview.tsx";
import { ProjectPage } from "./pages/project.tsx";
import { ProjectsPage } from "./pages/projects.tsx";
import { SettingsPage } from "./pages/settings.tsx";
import { SignInPage } from "./pages/sign-in.tsx";
import { SystemPage } from "./pages/system.tsx";
import { TrackerPage } from "./pages/tracker.tsx";
import { UploadPage } from "./pages/upload.tsx";
import { UploadsPage } from "./pages/uploads.tsx";
import { VolunteerPage } from "./pages/volunteer.tsx";
import { WelcomePage } from "./pages/welcome.tsx";
import type { IconName } from "./parts/icon.tsx";

export type PageProps = { params: Record<string, string> };

export type Route = {
  path: string;
  title: string;
  page: ComponentType<PageProps>;
  /** Whom the page is for; nobody in particular needs to be signed in for "anyone". */
  needs: Role | "anyone";
  nav?: { label: string; icon: IconName };
};

export const routes: readonly Route[] = [
  { path: "/", title: "Overview", page: OverviewPage, needs: "member", nav: { label: "Overview", icon: "overview" } },
  { path: "/uploads", title: "Uploads", page: UploadsPage, needs: "member", nav: { label: "Uploads", icon: "uploads" } },
  { path: "/uploads/:id", title: "Upload", page: UploadPage, needs: "member" },
  { path: "/projects", title: "Projects", page: ProjectsPage, needs: "member", nav: { label: "Projects", icon: "projects" } },
  { path: "/projects/:slug", title: "Project", page: ProjectPage, needs: "anyone" },
  { path: "/volunteers/:name", title: "Volunteer", page: VolunteerPage, needs: "anyone" },
  { path: "/members", title: "Members", page: MembersPage, needs: "member", nav: { label: "Members", icon: "members" } },
  { path: "/members/:who", title: "Member", page: MemberPage, needs: "member" },
  { path: "/notices", title: "Notices", page: NoticesPage, needs: "member", nav: { label: "Notices", icon: "notices" } },
  { path: "/tracker", title: "Tracker", page: TrackerPage, needs: "moderator", nav: { label: "Tracker", icon: "tracker" } },
  { path: "/audit", title: "Audit", page: AuditPage, needs: "moderator", nav: { label: "Audit", icon: "audit" } },
  { path: "/system", title: "System", page: SystemPage, needs: "moderator", nav: { label: "System", icon: "system" } },
  { path: "/settings", title: "Settings", page: SettingsPage, needs: "operator", nav: { label: "Settings", icon: "settings" } },
  { path: "/explore", title: "API", page: ApiPage, needs: "member", nav: { label: "API", icon: "api" } },
  { path: "/sign-in", title: "Sign in", page: SignInPage, needs: "anyone" },
  { path: "/welcome", title: "Welcome", page: WelcomePage, needs: "anyone" },
];

/** Where one comes in; everything else that anyone may see has the frame of the house around it. */
export const PORCH: readonly string[] = ["/sign-in", "/welcome"];

const lost: Route = { path: "*", title: "Not found", page: LostPage, needs: "anyone" };

export function find(path: string): { route: Route; params: Record<string, string> } {
  for (const route of routes) {
    const params = match(route.path, path);
    if (params) return { route, params };
  }
  return { route: lost, params: {} };
}
