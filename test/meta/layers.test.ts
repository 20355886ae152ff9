// Holds the import rules of docs/ARCHITECTURE.md: who may import whom.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** Layer of a file, by its path; the first pattern that matches wins. */
const layers: readonly [RegExp, string][] = [
  [/^src\/(main|server|commands|admin-link|version)\.ts$|^src\/wiring\//, 'main'],
  // Tools of development: never part of what is built or served.
  [/^src\/web\/(dev\/|vite\.config)/, 'main'],
  [/^src\/config\.ts$/, 'config'],
  [/^src\/kernel\//, 'kernel'],
  [/^src\/contract\//, 'contract'],
  [/^src\/ports\//, 'ports'],
  [/^src\/groups\/(.*\/)?(contract|dto|events)\.ts$|^src\/groups\/index\.ts$/, 'group-contract'],
  [/^src\/groups\//, 'group-service'],
  [/^src\/stores\//, 'stores'],
  [/^src\/models\//, 'models'],
  [/^src\/retention\//, 'retention'],
  [/^src\/migrations\//, 'migrations'],
  [/^src\/run-places\//, 'run-places'],
  [/^src\/stream\//, 'stream'],
  [/^src\/auth\//, 'auth'],
  [/^src\/http\//, 'http'],
  [/^src\/telemetry\//, 'telemetry'],
  [/^src\/client\//, 'client'],
  [/^src\/web\//, 'web'],
  [/^src\/demo\//, 'demo'],
  [/^runtime\/(model|ports|records|tool-schema)\.ts$|^runtime\/state\//, 'runtime-ports'],
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
  'group-service': ['group-contract', 'contract', 'kernel', 'ports', 'runtime', 'runtime-ports', 'auth', 'telemetry'],
  stores: ['kernel', 'contract', 'ports', 'runtime-ports'],
  retention: ['kernel', 'ports', 'config', 'group-service', 'stores', 'stream', 'runtime', 'runtime-ports'],
  migrations: ['kernel', 'ports', 'group-service', 'stores'],
  'run-places': ['kernel', 'ports', 'config', 'group-service', 'sandbox', 'runtime-ports'],
  models: ['kernel', 'contract', 'ports', 'runtime-ports'],
  stream: ['kernel', 'contract', 'group-contract', 'ports', 'runtime-ports', 'http-adapter'],
  auth: ['kernel', 'contract', 'ports'],
  http: ['kernel', 'contract', 'auth', 'group-contract', 'ports'],
  telemetry: ['kernel', 'contract', 'ports', 'runtime-ports'],
  client: ['group-contract', 'contract', 'kernel'],
  web: ['client', 'group-contract', 'contract', 'kernel'],
  demo: ['client', 'group-contract', 'kernel', 'config'],
  'runtime-ports': ['kernel'],
  runtime: ['runtime-ports', 'kernel'],
  sandbox: ['kernel', 'runtime-ports', 'ports'],
};

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

  it('reads the environment in one place', () => {
    // A program of its own, which runs inside the sandbox.
    const apart = 'sandbox/network/bridge.ts';
    const readers = files.filter(
      (file) =>
        file !== 'src/config.ts' &&
        file !== apart &&
        layerOf(file) !== 'main' &&
        /process\.env/.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(readers).toEqual([]);
  });
});
