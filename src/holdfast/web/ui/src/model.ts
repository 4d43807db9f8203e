// The words of the API, as its contract spells them. Times are seconds UTC, sizes are bytes.

export type Role = "member" | "moderator" | "operator";
export type Who = { id: number; name: string };
export type Page<T> = { items: T[]; next: string | null };

export type Sinks = { page: boolean; email: boolean; webhook: boolean };
export type Preferences = { as_uploader: Sinks; as_snatcher: Sinks };

export type Member = {
  id: number;
  name: string;
  enabled: boolean;
  may_leech: boolean;
  roles: Role[];
  points: number;
  uploaded: number;
  downloaded: number;
  joined: number;
  last_seen: number | null;
  multi_up: number;
  multi_down: number;
  email?: string | null;
  preferences?: Preferences | null;
};

export type Passkey = { passkey: string; announce_url: string };
export type SignInLink = { sign_in_link: string; expires: number };
export type NewMember = Member & Passkey & { sign_in_link: string | null };

export type Category = { id: number; name: string; points: number };
export type Removal = { at: number; reason: string; by: Who | null };

export type Upload = {
  id: number;
  name: string;
  category: Category;
  uploader: Who | null;
  size: number;
  piece_length: number;
  piece_count: number;
  file_count: number;
  info_hash_v1: string | null;
  info_hash_v2: string | null;
  private: boolean;
  source: string | null;
  comment: string;
  created: number;
  last_action: number | null;
  completed: number;
  seeders: number;
  leechers: number;
  removed: Removal | null;
  multi_up: number;
  multi_down: number;
};

/** A swarm in numbers; partial seeds, who have all they want, are among the leechers. */
export type Swarm = {
  seeders: number;
  leechers: number;
  partial: number;
  snatches: number;
  announces: number;
  uploaded: number;
  downloaded: number;
};

/** One client in a swarm. What would tell whose it is, is null unless it is one's own, or one is staff. */
export type Peer = {
  role: "seeder" | "leecher" | "partial";
  client: string;
  progress: number;
  speed_up: number;
  speed_down: number;
  own: boolean;
  member: Who | null;
  peer_id: string | null;
  ip: string | null;
  port: number | null;
  uploaded: number | null;
  downloaded: number | null;
  time: number | null;
  first_announce: number | null;
  last_announce: number | null;
};

export type UploadRef = { id: number; name: string; size: number; removed: boolean };

export type Standing = "seeding" | "leeching" | "complete" | "owing";

/** An upload that a member took part in; times are seconds, `hnr` tells since when he is listed for it. */
export type Taken = {
  upload: UploadRef;
  seeding: number;
  leeching: number;
  complete: boolean;
  snatched: number | null;
  time: number;
  uploaded: number;
  downloaded: number;
  hnr: number | null;
  exempt: boolean;
  time_owed: number;
  hnr_at_risk: boolean;
};

/** The same from the upload's side: a member who took part in it. */
export type Participant = Omit<Taken, "upload"> & { member: Who };

export const ORDERS = ["leechers", "seeders", "snatches"] as const;
export type Order = (typeof ORDERS)[number];

export type Worker = {
  name: string;
  instance: string;
  pid: number;
  since: number;
  beat: number;
  resident_bytes: number;
  cpu_seconds: number;
};

/** The tracker at a moment; between two of these lie the rates. */
export type Tracker = {
  at: number;
  totals: {
    seeders: number; leechers: number; announces: number; scrapes: number; requests: number;
    /** Clients in swarms of the open mode, who are counted apart. */
    open: number;
    seeded: number;
    overdue: number;
  };
  busiest: { upload: UploadRef; counts: Swarm }[];
  workers: Worker[];
  /** What the workers have counted since they started, the most first. */
  clients: Tally[];
  refusals: Tally[];
};

export type Tally = { name: string; count: number };

export type Freeleech = { id: number; starts: number; ends: number; multi_up: number; multi_down: number; reason: string };

