// The tables of vectors: spaces, vectors, and which scopes each belongs to. Writes run inside a write of the file.
import type { VectorPoint, VectorSpace } from '../../../ports/vectors.ts';
import type { Sqlite } from '../../embedded/sqlite.ts';

const tables = `
  CREATE TABLE IF NOT EXISTS rivulet_vector_spaces (
    space INTEGER PRIMARY KEY, kind TEXT NOT NULL, model TEXT NOT NULL, dimensions INTEGER NOT NULL,
    UNIQUE (kind, model, dimensions));
  CREATE TABLE IF NOT EXISTS rivulet_vectors (
    space INTEGER NOT NULL, id INTEGER NOT NULL, tenant INTEGER NOT NULL, scopes TEXT NOT NULL, vector BLOB NOT NULL,
    UNIQUE (space, id));
  CREATE TABLE IF NOT EXISTS rivulet_vector_scopes (
    space INTEGER NOT NULL, tenant INTEGER NOT NULL, scope TEXT NOT NULL, id INTEGER NOT NULL,
    PRIMARY KEY (space, tenant, scope, id)) WITHOUT ROWID`;

/**
 * Ids and vectors of rows as two values, since each value that SQLite hands over costs more than finding it; as text,
 * vectors are joined byte by byte.
 */
const joined = "json_group_array(id), CAST(group_concat(CAST(vector AS TEXT), '') AS BLOB)";

const ofPoint = 'FROM rivulet_vectors WHERE space = ? AND id = ? AND tenant = ?';
const ofScope = 'FROM rivulet_vector_scopes WHERE space = ? AND tenant = ? AND scope = ?';

type Place = Omit<VectorPoint, 'vector'>;

/** Vectors read by one statement: 2 ms of work. */
const pageVectors = 500;

export class VectorTables {
  readonly #sqlite: Sqlite;
  readonly #numbers = new Map<string, number>();

  constructor(sqlite: Sqlite) {
    this.#sqlite = sqlite;
    sqlite.exec(tables);
  }

  /** Number of a space; null for an unknown one. */
  find({ kind, model, dimensions }: VectorSpace): number | null {
    const name = `${kind}\n${model}\n${dimensions}`;
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const sql = 'SELECT space FROM rivulet_vector_spaces WHERE kind = ? AND model = ? AND dimensions = ?';
    const found = this.#sqlite.get(sql, [kind, model, dimensions])?.[0] as number | undefined;
    if (found !== undefined) this.#numbers.set(name, found);
    return found ?? null;
  }

  async make(space: VectorSpace): Promise<number> {
    const sql = 'INSERT OR IGNORE INTO rivulet_vector_spaces (kind, model, dimensions) VALUES (?, ?, ?)';
    await this.#sqlite.write(() => this.#sqlite.run(sql, [space.kind, space.model, space.dimensions]));
    return this.find(space) as number;
  }

