// Vectors in Qdrant: one collection a space; points are filtered by tenant and scopes.
import { QdrantClient } from '@qdrant/js-client-rest';
import {
  byScore,
  type VectorHit,
  type VectorPoint,
  type VectorSearch,
  type VectorSpace,
  type Vectors,
} from '../../../ports/vectors.ts';
import { collectionOf, spaceOf } from './names.ts';
import { answered, isMissing } from './trouble.ts';

interface Deps {
  url: string;
  apiKey: string | null;
  /** Prefix of the collections' names: servers that share a Qdrant have different ones. */
  prefix: string;
  /** Timeout of a request in ms. */
  timeoutMs?: number;
}

type Place = Omit<VectorPoint, 'vector'>;

/** Points that one request writes: a few megabytes at most. */
const batch = 256;

export const createQdrantVectors = (deps: Deps): Vectors => new QdrantVectors(deps);

class QdrantVectors implements Vectors {
  readonly name = 'Qdrant';
  readonly isThere = true;
  readonly #client: QdrantClient;
  readonly #url: string;
  readonly #prefix: string;
  readonly #made = new Set<string>();

  constructor({ url, apiKey, prefix, timeoutMs = 10_000 }: Deps) {
    this.#url = url;
    this.#prefix = prefix;
    // The version check is off: without an answer it would print a warning instead of throwing a Fault.
    this.#client = new QdrantClient({ url, ...(apiKey && { apiKey }), timeout: timeoutMs, checkCompatibility: false });
  }

  async upsert(space: VectorSpace, points: readonly VectorPoint[]): Promise<void> {
    const name = collectionOf(this.#prefix, space);
    const write = async () => {
      await this.#make(space, name);
      for (let at = 0; at < points.length; at += batch) {
        const some = points.slice(at, at + batch).map(({ id, tenantId, scopes, vector }) => ({
          id,
          vector: [...vector],
          payload: { tenantId: String(tenantId), scopes },
        }));
        await this.#client.upsert(name, { wait: true, points: some });
      }
      return true;
    };
    // The collection was deleted since it was created: the request is retried.
    if (!(await this.#unless(false, name, write))) await answered(this.#url, write);
  }

  async setScopes(space: VectorSpace, points: readonly Place[]): Promise<void> {
    const name = collectionOf(this.#prefix, space);
    for (const { id, tenantId, scopes } of points)
      await this.#unless(undefined, name, async () => {
        const filter = { must: [tenantIs(tenantId), { has_id: [id] }] };
        await this.#client.setPayload(name, { wait: true, payload: { scopes }, filter });
      });
  }

  async remove(space: VectorSpace, tenantId: number, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    const name = collectionOf(this.#prefix, space);
    await this.#unless(undefined, name, async () => {
      await this.#client.delete(name, { wait: true, filter: { must: [tenantIs(tenantId), { has_id: [...ids] }] } });
    });
  }

  async search(space: VectorSpace, { tenantId, scopes, vector, limit }: VectorSearch): Promise<VectorHit[]> {
    const name = collectionOf(this.#prefix, space);
    return this.#unless([], name, async () => {
      const { points } = await this.#client.query(name, {
        query: [...vector],
        filter: { must: [tenantIs(tenantId), { key: 'scopes', match: { any: [...scopes] } }] },
        // Search width: at least `limit`, and so wide that a graph misses few of an exact search's hits.
        params: { hnsw_ef: Math.max(256, limit * 2) },
        limit,
        with_payload: false,
      });
      return points.map(({ id, score }) => ({ id: Number(id), score })).sort(byScore);
    });
  }

  async scroll(space: VectorSpace, after: number, limit: number): Promise<Place[]> {
    const name = collectionOf(this.#prefix, space);
    return this.#unless([], name, async () => {
      const { points } = await this.#client.scroll(name, { offset: after + 1, limit, with_payload: true });
      return points.map(({ id, payload }) => ({
        id: Number(id),
        tenantId: Number(payload?.tenantId),
        scopes: (payload?.scopes ?? []) as string[],
      }));
    });
  }

  async spaces(kind: string): Promise<VectorSpace[]> {
    const { collections } = await answered(this.#url, () => this.#client.getCollections());
    const known = collections.map(({ name }) => spaceOf(this.#prefix, name));
    return known.filter((space): space is VectorSpace => space?.kind === kind);
  }

  async drop(space: VectorSpace): Promise<void> {
    const name = collectionOf(this.#prefix, space);
    await this.#unless(undefined, name, async () => {
      await this.#client.deleteCollection(name);
    });
    this.#made.delete(name);
  }

  /** Creates a collection with its indexes; another node may do so at the same time. */
  async #make({ dimensions }: VectorSpace, name: string): Promise<void> {
    if (this.#made.has(name)) return;
    const client = this.#client;
    const { exists } = await client.collectionExists(name);
    if (!exists)
      await client
        .createCollection(name, {
          vectors: { size: dimensions, distance: 'Cosine' },
          // Graphs within tenants only, since no search goes beyond one.
          hnsw_config: { payload_m: 16, m: 0 },
        })
        .catch(async (error) => {
          if (!(await client.collectionExists(name)).exists) throw error;
        });
    const tenants = { type: 'keyword', is_tenant: true } as const;
    await client.createPayloadIndex(name, { wait: true, field_name: 'tenantId', field_schema: tenants });
    await client.createPayloadIndex(name, { wait: true, field_name: 'scopes', field_schema: 'keyword' });
    this.#made.add(name);
  }

  /** Answer of a request; `missing` where the collection is gone, which the next write creates again. */
  async #unless<R>(missing: R, name: string, ask: () => Promise<R>): Promise<R> {
    return answered(this.#url, async () => {
      try {
        return await ask();
      } catch (error) {
        if (!isMissing(error)) throw error;
        this.#made.delete(name);
        return missing;
      }
    });
  }
}

const tenantIs = (tenantId: number) => ({ key: 'tenantId', match: { value: String(tenantId) } });
