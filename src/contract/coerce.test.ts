import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryReader, textReader } from './coerce.ts';
import { boolean, double, int32, int64, oneOf, string } from './types.ts';

const schema = z.strictObject({
  page: int32.min(1).default(1),
  ids: z.array(int64).optional(),
  names: z.array(string).nullish(),
  on: boolean.nullable().optional(),
  ratio: double.optional(),
  q: string.optional(),
  kind: oneOf('CoerceKind', 'A B').optional(),
  level: z.literal(3).optional(),
});
const read = queryReader(schema);

describe('queryReader', () => {
  it('shapes each field by its schema, through wrappers', () => {
    expect(read('page=2&ids=1,2&ids=3&names=a&on=true&ratio=-1.5e3&q=7&kind=A&level=3')).toEqual({
      page: 2,
      ids: [1, 2, 3],
      names: ['a'],
      on: true,
      ratio: -1500,
      q: '7',
      kind: 'A',
      level: 3,
    });
    expect(read('')).toEqual({});
    expect(read('on=0')).toEqual({ on: false });
    expect(read('q=a%2Cb+c')).toEqual({ q: 'a,b c' });
    expect(read('ids=')).toEqual({ ids: [] });
  });

  it.each([
    'page=',
    'page=0x10',
    'page=1e999',
    'page=NaN',
    'page= 1',
    'page=1&page=2',
    'on=yes',
    'ids=1,,2',
    'unknown=1',
  ])('leaves %s to be refused', (raw) => {
    expect(schema.safeParse(read(raw)).success).toBe(false);
  });

  it('splits queries as URLSearchParams does', () => {
    const any = queryReader(z.looseObject({}));
    const piece = fc.oneof(fc.constantFrom('&', '=', 'a', 'b=', '%20', '+', 'é'), fc.string({ maxLength: 3 }));
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const raw = pieces.join('').replaceAll('#', '').replace(/^\?/, '');
        fc.pre(raw.isWellFormed());
        const expected = new URLSearchParams(raw);
        const names = [...new Set(expected.keys())];
        const read = any(raw);
        expect(Object.keys(read).sort()).toEqual(names.sort());
        for (const name of names) {
          const all = expected.getAll(name);
          expect(Object.getOwnPropertyDescriptor(read, name)?.value).toEqual(all.length > 1 ? all : all[0]);
        }
      }),
    );
  });

  it('gives every field back that was written, and never touches a prototype', () => {
    const field = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'q', 'page', 'ids'), fc.string());
    fc.assert(
      fc.property(fc.array(fc.tuple(field, fc.string())), (pairs) => {
        const values = textReader(schema)(pairs);
        expect(Object.keys(values).sort()).toEqual([...new Set(pairs.map(([name]) => name))].sort());
        expect(Object.getPrototypeOf(values)).toBe(Object.prototype);
      }),
    );
  });
});
