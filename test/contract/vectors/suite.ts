// What every store of vectors must do.
import { beforeEach, describe, expect, it } from 'vitest';
import type { VectorPoint, VectorSpace, Vectors } from '../../../src/ports/vectors.ts';
import { randomOf } from '../../support/seed.ts';

const dimensions = 8;

export function vectorsSuite(name: string, open: () => Promise<Vectors>): void {
  describe(`vectors: ${name}`, () => {
    let vectors: Vectors;
    let space: VectorSpace;
    let made = 0;
    beforeEach(async () => {
      vectors = await open();
      space = { kind: 'notes', model: `test:model ${process.pid}/${Date.now()}-${made++}`, dimensions };
    });

    it('finds the nearest within tenant and scopes, best first', async () => {
      const random = randomOf(7);
      const points = Array.from({ length: 300 }, (_, at) => point(at + 1, 1 + (at % 2), random, [`s${at % 5}`]));
      await vectors.upsert(space, points);
      for (const scopes of [['s0'], ['s1', 's4'], ['none']]) {
        const wanted = unit(random);
        const expected = points
          .filter((one) => one.tenantId === 1 && one.scopes.some((scope) => scopes.includes(scope)))
          .map(({ id, vector }) => ({ id, score: dot(vector, wanted) }))
          .sort((a, b) => b.score - a.score)
          .slice(0, 10);
        const found = await vectors.search(space, { tenantId: 1, scopes, vector: wanted, limit: 10 });
        expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
        for (const [at, { score }] of found.entries()) expect(score).toBeCloseTo(expected[at]?.score ?? 0, 4);
      }
    });

    it('writes over a point, and takes it out of the scopes that it has left', async () => {
      const random = randomOf(8);
      const first = point(1, 1, random, ['a', 'b']);
      await vectors.upsert(space, [first]);
      await search(['a'], first.vector);
      const second = { ...first, vector: unit(random), scopes: ['b', 'c'] };
      await vectors.upsert(space, [second]);
      expect(await search(['a'], second.vector)).toEqual([]);
      expect(await search(['b', 'c'], second.vector)).toEqual([1]);
      const [hit] = await vectors.search(space, { tenantId: 1, scopes: ['c'], vector: second.vector, limit: 1 });
      expect(hit?.score).toBeCloseTo(1, 4);
    });

    it('puts a point into other scopes without its vector', async () => {
      const random = randomOf(9);
      const one = point(5, 3, random, ['a']);
      await vectors.upsert(space, [one]);
      expect(await search(['a'], one.vector, 3)).toEqual([5]);
      await vectors.setScopes(space, [
        { id: 5, tenantId: 3, scopes: ['x'] },
        { id: 6, tenantId: 3, scopes: ['x'] },
      ]);
      // Another tenant's word does not count.
      await vectors.setScopes(space, [{ id: 5, tenantId: 4, scopes: ['a'] }]);
      expect(await search(['a'], one.vector, 3)).toEqual([]);
      expect(await search(['x'], one.vector, 3)).toEqual([5]);
    });

    it('removes points of the tenant alone', async () => {
      const random = randomOf(10);
      const all = [1, 2, 3, 4].map((id) => point(id, 1 + (id % 2), random, ['a']));
      await vectors.upsert(space, all);
      await search(['a'], unit(random));
      await vectors.remove(space, 1, [1, 2, 9]);
      expect((await vectors.scroll(space, 0, 10)).map(({ id }) => id)).toEqual([1, 3, 4]);
      expect(await search(['a'], unit(random))).toEqual([4]);
      await vectors.remove(space, 1, []);
    });

    it('tells page by page what it has', async () => {
      const random = randomOf(11);
      const ids = [2, 3, 5, 8, 13, 21, 34];
      await vectors.upsert(
        space,
        ids.map((id) => point(id, id, random, [`of ${id}`, 'all'])),
      );
      const seen = [];
      for (let after = 0; ; ) {
        const some = await vectors.scroll(space, after, 3);
        if (some.length === 0) break;
        seen.push(...some);
        after = some.at(-1)?.id ?? 0;
      }
      expect(seen).toEqual(ids.map((id) => ({ id, tenantId: id, scopes: [`of ${id}`, 'all'] })));
    });

    it('keeps spaces apart, lists and drops them', async () => {
      const random = randomOf(12);
      const other = { ...space, model: `${space.model}:2` };
      const one = point(1, 1, random, ['a']);
      await vectors.upsert(space, [one]);
      expect(await vectors.search(other, { tenantId: 1, scopes: ['a'], vector: one.vector, limit: 5 })).toEqual([]);
      await vectors.upsert(other, [one]);
      const mine = async () =>
        (await vectors.spaces('notes')).filter(({ model }) => model.startsWith(space.model)).map(({ model }) => model);
      expect((await mine()).sort()).toEqual([space.model, other.model]);
      expect(await vectors.spaces('other notes')).toEqual([]);
      await vectors.drop(space);
      expect(await mine()).toEqual([other.model]);
      expect(await search(['a'], one.vector)).toEqual([]);
      // It can be made anew.
      await vectors.upsert(space, [one]);
      expect(await search(['a'], one.vector)).toEqual([1]);
    });

    it('says nothing of a space that is not there', async () => {
      const nowhere = { ...space, model: 'nowhere' };
      await vectors.remove(nowhere, 1, [1]);
      await vectors.setScopes(nowhere, [{ id: 1, tenantId: 1, scopes: [] }]);
      await vectors.drop(nowhere);
      expect(await vectors.scroll(nowhere, 0, 5)).toEqual([]);
    });

    const search = async (scopes: string[], vector: Float32Array, tenantId = 1) =>
      (await vectors.search(space, { tenantId, scopes, vector, limit: 5 })).map(({ id }) => id);
  });
}

function point(id: number, tenantId: number, random: () => number, scopes: string[]): VectorPoint {
  return { id, tenantId, scopes, vector: unit(random) };
}

function unit(random: () => number): Float32Array {
  const raw = Array.from({ length: dimensions }, () => random() - 0.5);
  const length = Math.hypot(...raw);
  return Float32Array.from(raw, (one) => one / length);
}

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, one, at) => sum + one * (b[at] ?? 0), 0);
