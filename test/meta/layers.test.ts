// Holds the import rules of docs/ARCHITECTURE.md: who may import whom.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** Layer of a file, by its path; the first pattern that matches wins. */
const layers: readonly [RegExp, string][] = [
  [/^src\/(main|heap-flags|server|version)\.ts$|^src\/wiring\//, 'main'],
  // Tools of development: never part of what is built or served.
  [/^src\/web\/(dev\/|vite\.config)/, 'main'],
  [/^src\/(config|environment)\.ts$/, 'config'],
  [/^src\/kernel\//, 'kernel'],
  [/^src\/contract\//, 'contract'],
  [/^src\/ports\//, 'ports'],
  [/^src\/groups\/(.*\/)?(contract|dto|events)\.ts$|^src\/groups\/index\.ts$/, 'group-contract'],
  [/^src\/groups\//, 'group-service'],
  [/^src\/stores\//, 'stores'],
  [/^src\/models\//, 'models'],
  [/^src\/memory\//, 'memory'],
  [/^src\/projects\//, 'projects'],
  [/^src\/org-units\//, 'org-units'],
  [/^src\/routines\//, 'routines'],
  [/^src\/prompts\//, 'prompts'],
  [/^src\/logs\//, 'logs'],
  [/^src\/markdown\//, 'markdown'],
  [/^src\/scrub\//, 'scrub'],
  [/^src\/imports\//, 'imports'],
  [/^src\/documents\//, 'documents'],
  [/^src\/sites\//, 'sites'],
  [/^src\/outside\//, 'outside'],
  [/^src\/retention\//, 'retention'],
  [/^src\/migrations\//, 'migrations'],
  [/^src\/run-places\//, 'run-places'],
  [/^src\/stream\//, 'stream'],
  [/^src\/auth\//, 'auth'],
  [/^src\/http\//, 'http'],
  [/^src\/telemetry\//, 'telemetry'],
  [/^src\/client\//, 'client'],
  [/^src\/web\//, 'web'],
  [/^src\/cli\//, 'cli'],
  [
    /^runtime\/(model|ports|queries|records|message-log|tool-questions|tool-schema|waits)\.ts$|^runtime\/(state|views)\//,
    'runtime-ports',
  ],
  [/^runtime\//, 'runtime'],
  [/^sandbox\//, 'sandbox'],
];

/** What each layer may import, besides itself. `main` may import everything. */
const allowed: Record<string, readonly string[]> = {
  config: ['kernel'],
  kernel: [],
  contract: ['kernel'],
  ports: ['kernel', 'contract'],
  'group-contract': ['contract', 'kernel'],
  'group-service': [
    'scrub',
    'imports',
    'group-contract',
    'contract',
    'kernel',
    'ports',
    'logs',
    'markdown',
    'documents',
    'memory',
    'projects',
    'org-units',
    'routines',
    'prompts',
    'outside',
    'runtime',
    'runtime-ports',
    'auth',
    'telemetry',
  ],
  stores: ['kernel', 'contract', 'ports', 'runtime-ports'],
  retention: ['kernel', 'ports', 'config', 'auth', 'group-service', 'stores', 'stream', 'runtime', 'runtime-ports'],
  migrations: ['kernel', 'ports', 'group-service', 'stores'],
  'run-places': ['kernel', 'ports', 'config', 'group-service', 'sandbox', 'runtime-ports'],
  // The log of the server: what keeps, finds and counts lines.
  logs: ['kernel', 'contract', 'ports'],
  markdown: [],
  // Secrets and personal data in texts: pure.
  scrub: [],
  // What archives of other providers say: pure but for the file that is read.
  imports: ['kernel', 'contract'],
  documents: ['kernel', 'contract', 'markdown'],
  // Pages from documents: pure but for the folder that they are written to.
  sites: ['kernel', 'documents', 'markdown'],
  // What memory thinks: pure over ports.
  memory: ['kernel', 'contract', 'ports'],
  // Who may read and change what is in a project, and what becomes of its tasks.
  projects: ['kernel', 'contract', 'ports', 'org-units'],
  // Which unit work and people belong to, and what that gives them.
  'org-units': ['kernel', 'contract', 'ports', 'auth'],
  // How other servers are called: what waits to be sent, and what each service takes and signs.
  outside: ['kernel', 'contract', 'ports', 'markdown'],
  // When a routine is due, and what becomes of it: pure.
  routines: ['kernel', 'contract'],
  // What a prompt's text asks for: pure.
  prompts: [],
  models: ['kernel', 'contract', 'ports', 'runtime-ports'],
  stream: ['kernel', 'contract', 'group-contract', 'ports', 'runtime-ports', 'http-adapter'],
  auth: ['kernel', 'contract', 'ports'],
  http: ['kernel', 'contract', 'auth', 'group-contract', 'ports', 'markdown'],
  telemetry: ['kernel', 'contract', 'ports', 'runtime-ports'],
  client: ['group-contract', 'contract', 'kernel'],
  // Markdown and the variables of prompts are read by one rule, wherever they are shown.
  web: ['client', 'group-contract', 'contract', 'kernel', 'markdown', 'prompts'],
  // The command line: a client, and what an operator does on a data folder; `start` is the program itself.
  cli: ['client', 'group-contract', 'kernel', 'config', 'auth', 'stores', 'migrations', 'models', 'run-places', 'main'],
  'runtime-ports': ['kernel'],
  runtime: ['runtime-ports', 'kernel'],
  sandbox: ['kernel', 'runtime-ports', 'ports'],
};

/**
 * The rooms of a place with what each may import of it. A room stands above all that it imports, so the table read from
 * top to bottom has no arrow back up; `.` are the files beside the rooms.
 */
const rooms: Record<string, Record<string, readonly string[]>> = {
  runtime: {
    chat: ['.', 'tools', 'systems', 'state'],
    '.': ['tools', 'systems', 'state'],
    tools: ['systems', 'state'],
    systems: ['state'],
    state: [],
  },
  'runtime/systems': {
    work: ['councils', 'turn', 'escalations', 'life', 'trees', 'records'],
    councils: ['turn', 'escalations', 'records'],
    turn: ['escalations', 'life', 'trees', 'records'],
    escalations: ['life', 'records'],
    life: ['trees', 'records'],
    trees: ['records'],
    records: [],
  },
  'src/stream': {
    '.': ['transports', 'agents', 'connections', 'hub', 'brokers', 'log'],
    transports: ['connections', 'hub', 'log'],
    agents: ['connections', 'brokers'],
    connections: ['hub', 'brokers', 'log'],
    hub: ['brokers', 'log'],
    brokers: ['log'],
    log: [],
  },
  'src/models': {
    '.': ['routing', 'gateway', 'scripted', 'providers'],
    routing: ['gateway', 'scripted', 'providers', 'pricing'],
    gateway: ['providers', 'pricing'],
    scripted: ['providers', 'pricing'],
    providers: ['pricing'],
    pricing: [],
    embedders: [],
  },
  sandbox: {
    runs: ['workspace', 'output', 'commands', 'drivers', 'network', '.'],
    workspace: ['output', 'disk', '.'],
    output: ['commands'],
    commands: ['drivers', 'disk'],
    drivers: ['network', 'disk', '.'],
    network: [],
    disk: [],
    '.': [],
  },
};
/**
 * What the engine sees of the world, and how it is seen, stands with its states: ports name what is shown, which is
 * derived from states. Everything else of it stands on these.
 */
const engineFloor =
  /^runtime\/(model|ports|queries|records|message-log|tool-questions|tool-schema|waits)\.ts$|^runtime\/views\//;

/** The room of a file in a place; null when it stands elsewhere. */
function roomOf(place: string, file: string): string | null {
  if (!file.startsWith(`${place}/`)) return null;
  if (place === 'runtime' && engineFloor.test(file)) return 'state';
  const [room, ...rest] = file.slice(place.length + 1).split('/');
  return rest.length > 0 ? (room as string) : '.';
}

const layerOf = (file: string) => layers.find(([pattern]) => pattern.test(file))?.[1];

function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder)).flatMap((name) => {
    const path = `${folder}/${name}`;
    if (statSync(join(root, path)).isDirectory())
      return name === 'node_modules' || name === 'testing' ? [] : sourceFiles(path);
    return /\.tsx?$/.test(name) && !/\.test\.tsx?$|\.suite\.ts$|\.d\.ts$/.test(name) ? [path] : [];
  });
}

/** Relative imports of a file, as paths from the root. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g);
  return [...found].map(([, path]) => relative(root, resolve(root, dirname(file), path as string)));
}

const files = ['src', 'runtime', 'sandbox'].flatMap(sourceFiles);

/** Files from which imports lead back to themselves: what is left when all that leads nowhere is taken away. */
function filesInCircles(files: readonly string[]): string[] {
  const imports = new Map(files.map((file) => [file, new Set(importsOf(file))]));
  for (let removed = true; removed; ) {
    removed = false;
    const wanted = new Set([...imports.values()].flatMap((targets) => [...targets]));
    for (const [file, targets] of imports) {
      const leadsOn = [...targets].some((target) => imports.has(target));
      if (leadsOn && wanted.has(file)) continue;
      imports.delete(file);
      removed = true;
    }
  }
  return [...imports.keys()];
}

describe('layers', () => {
  it('finds the sources', () => {
    expect(files.length).toBeGreaterThan(50);
  });

  it('gives every file a layer', () => {
    expect(files.filter((file) => !layerOf(file))).toEqual([]);
  });

  it('lets each layer import only what it may', () => {
    const wrong = files.flatMap((file) => {
      const layer = layerOf(file);
      if (!layer || layer === 'main') return [];
      return importsOf(file)
        .filter((target) => {
          const other = target === 'src/http/adapter.ts' && layer === 'stream' ? 'http-adapter' : layerOf(target);
          return other !== layer && !(other && allowed[layer]?.includes(other));
        })
        .map((target) => `${file} (${layer}) → ${target} (${layerOf(target)})`);
    });
    expect(wrong).toEqual([]);
  });

  it('keeps services of different groups apart', () => {
    const groupOf = (file: string) => /^src\/groups\/([^/]+)\//.exec(file)?.[1];
    const wrong = files
      .filter((file) => layerOf(file) === 'group-service' && groupOf(file))
      .flatMap((file) =>
        importsOf(file)
          .filter((target) => /service\.ts$/.test(target) && groupOf(target) !== groupOf(file))
          .map((target) => `${file} → ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  it.each(Object.keys(rooms))('lets the rooms of %s import only what stands below them', (place) => {
    const table = rooms[place] as Record<string, readonly string[]>;
    const wrong = files.flatMap((file) => {
      const room = roomOf(place, file);
      if (room === null) return [];
      if (!(room in table)) return [`${file} stands in no room of ${place}`];
      return importsOf(file)
        .filter((target) => {
          const other = roomOf(place, target);
          return other !== null && other !== room && !table[room]?.includes(other);
        })
        .map((target) => `${file} → ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  it('lists rooms from top to bottom, so that no arrow runs back up', () => {
    const up = Object.entries(rooms).flatMap(([place, table]) => {
      const order = Object.keys(table);
      return Object.entries(table).flatMap(([room, below]) =>
        below
          .filter((other) => order.indexOf(other) <= order.indexOf(room))
          .map((other) => `${place}: ${room} → ${other}`),
      );
    });
    expect(up).toEqual([]);
  });

  it('has no files that import each other in a circle, types included', () => {
    expect(filesInCircles(files)).toEqual([]);
  });

  it('reads the environment in one place', () => {
    // A program of its own, which runs inside the sandbox; and a limit that a binary takes from there alone.
    const apart = ['sandbox/network/bridge.ts', 'src/http/adapters/uws/load.ts'];
    const readers = files.filter(
      (file) =>
        file !== 'src/config.ts' &&
        !apart.includes(file) &&
        layerOf(file) !== 'main' &&
        /process\.env/.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(readers).toEqual([]);
  });
});
