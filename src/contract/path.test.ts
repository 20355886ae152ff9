import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDigits, readParam, segmentsOf } from './path.ts';

describe('paths', () => {
  it('splits templates', () => {
    expect(segmentsOf('/api/x/{id}/{key}')).toEqual([
      { kind: 'literal', text: 'api' },
      { kind: 'literal', text: 'x' },
      { kind: 'int64', name: 'id' },
      { kind: 'text', name: 'key' },
    ]);
    for (const bad of ['/a//b', '/a/{id', '/a/x{id}', '/a/']) expect(() => segmentsOf(bad)).toThrow(bad);
  });

  it('takes digits only for integers', () => {
    for (const text of ['0', '7', '9007199254740991', '0012']) expect(isDigits(text)).toBe(true);
    for (const text of ['', '-1', '1.0', '1e3', '٣', ' 1', '9'.repeat(20)]) expect(isDigits(text)).toBe(false);
  });

  it('reads integers exactly or not at all', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 19n - 1n }), (value) => {
        const read = () => readParam('id', 'int64', String(value));
        if (value <= BigInt(Number.MAX_SAFE_INTEGER)) expect(BigInt(read())).toBe(value);
        else expect(read).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
      }),
    );
  });

  it('reads text as it was encoded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 50 }), (text) => {
        fc.pre(!text.includes('\0') && text.isWellFormed());
        expect(readParam('name', 'text', encodeURIComponent(text))).toBe(text);
      }),
    );
    expect(() => readParam('name', 'text', '%E0%A4')).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
    expect(() => readParam('name', 'text', 'a%00b')).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
  });
});
