// Small drawings, one stroke wide. They decorate words and are never alone in saying something.
const PATHS = {
  overview: "M3 17c2-1.500 4.500-2 7-2s5 .5 7 2M10 15c0-3-1.500-4-1.500-7S10 4.500 10 2.500M9 10.500C6.500 11 5 10 4 8c2.500-.5 4.300.3 5 2.500zM9.500 7c2 .6 4 0 5-2-2-.8-4-.3-5 2z",
  uploads: "M3 6.500 10 3l7 3.500-7 3.500zM3 10l7 3.500 7-3.500M3 13.500 10 17l7-3.500",
  members: "M7.500 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2 17c0-3.200 2.400-5.500 5.500-5.500S13 13.800 13 17M13 3.400a3 3 0 0 1 0 5.300M14.800 12c2 .8 3.200 2.700 3.200 5",
  notices: "M10 2.500c-3 0-4.800 2.200-4.800 5 0 4-1.700 5.500-1.700 6.500h13c0-1-1.700-2.500-1.700-6.500 0-2.800-1.800-5-4.800-5zM8 16.500c.5.9 1.200 1.200 2 1.200s1.500-.3 2-1.200",
  tracker: "M10 11.500v5.500M6.500 17h7M10 11.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3zM6.500 13.500a5 5 0 0 1 0-7M13.500 6.500a5 5 0 0 1 0 7M4 15.500a8 8 0 0 1 0-11M16 4.500a8 8 0 0 1 0 11",
  audit: "M5 2.500h7l3.500 3.500v11.500h-10.500zM12 2.500V6h3.500M7.500 10h5.500M7.500 13.500h3.500",
  system: "M3 4h14v5H3zM3 11h14v5H3zM6 6.500h.01M6 13.500h.01M9 6.500h5M9 13.500h5",
  settings: "M3 5.500h8M15 5.500h2M3 10h2M9 10h8M3 14.500h7M14 14.500h3M13 3.700v3.600M7 8.200v3.600M12 12.700v3.600",
  api: "M7 5 3 10l4 5M13 5l4 5-4 5M11.500 3.500l-3 13",
  account: "M10 10a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM3.500 17.500c.6-3.300 3.200-5 6.500-5s5.900 1.700 6.500 5",
  search: "M8.800 14.500a5.700 5.700 0 1 0 0-11.400 5.700 5.700 0 0 0 0 11.400zM13 13l4.200 4.200",
  copy: "M7 7h9v10H7zM4 13V3h9",
  check: "M3.500 10.500 8 15l8.500-10",
  close: "M4.500 4.500l11 11M15.500 4.500l-11 11",
  add: "M10 3.500v13M3.500 10h13",
  down: "M10 3v10M5.500 9 10 13.500 14.500 9M3.500 17h13",
  up: "M10 14V4M5.500 8.500 10 4l4.500 4.500M3.500 17h13",
  chevron: "M7 4.500 13 10l-6 5.500",
  menu: "M3 5.500h14M3 10h14M3 14.500h14",
  sun: "M10 13.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM10 1.500v2M10 16.500v2M1.500 10h2M16.500 10h2M4 4l1.400 1.400M14.600 14.600 16 16M16 4l-1.400 1.400M5.400 14.600 4 16",
  moon: "M16.500 12A7 7 0 0 1 8 3.500a7 7 0 1 0 8.500 8.500z",
  both: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 3v14M12.500 5v10M15 7v6",
  folder: "M2.500 5h5l2 2h8v9.500h-15z",
  file: "M5.500 2.500h6l3.500 3.500v11.500H5.500zM11.500 2.500V6H15",
  warning: "M10 3 2 17h16zM10 8v4.500M10 14.800h.01",
  key: "M7 13a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM10.500 9.500h7v3M14.500 9.500v2.500",
  leave: "M8 3.500H4v13h4M8.500 10h8.500M13.500 6l4 4-4 4",
  trash: "M3.500 5.500h13M8 5.500v-2h4v2M5.500 5.500l.7 11.500h7.600l.7-11.500",
  link: "M8.500 11.500l3-3M9.500 6l1.600-1.600a3.200 3.200 0 0 1 4.500 4.500L14 10.500M10.500 14l-1.600 1.600a3.200 3.200 0 0 1-4.500-4.500L6 9.500",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" width={size} height={size} aria-hidden="true" focusable="false">
      <path d={PATHS[name]} fill="none" stroke="currentColor" stroke-width="1.600" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}

/** The house's sign: a stipe with two blades and a float, held by its root. */
export function Sign({ size = 32 }: { size?: number }) {
  return (
    <svg class="sign" viewBox="0 0 32 32" width={size} height={size} aria-hidden="true" focusable="false">
      <path class="sign-kelp" d="M5 27c3-3 7-3.600 11-3.600s8 .6 11 3.600M9 27.500c1.500-1.800 3.500-2.600 7-2.600s5.500.8 7 2.600" />
      <path class="sign-kelp" d="M16 24c0-4-2-6-2-10s2-5 2-9" />
      <path class="sign-blade" d="M14.600 18c-4 .6-6.600-1.400-7.800-4.600 3.800-.6 6.800.8 7.800 4.600zM15 11c3.600 1 6.600-.4 8.400-3.400-3.600-1.400-7-.4-8.400 3.400z" />
      <circle class="sign-float" cx="18.600" cy="17" r="3" />
    </svg>
  );
}
