// No long text takes long, whatever it is made of.
import { expect, it } from 'vitest';
import { redact } from './scrub.ts';
import { hostileTexts } from './testing/hostile.ts';

// In time that grew with the square of the length, each of these would take longer than a test may.
it('reads long hostile texts in linear time', () => {
  for (const text of hostileTexts(300_000)) expect(redact(text)).toBeTypeOf('string');
}, 300_000);
