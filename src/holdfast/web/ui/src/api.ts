// The one door to the server: every call the pages make, typed, and what can go wrong with it.
import { signal } from "@preact/signals";
import type {
  AuditEntry, Board, Category, ClientRule, FailedItem, Filled, Freeleech, Headquarters, ItemBlock, ItemClaim,
  ItemHistory, ItemLimits, Leader, Ledger, LinkLook,
  Member, NewMember, NewToken, Notice, Order, Overview, Page, Participant, Passkey, Peer, PointsEntry, Preferences,
  Project, ProjectChange, Release, Released, Report, Role, Scope, Series, Session, Setting, SignInLink, Sitting,
  Standing, Swarm, System, Taken, Token, Tracker, Upload, UploadFile, UploadTarget, Verdict,
  Volunteer, Window,
} from "./model.ts";

export const BASE = "/api/v1";

export type FieldProblem = { field: string; detail: string };

/** "body.name" is a problem of the field "name". */
export function concerns(problem: FieldProblem, name: string): boolean {
  return problem.field === name || problem.field.endsWith(`.${name}`);
}

/** An answer that says no, in the server's own sentence. Status 0 means that nobody answered. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
  readonly fields: FieldProblem[];
  readonly body: Record<string, unknown>;
  readonly retryAfter: number | null;

  constructor(status: number, message: string, more: Partial<Omit<ApiError, keyof Error | "status">> = {}) {
    super(message);
    this.status = status;
    this.code = more.code ?? "";
    this.requestId = more.requestId ?? "";
    this.fields = more.fields ?? [];
    this.body = more.body ?? {};
    this.retryAfter = more.retryAfter ?? null;
  }
}

/** False from the moment a call finds nobody at home until one succeeds again. */
export const reachable = signal(true);

let csrf = "";
let signedOut: () => void = () => undefined;

export function keepCsrf(value: string): void {
  csrf = value;
}

export function onSignedOut(act: () => void): void {
  signedOut = act;
}

type Query = Record<string, string | number | boolean | null | undefined>;

export function withQuery(path: string, query: Query = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const search = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return search ? `${path}?${search}` : path;
}

function problem(status: number, text: string, retryAfter: string | null): ApiError {
  let body: Record<string, unknown> = {};
  try {
    body = JSON.parse(text) as Record<string, unknown>;
  } catch {
    // A proxy's HTML page, or nothing: the status has to speak.
  }
  const words = (name: string) => (typeof body[name] === "string" ? body[name] : "");
  const seconds = Number(retryAfter);
  const said = words("detail") || words("title") || `The server answered ${status}; try again in a moment.`;
  return new ApiError(status, said, {
    code: words("code"),
    requestId: words("request_id"),
    fields: Array.isArray(body.errors) ? (body.errors as FieldProblem[]) : [],
    body,
    retryAfter: retryAfter && Number.isFinite(seconds) ? seconds : null,
  });
}

const AWAY = "Holdfast does not answer; what you typed is still here. Try again when the connection is back.";

/** A gateway without a server behind it; a server that says itself why it cannot is not away. */
function isAway(error: ApiError): boolean {
  return error.status >= 502 && error.status <= 504 && !error.body.title;
}

function settle<T>(status: number, text: string, retryAfter: string | null): T {
  if (status >= 200 && status < 300) {
    reachable.value = true;
    return (text ? JSON.parse(text) : undefined) as T;
  }
  const error = problem(status, text, retryAfter);
  reachable.value = !isAway(error);
  if (status === 401) signedOut();
  throw error;
}

export function headers(unsafe: boolean): Record<string, string> {
  return unsafe && csrf ? { "X-CSRF-Token": csrf } : {};
}

async function call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const init: RequestInit = { method, headers: { Accept: "application/json", ...headers(method !== "GET") } };
  if (signal) init.signal = signal;
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { ...init.headers, "Content-Type": "application/json" };
  }
  let response: Response;
  let text: string;
  try {
    response = await fetch(BASE + path, init);
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    reachable.value = false;
    throw new ApiError(0, AWAY, { code: "away" });
  }
  return settle<T>(response.status, text, response.headers.get("Retry-After"));
}

let reading = new AbortController();

/** Whoever leaves no longer wants what he was about to read. */
export function stopReading(): void {
  reading.abort();
  reading = new AbortController();
}

const get = <T>(path: string, query?: Query) => call<T>("GET", withQuery(path, query), undefined, reading.signal);
const post = <T>(path: string, body?: unknown) => call<T>("POST", path, body);
const id = encodeURIComponent;