export const VERDICTS = ["cheating", "mistake", "unclear"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What looks wrong; `worst` is bytes a second for speed, bytes too many for balance. */
export type Report = {
  id: number;
  kind: "speed" | "balance" | "leak";
  member: Who | null;
  upload: UploadRef | null;
  first: number;
  last: number;
  count: number;
  worst: number;
  details: Record<string, unknown>;
  settled: { at: number; by: Who | null; verdict: Verdict; note: string } | null;
};

export type ClientRule = { prefix: string; name: string };

export type UploadFile = { path: string; size: number };

export type Delivery = {
  sink: string;
  state: "pending" | "sent" | "failed";
  attempts: number;
  error: string | null;
};

export type Notice = {
  id: number;
  kind: string;
  role: "uploader" | "snatcher" | "member" | "operator";
  subject: string;
  body: string;
  created: number;
  read_at: number | null;
  deliveries: Delivery[];
};

export type AuditEntry = {
  id: number;
  at: number;
  actor: { id: number | null; name: string };
  door: string;
  address: string | null;
  action: string;
  target_kind: string;
  target_id: number | string | null;
  target_name: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  request_id: string | null;
};

export type PointsEntry = {
  id: number;
  at: number;
  amount: number;
  reason: string;
  upload_id: number | null;
  by: Who | null;
  balance_after: number;
};
export type Ledger = Page<PointsEntry> & { balance: number };

export const SCOPES = ["read", "write", "operate", "metrics"] as const;
export type Scope = (typeof SCOPES)[number];

export type Token = {
  id: number;
  name: string;
  scopes: Scope[];
  created: number;
  last_used: number | null;
  expires: number | null;
};
export type NewToken = Token & { secret: string };

export type Sitting = {
  id: number | string;
  created: number;
  last_used: number;
  expires: number;
  address: string | null;
  agent: string | null;
  current: boolean;
};

export type Session = { member: Member; csrf: string; community: string };
export type LinkLook = {
  purpose: "first_operator" | "sign_in";
  name: string | null;
  expires: number;
  needs_password: boolean;
};

export type Part = {
  name: string;
  instance: string;
  pid: number | null;
  state: string;
  since: number | null;
  restarts: number;
  version: string | null;
  resident_bytes: number | null;
  cpu_seconds: number | null;
  beat: number | null;
};

export type System = {
  version: string;
  started: number;
  uptime: number;
  community: string;
  parts: Part[];
  live: {
    address: string;
    version: string | null;
    layout: string;
    used_memory: number | null;
    max_memory: number | null;
    clients: number | null;
    calls_per_second: number | null;
    state: string;
  };
  records: { address: string; kind: string; size_bytes: number | null; schema: string | null; state: string };
  outbox: { waiting: number; oldest_age: number | null };
  alarms: { level: "warning" | "alarm"; text: string }[];
  disk: { free_bytes: number; total_bytes: number };
  addresses: { web: string | null; tracker: string | null };
};

export type Setting = { name: string; value: unknown; source: string; doc: string };

export type VerbName = "save" | "spread" | "share" | "count" | "keep";
export type Verb = {
  verb: VerbName;
  title: string;
  state: "ready" | "coming";
  figures: { label: string; value: number | string | null }[];
  note: string;
};
export type Overview = {
  community: string;
  verbs: Verb[];
  counts: { members: number; uploads: number; size: number; removed: number; unread: number };
  recent: { uploads: Upload[] };
};

export const PROJECT_STATES = ["draft", "active", "paused", "draining", "archived"] as const;
export type ProjectState = (typeof PROJECT_STATES)[number];
/** Where a project's items are: the first four sum up to the last, always. */
export type ItemCounts = { todo: number; out: number; done: number; failed: number; added: number };
/** What is not limited is null; a monitor of the target site may set a limit of its own. */
export type ItemLimits = { per_minute: number | null; monitor: number | null; each: number | null };

/** What everybody may see of a project. */
export type Board = {
  slug: string;
  title: string;
  state: ProjectState;
  message: string;
  item_type: string;
  domains: Record<string, string>;
  counts: ItemCounts;
  limits: ItemLimits;
  domain_bytes: Record<string, number>;
  versions: Record<string, number>;
  at: number;
};

export type Project = {
  slug: string;
  title: string;
  state: ProjectState;
  host: string;
  item_type: string;
  item_pattern: string;
  domains: Record<string, string>;
  lease: number;
  attempts: number;
  minimum_version: string;
  refused_versions: string[];
  smooth: boolean;
  unknown: "ok" | "invalid";
  message: string;
  description: string;
  repository: string;
  logo: string;
  leaderboard: string;
  deadline: number;
  weight: number;
  rescue: boolean;
  backfeed_queue: string;
  is_default: boolean;
  created: number;
  counts: ItemCounts;
};
export type ProjectChange = Partial<Omit<Project, "slug" | "is_default" | "created" | "counts">>;

export const WINDOWS = ["all", "week", "day"] as const;
export type Window = (typeof WINDOWS)[number];
export type Leader = { rank: number; name: string; items: number; bytes: number };
export type Point = [at: number, sum: number];
export type Series = { items: Point[]; bytes: Point[] };
export type Volunteer = {
  name: string;
  items: number;
  bytes: number;
  projects: { slug: string; title: string; items: number; bytes: number }[];
};

export type ItemClaim = { item: string; holder: { name: string; address: string }; since: number };
export type FailedItem = { item: string; why: string };
export type Filled = { added: number; known: number; refused: string[] };
export type Release = { hours?: number; downloader?: string; pattern?: string; items?: string[] };
export type Released = { count: number; some: string[] };

/** Where volunteers bring what they fetched. */
export type UploadTarget = {
  id: number;
  url: string;
  weight: number;
  active: boolean;
  held_until: number;
  held_why: string;
  given: number;
  reported: number;
};

/** A name, an address or a network that gets no items; of every project where none is named. */
export type ItemBlock = { id: number; whom: string; project: string | null; reason: string; at: number; until: number | null; by: string };

/** What is known of an item: where it is, whose claims ended without a report, and the report that finished it. */
export type ItemHistory = {
  item: string;
  where: "todo" | "out" | "done" | "failed" | null;
  holder: { name: string; address: string } | null;
  attempts: { at: number; what: string; name: string; address: string; why: string }[];
  report: Record<string, unknown> | null;
  line: number | null;
};

/** What warriors are told beside the projects. */
export type Headquarters = { seesaw_version: string; auto_project: string; broadcast_message: string };
