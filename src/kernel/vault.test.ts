import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Fault } from './fault.ts';
import { createVault } from './vault.ts';

const secret = 'the secret of this server, long enough';

it('gives back what it sealed, and never seals alike', () => {
  const vault = createVault({ secret });
  fc.assert(
    fc.property(fc.nat(), fc.string({ unit: 'grapheme' }), (tenantId, text) => {
      const sealed = vault.seal(tenantId, text);
      expect(vault.open(tenantId, sealed)).toBe(text);
      expect(vault.seal(tenantId, text)).not.toBe(sealed);
      if (text.length > 8) expect(sealed).not.toContain(text);
    }),
  );
});

it('opens for no other tenant, purpose or secret, and nothing that was changed', () => {
  const vault = createVault({ secret });
  const sealed = vault.seal(1, 'sk-123');
  // Not the last character: some of its bits may stand for nothing.
  const at = sealed.length - 4;
  const flipped = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
  expect(() => vault.open(2, sealed)).toThrow(Fault);
  expect(() => vault.open(1, flipped)).toThrow(Fault);
  expect(() => vault.open(1, 'v1.x')).toThrow(Fault);
  expect(() => vault.open(1, 'plain text')).toThrow(Fault);
  expect(() => createVault({ secret: `${secret}!` }).open(1, sealed)).toThrow(Fault);
  expect(() => createVault({ secret, purpose: 'other' }).open(1, sealed)).toThrow(Fault);
});

it('rotates: what an old secret sealed still opens and is known to be stale', () => {
  const old = createVault({ secret });
  const sealed = old.seal(1, 'sk-123');
  const renewed = createVault({ secret: 'another secret of this server', previousSecrets: [secret] });
  expect(renewed.open(1, sealed)).toBe('sk-123');
  expect([old.isStale(sealed), renewed.isStale(sealed)]).toEqual([false, true]);
  expect(renewed.isStale(renewed.seal(1, 'sk-123'))).toBe(false);
});
