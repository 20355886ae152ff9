// Line icons, drawn for this page on a 16-pixel grid.
const paths = {
  runs: 'M2 5c3 0 3 3 6 3s3-3 6-3M2 11c3 0 3-3 6-3',
  gate: 'M4 2v12M12 2v12M4 6l4 2 4-2M4 10l4-2 4 2',
  chat: 'M2.5 3.5h11v7h-6l-3 3v-3h-2z',
  mail: 'M2 3.500h12v9H2zM2 4l6 5 6-5',
  council:
    'M8 5.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM3.5 13.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM12.5 13.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7 5.5 4.5 9.5M9 5.5l2.5 4M5.5 11.5h5',
  models: 'M8 1.5 14 5v6l-6 3.5L2 11V5zM2 5l6 3.5L14 5M8 8.5v6',
  roles: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14.5c0-3 2.5-4.5 5.5-4.5s5.5 1.5 5.5 4.5',
  people:
    'M6 8a2.8 2.8 0 1 0 0-5.600A2.8 2.8 0 0 0 6 8zM1 14c0-2.800 2.200-4.200 5-4.200S11 11.200 11 14M10.500 2.700a2.8 2.8 0 0 1 0 5M12.500 10.300c1.600.6 2.500 1.900 2.500 3.700',
  memory:
    'M4 5.500a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM12.500 8.500a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM5.500 14.500a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM5.800 4.300l4.900 1.700M4.300 5.500l.9 5M7 11.300l4-3',
  goal: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 10.800a2.8 2.8 0 1 0 0-5.600 2.800 2.800 0 0 0 0 5.600zM8 8h.01',
  chart: 'M2 14h12M4 11V7M8 11V3M12 11V5.5',
  system: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01',
  identity: 'M3 3h10v10H3zM8 8a1.6 1.6 0 1 0 0-3.2A1.6 1.6 0 0 0 8 8zM5.2 11.2c.4-1.4 1.4-2 2.8-2s2.4.6 2.8 2',
  tree: 'M5.5 1.5h5v4h-5zM1.5 10.500h5v4h-5zM9.500 10.500h5v4h-5zM8 5.500V8M4 10.500V8h8v2.500',
  key: 'M5.5 10.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8.5 7.500h6M12.5 7.500v2.5',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM11 11l3 3',
  mirror: 'M8 1.500v13M6 4 2 12h4zM10 4l4 8h-4z',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.500h8v8h-8zM10.5 5.500v-3h-8v8h3',
  check: 'M3 8.5 6.5 12 13 4.5',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1v1.500M8 13.500V15M1 8h1.500M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  moon: 'M13.5 9.500A6 6 0 0 1 6.5 2.500a6 6 0 1 0 7 7z',
  more: 'M3 8h.01M8 8h.01M13 8h.01',
  pause: 'M5.5 3v10M10.5 3v10',
  play: 'M4.5 2.500v11l9-5.500z',
  stop: 'M4 4h8v8H4z',
  fork: 'M4 2v12M4 9c0-4 8-2 8-6M12 5V2',
  flag: 'M3.5 14V2.500h8l-2 3 2 3h-8',
  file: 'M4 1.500h5l3.5 3.500v9.500H4zM9 1.500V5h3.5',
  image: 'M2 3h12v10H2zM2 11l3.5-3.5 3 3 2-2 3.500 3.500M10.500 6h.01',
  folder: 'M1.5 3.500h5l1.5 2h6.500v7.500h-13z',
  panel: 'M1.5 2.500h13v11h-13zM9.5 2.500v11',
  down: 'M8 2.500v9M4 8l4 4 4-4M3 14h10',
  upload: 'M8 11.500v-9M4 6l4-4 4 4M3 14h10',
  chevron: 'M6 3.5 10.5 8 6 12.5',
  back: 'M10 3.5 5.5 8l4.5 4.5',
  send: 'M2 8l12-6-4 12-2.5-5z',
  refresh: 'M13.5 8a5.5 5.5 0 1 1-1.8-4.100M13.5 1.500v3h-3',
  up: 'M4.5 7v6.500h-2V7zM4.5 7l3-5.500c1.2 0 1.7.9 1.5 2L8.7 6h4.300l-1 6.500c-.1.6-.5 1-1.2 1H4.5',
  thumbDown: 'M4.5 9V2.500h-2V9zM4.5 9l3 5.500c1.2 0 1.7-.9 1.5-2L8.7 10h4.300l-1-6.500c-.1-.6-.5-1-1.2-1H4.5',
  clip: 'M13 7.5 7.5 13a3.2 3.2 0 0 1-4.5-4.500l6-6a2.1 2.1 0 0 1 3 3l-6 6a1 1 0 0 1-1.5-1.500L9.5 5',
  tool: 'M9.5 4.500a3 3 0 0 1 4-2.500l-2 2 .5 1.5 1.5.5 2-2a3 3 0 0 1-4 3.500l-6 6a1.5 1.5 0 0 1-2-2z',
  signout: 'M6 2.500H2.500v11H6M10 5l3 3-3 3M13 8H6',
  menu: 'M2 4h12M2 8h12M2 12h12',
  edit: 'M10.500 3 13 5.500 5.500 13H3v-2.500zM8.500 5 11 7.500',
  card: 'M1.5 3.5h13v9h-13zM1.5 6.500h13M4 10h3',
  external: 'M9 2.500h4.500V7M13.5 2.5 7.5 8.500M11.5 9v4.500h-9v-9H7',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

/** The product's mark: two streams that meet. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" className="mark" aria-hidden="true">
      <path
        d="M3 10c7 0 7 6 13 6s6-6 13-6"
        fill="none"
        stroke="var(--accent)"
        strokeWidth="3.4"
        strokeLinecap="round"
      />
      <path
        d="M3 22c5 0 7-6 13-6s8 6 13 6"
        fill="none"
        stroke="var(--river-model)"
        strokeWidth="3"
        strokeLinecap="round"
      />
    </svg>
  );
}