  async drop(space: VectorSpace, at: number): Promise<void> {
    await this.#sqlite.write(() =>
      this.#sqlite.atomic(() => {
        for (const table of ['rivulet_vectors', 'rivulet_vector_scopes', 'rivulet_vector_spaces'])
          this.#sqlite.run(`DELETE FROM ${table} WHERE space = ?`, [at]);
      }),
    );
    this.#numbers.delete(`${space.kind}\n${space.model}\n${space.dimensions}`);
  }

  spaces(kind: string): VectorSpace[] {
    const sql = 'SELECT model, dimensions FROM rivulet_vector_spaces WHERE kind = ? ORDER BY space';
    const rows = this.#sqlite.all(sql, [kind]);
    return rows.map(([model, dimensions]) => ({ kind, model: model as string, dimensions: dimensions as number }));
  }

  /** Removes a point from its scopes; returns their names. */
  unlink(space: number, tenant: number, id: number): string[] {
    const row = this.#sqlite.get(`SELECT scopes ${ofPoint}`, [space, id, tenant]);
    const scopes = row ? (JSON.parse(row[0] as string) as string[]) : [];
    for (const scope of scopes) this.#sqlite.run(`DELETE ${ofScope} AND id = ?`, [space, tenant, scope, id]);
    return scopes;
  }

  write(space: number, point: VectorPoint): void {
    const { id, tenantId, scopes, vector } = point;
    this.#sqlite.run(
      `INSERT INTO rivulet_vectors (space, id, tenant, scopes, vector) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (space, id) DO UPDATE SET
         tenant = excluded.tenant, scopes = excluded.scopes, vector = excluded.vector`,
      [space, id, tenantId, JSON.stringify(scopes), bytes(vector)],
    );
    this.#link(space, point);
  }

  /** Writes new scopes of a point, after `unlink`. */
  move(space: number, point: Place): void {
    const sql = 'UPDATE rivulet_vectors SET scopes = ? WHERE space = ? AND id = ?';
    this.#sqlite.run(sql, [JSON.stringify(point.scopes), space, point.id]);
    this.#link(space, point);
  }

  remove(space: number, tenant: number, id: number): string[] {
    const before = this.unlink(space, tenant, id);
    this.#sqlite.run(`DELETE ${ofPoint}`, [space, id, tenant]);
    return before;
  }

  read(space: number, tenant: number, id: number): Float32Array | null {
    const row = this.#sqlite.get(`SELECT vector ${ofPoint}`, [space, id, tenant]);
    return row ? floats(row[0] as Uint8Array) : null;
  }

  /** Number of vectors of a scope, and pages of them by growing ids. */
  vectorsOf(space: number, tenant: number, scope: string) {
    const [count] = this.#sqlite.get(`SELECT COUNT(*) ${ofScope}`, [space, tenant, scope]) as [number];
    const sql = `SELECT ${joined} FROM (
      SELECT p.id, v.vector FROM rivulet_vector_scopes p JOIN rivulet_vectors v ON v.space = p.space AND v.id = p.id
      WHERE p.space = ? AND p.tenant = ? AND p.scope = ? AND p.id > ? ORDER BY p.id LIMIT ?)`;
    const page = (after: number) => divided(this.#sqlite.get(sql, [space, tenant, scope, after, pageVectors]));
    return { count, page };
  }

  /** Vectors of points, in any order; deleted points are left out. */
  readAll(space: number, tenant: number, ids: readonly number[]): [id: number, vector: Float32Array][] {
    const places = Array.from({ length: ids.length }, () => '?').join(', ');
    const sql = `SELECT ${joined} FROM rivulet_vectors WHERE space = ? AND tenant = ? AND id IN (${places})`;
    return divided(this.#sqlite.get(sql, [space, tenant, ...ids]));
  }

  scroll(space: number, after: number, limit: number): Place[] {
    const sql = 'SELECT id, tenant, scopes FROM rivulet_vectors WHERE space = ? AND id > ? ORDER BY id LIMIT ?';
    return this.#sqlite.all(sql, [space, after, limit]).map(([id, tenantId, scopes]) => ({
      id: id as number,
      tenantId: tenantId as number,
      scopes: JSON.parse(scopes as string) as string[],
    }));
  }

  #link(space: number, { tenantId, scopes, id }: Place): void {
    const sql = 'INSERT OR IGNORE INTO rivulet_vector_scopes (space, tenant, scope, id) VALUES (?, ?, ?, ?)';
    for (const scope of scopes) this.#sqlite.run(sql, [space, tenantId, scope, id]);
  }
}

const bytes = (vector: Float32Array) => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);

/** Vectors that were read as `joined`. */
function divided(row: readonly unknown[] | undefined): [id: number, vector: Float32Array][] {
  const [found, vectors] = row as [string, Uint8Array | null];
  const ids = JSON.parse(found) as number[];
  const values = vectors ? floats(vectors) : new Float32Array();
  const dimensions = values.length / ids.length;
  return ids.map((id, at) => [id, values.subarray(at * dimensions, (at + 1) * dimensions)]);
}

/** A blob as floats; copied only where its memory is not aligned. */
function floats(blob: Uint8Array): Float32Array {
  const { buffer, byteOffset, byteLength } = blob.byteOffset % 4 === 0 ? blob : new Uint8Array(blob);
  return new Float32Array(buffer, byteOffset, byteLength / 4);
}