/** Whether the server is up, asked without touching what the pages think of it. */
export async function alive(): Promise<boolean> {
  try {
    return (await fetch("/health/live", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

export type SendUpload = { file: File; by?: string; category: string; name?: string };

/** fetch cannot tell how far a body has got; XMLHttpRequest can. */
export function sendUpload(wanted: SendUpload, progress: (share: number) => void): Promise<Upload> {
  const { file, ...query } = wanted;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", BASE + withQuery("/uploads", query));
    request.setRequestHeader("Content-Type", "application/x-bittorrent");
    request.setRequestHeader("Accept", "application/json");
    for (const [name, value] of Object.entries(headers(true))) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => progress(event.total ? event.loaded / event.total : 0);
    request.onload = () => {
      try {
        resolve(settle<Upload>(request.status, request.responseText, request.getResponseHeader("Retry-After")));
      } catch (error) {
        reject(error as Error);
      }
    };
    request.onerror = () => {
      reachable.value = false;
      reject(new ApiError(0, AWAY, { code: "away" }));
    };
    request.send(file);
  });
}

type ShareChange = { multi_up?: number; multi_down?: number; reason?: string };
type MemberChange = ShareChange & {
  enabled?: boolean; may_leech?: boolean; roles?: Role[]; email?: string | null; preferences?: Preferences;
};
type Lists = { cursor?: string | null; limit?: number };
export type MemberQuery = Lists & { q?: string; role?: string; enabled?: string };
export type UploadQuery = Lists & { q?: string; category?: string; uploader?: string; removed?: string };
export type AuditQuery = Lists & { actor?: string; action?: string; target_kind?: string; target_id?: string };

export const api = {
  session: () => get<Session>("/session"),
  signIn: (name: string, password: string) => post<Session>("/session", { name, password }),
  signOut: () => call<void>("DELETE", "/session"),
  lookAtLink: (token: string) => post<LinkLook>("/session/link/look", { token }),
  useLink: (body: { token: string; name?: string; password?: string }) => post<Session>("/session/link", body),
  sittings: () => get<Page<Sitting>>("/sessions"),
  endSitting: (sitting: Sitting["id"]) => call<void>("DELETE", `/sessions/${id(sitting)}`),
  setPassword: (current: string | null, fresh: string) => call<void>("PUT", "/me/password", { current, new: fresh }),
  tokens: () => get<Page<Token>>("/tokens"),
  addToken: (body: { name: string; scopes: Scope[]; expires: number | null }) => post<NewToken>("/tokens", body),
  dropToken: (token: number) => call<void>("DELETE", `/tokens/${token}`),

  members: (query: MemberQuery) => get<Page<Member>>("/members", query),
  addMember: (body: { name: string; roles?: Role[]; email?: string; may_leech?: boolean }) =>
    post<NewMember>("/members", body),
  member: (who: string | number) => get<Member>(`/members/${id(who)}`),
  changeMember: (who: number, change: MemberChange) => call<Member>("PATCH", `/members/${who}`, change),
  passkey: (who: number) => get<Passkey>(`/members/${who}/passkey`),
  rotatePasskey: (who: number) => post<Passkey>(`/members/${who}/passkey`),
  signInLink: (who: number) => post<SignInLink>(`/members/${who}/link`),
  points: (who: number, query: Lists) => get<Ledger>(`/members/${who}/points`, query),
  grant: (who: number, amount: number, reason: string) =>
    post<PointsEntry>(`/members/${who}/points`, { amount, reason }),

  uploads: (query: UploadQuery) => get<Page<Upload>>("/uploads", query),
  upload: (upload: string | number) => get<Upload>(`/uploads/${id(upload)}`),
  files: (upload: number, query: Lists) => get<Page<UploadFile>>(`/uploads/${upload}/files`, query),
  swarm: (upload: number) => get<Swarm>(`/uploads/${upload}/swarm`),
  peers: (upload: number, query: Lists) => get<Page<Peer>>(`/uploads/${upload}/peers`, query),
  taken: (who: number, state: Standing, query: Lists) => get<Page<Taken>>(`/members/${who}/torrents`, { ...query, state }),
  participants: (upload: number, query: Lists) => get<Page<Participant>>(`/uploads/${upload}/participants`, query),
  exempt: (who: number, upload: number, exempt: boolean, reason: string) =>
    post<Taken>(`/members/${who}/torrents/${upload}/exempt`, { exempt, reason }),
  torrentAddress: (upload: number) => `${BASE}/uploads/${upload}/torrent`,
  changeUpload: (upload: number, change: { name?: string; category?: string } & ShareChange) =>
    call<Upload>("PATCH", `/uploads/${upload}`, change),
  removeUpload: (upload: number, reason: string) => post<Upload>(`/uploads/${upload}/removal`, { reason }),
  categories: () => get<Page<Category>>("/categories", { limit: 200 }),

  tracker: (by: Order, limit = 20) => get<Tracker>("/tracker", { by, limit }),
  reap: () => post<{ gone: number; judged: number }>("/tracker/reap"),
  rebuildIndexes: () => post<{ mended: number }>("/tracker/rebuild-indexes"),
  reports: (settled: boolean, query: Lists) => get<Page<Report>>("/tracker/reports", { ...query, settled }),
  settle: (report: number, verdict: Verdict, note: string) =>
    post<Report>(`/tracker/reports/${report}/settle`, { verdict, note }),
  freeleech: (query: Lists) => get<Page<Freeleech>>("/freeleech", query),
  addFreeleech: (body: Omit<Freeleech, "id">) => post<Freeleech>("/freeleech", body),
  endFreeleech: (freeleech: number) => call<void>("DELETE", `/freeleech/${freeleech}`),
  whitelist: (query: Lists) => get<Page<ClientRule>>("/whitelist", query),
  allowClient: (prefix: string, name: string) => call<ClientRule>("PUT", `/whitelist/${id(prefix)}`, { name }),
  dropClient: (prefix: string) => call<void>("DELETE", `/whitelist/${id(prefix)}`),

  projects: (query: Lists) => get<Page<Project>>("/projects", query),
  addProject: (body: { slug: string; title: string; is_default: boolean }) => post<Project>("/projects", body),
  project: (slug: string) => get<Project>(`/projects/${id(slug)}`),
  changeProject: (slug: string, change: ProjectChange) => call<Project>("PATCH", `/projects/${id(slug)}`, change),
  board: (slug: string) => get<Board>(`/projects/${id(slug)}/board`),
  leaders: (slug: string, query: Lists & { window?: Window; q?: string; volunteer?: string }) => get<Page<Leader>>(`/projects/${id(slug)}/leaders`, query),
  charts: (slug: string, query: { volunteer?: string; since?: number; until?: number }) => get<Series>(`/projects/${id(slug)}/charts`, query),
  volunteer: (name: string) => get<Volunteer>(`/volunteers/${id(name)}`),
  fill: (slug: string, body: { items: string[]; queue: string; dry_run: boolean }) => post<Filled>(`/projects/${id(slug)}/items`, body),
  claims: (slug: string, query: Lists & { downloader?: string }) => get<Page<ItemClaim>>(`/projects/${id(slug)}/claims`, query),
  release: (slug: string, which: Release, preview: boolean) => post<Released>(`/projects/${id(slug)}/releases`, { ...which, preview }),
  limits: (slug: string) => get<ItemLimits>(`/projects/${id(slug)}/limits`),
  setLimits: (slug: string, limits: Omit<ItemLimits, "monitor">) => call<ItemLimits>("PUT", `/projects/${id(slug)}/limits`, limits),
  failedItems: (slug: string, query: Lists) => get<Page<FailedItem>>(`/projects/${id(slug)}/failed`, query),
  retry: (slug: string, items: string[]) => post<Released>(`/projects/${id(slug)}/retries`, { items }),

  headquarters: () => get<Headquarters>("/headquarters"),
  changeHeadquarters: (change: Partial<Headquarters>) => call<Headquarters>("PATCH", "/headquarters", change),
  item: (slug: string, name: string) => get<ItemHistory>(`/projects/${id(slug)}/item`, { name }),
  newKey: (slug: string) => post<{ key: string; path: string }>(`/projects/${id(slug)}/key`),
  targets: (slug: string, query: Lists) => get<Page<UploadTarget>>(`/projects/${id(slug)}/targets`, query),
  addTarget: (slug: string, url: string, weight: number) => post<UploadTarget>(`/projects/${id(slug)}/targets`, { url, weight }),
  changeTarget: (slug: string, target: number, change: Partial<Pick<UploadTarget, "weight" | "active" | "held_until" | "held_why">>) =>
    call<UploadTarget>("PATCH", `/projects/${id(slug)}/targets/${target}`, change),
  dropTarget: (slug: string, target: number) => call<void>("DELETE", `/projects/${id(slug)}/targets/${target}`),
  blocks: (project: string, query: Lists) => get<Page<ItemBlock>>("/blocks", { ...query, project }),
  block: (body: { whom: string; reason: string; project: string | null; until: number | null }) => post<ItemBlock>("/blocks", body),
  unblock: (block: number) => call<void>("DELETE", `/blocks/${block}`),

  notices: (query: Lists & { unread?: boolean }) => get<Page<Notice>>("/notices", query),
  readNotice: (notice: number) => post<Notice>(`/notices/${notice}/read`),
  readNotices: () => post<{ read: number }>("/notices/read"),
  audit: (query: AuditQuery) => get<Page<AuditEntry>>("/audit", query),
  system: () => get<System>("/system"),
  settings: () => get<{ items: Setting[] }>("/settings"),
  overview: () => get<Overview>("/overview"),
  description: () => get<Record<string, unknown>>("/openapi.json"),
};
