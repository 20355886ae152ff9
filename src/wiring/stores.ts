// How the stores are that the server stands on: the database, the vectors, Redis and the disk, as operators see them.
import { statfs } from 'node:fs/promises';
import type { Config } from '../config.ts';
import type { StoreHealthDto } from '../groups/infrastructure/dto.ts';
import type { HealthCheck } from '../groups/system/readiness.ts';
import type { Clock } from '../kernel/clock.ts';
import { roomOf } from '../kernel/free-space.ts';
import type { Storage } from './storage.ts';
import type { OpenStreams } from './streams.ts';

interface Deps {
  config: Config;
  storage: Storage;
  streams: Pick<OpenStreams, 'redisFigures'>;
  clock: Clock;
}

/** How long what was found holds, so that a page that looks often costs little; and how long a store may take. In ms. */
const heldMs = 10_000;
const patienceMs = 3000;

type Found = Partial<Omit<StoreHealthDto, 'kind' | 'name' | 'mode' | 'latencyMs' | 'checkedAtUtc'>>;
interface Store extends Pick<StoreHealthDto, 'kind' | 'name' | 'mode'> {
  look(): Promise<Found>;
}

const none = {
  ...{ version: null, latencyMs: null, sizeBytes: null, usedPercent: null, itemCount: null, connectionCount: null },
  ...{ detail: null, collections: [] },
};

export function createStores(deps: Deps) {
  const { clock } = deps;
  const stores = [documents(deps), vectors(deps), redis(deps), disk(deps)];
  const lookAt = async ({ look, ...store }: Store): Promise<StoreHealthDto> => {
    const began = performance.now();
    const checkedAtUtc = new Date(clock.now()).toISOString();
    try {
      const found = await within(clock, look());
      const latencyMs = Math.round((performance.now() - began) * 100) / 100;
      return { ...none, ...store, state: 'Healthy', ...found, latencyMs, checkedAtUtc };
    } catch (error) {
      const detail = error instanceof Error ? error.message : 'It does not answer.';
      return { ...none, ...store, state: 'Unhealthy', detail, checkedAtUtc };
    }
  };
  let last: { at: number; stores: Promise<StoreHealthDto[]> } | null = null;
  return {
    list(): Promise<StoreHealthDto[]> {
      if (!last || clock.steady() - last.at > heldMs) {
        last = { at: clock.steady(), stores: Promise.all(stores.map(lookAt)) };
      }
      return last.stores;
    },
    /** What readiness asks besides the database; none of them stops work. */
    checks: stores
      .filter(({ kind, mode }) => kind === 'FileSystem' || (mode === 'External' && kind !== 'MongoDb'))
      .map(
        ({ name, look }): HealthCheck => ({
          name,
          required: false,
          check: async () => {
            const { state = 'Healthy', detail = null } = await look();
            return { state, detail };
          },
        }),
      ),
  };
}

async function within<T>(clock: Clock, work: Promise<T>): Promise<T> {
  const abort = new AbortController();
  const late = clock
    .sleep(patienceMs, abort.signal)
    .then(() => Promise.reject(new Error('It does not answer in time.')));
  return Promise.race([work, late]).finally(() => abort.abort());
}

const documents = ({ storage }: Deps): Store => ({
  kind: storage.kind === 'MongoDB' ? 'MongoDb' : 'InProcess',
  name: storage.kind === 'MongoDB' ? 'MongoDB' : 'rivulet.db',
  mode: storage.kind === 'MongoDB' ? 'External' : 'Embedded',
  async look() {
    await storage.db.ping();
    const { version, sizeBytes, freeBytes, connections, collections } = await storage.db.figures();
    return {
      ...{ version, sizeBytes, connectionCount: connections },
      itemCount: collections.reduce((sum, { items }) => sum + items, 0),
      detail: freeBytes === null ? null : `${Math.round(freeBytes / 1e5) / 10} MB of it are free for what comes next.`,
      collections: collections.map(({ name, items, indexes, ...rest }) => ({
        ...{ name, itemCount: items, sizeBytes: rest.sizeBytes, indexCount: indexes, indexed: indexes > 0 },
      })),
    };
  },
});

const vectors = ({ config: { qdrant, mongoUri } }: Deps): Store => ({
  kind: 'Qdrant',
  name: 'vectors',
  mode: qdrant ? 'External' : mongoUri ? 'Disabled' : 'Embedded',
  async look() {
    if (!qdrant)
      return { detail: mongoUri ? 'None: memories are found by words alone. Set QDRANT_URL.' : 'In rivulet.db.' };
    const headers = qdrant.apiKey ? { 'api-key': qdrant.apiKey } : undefined;
    const get = async (path: string) => {
      const response = await fetch(new URL(path, qdrant.url), { ...(headers && { headers }) });
      if (!response.ok) throw new Error(`It answers ${response.status}.`);
      return (await response.json()) as { version?: string; result?: unknown };
    };
    const { version } = await get('/').catch(() => ({ version: undefined }));
    const { collections } = (await get('/collections')).result as { collections: { name: string }[] };
    const own = collections.filter(({ name }) => name.startsWith(qdrant.prefix));
    const counted = await Promise.all(
      own.map(async ({ name }) => {
        const found = (await get(`/collections/${encodeURIComponent(name)}`)).result as { points_count?: number };
        return { name, itemCount: found.points_count ?? 0, sizeBytes: null, indexCount: null, indexed: true };
      }),
    );
    return {
      version: version ?? null,
      itemCount: counted.reduce((sum, { itemCount }) => sum + itemCount, 0),
      collections: counted,
    };
  },
});

const redis = ({ streams: { redisFigures } }: Deps): Store => ({
  kind: 'Redis',
  name: 'Redis',
  mode: redisFigures ? 'External' : 'Disabled',
  async look() {
    if (!redisFigures) return { detail: 'None: this is the only node. Set REDIS_URL for several.' };
    const { version, usedBytes, connections, keys } = await redisFigures();
    return { version, sizeBytes: usedBytes, connectionCount: connections, itemCount: keys };
  },
});

const disk = ({ config: { dataDir } }: Deps): Store => ({
  kind: 'FileSystem',
  name: 'data folder',
  mode: 'Embedded',
  async look() {
    const { bsize, blocks, bavail, bfree } = await statfs(dataDir);
    const [used, free] = [(blocks - bfree) * bsize, bavail * bsize];
    const { state, usedPercent, free: left } = roomOf({ free, used });
    const detail =
      state === 'Healthy' ? `${left} are free.` : `${left} are free, ${usedPercent} % are used: make room.`;
    return { state, sizeBytes: used, usedPercent, detail };
  },
});
