// What the dashboard makes of the fields of a channel's secret is what the server reads.
import { describe, expect, it } from 'vitest';
import { secretsOf, services } from '../../src/outside/channels/services.ts';
import { asked, type Kind, secretOf } from '../../src/web/pages/channels/draft.ts';

const kinds = Object.keys(services) as Kind[];
const sample = (name: string, n: number) => (name === 'signingSecret' ? `whsec_${'A'.repeat(44)}` : `say"${n}"`);

describe.each(kinds)('the secret of a channel of %s', (kind) => {
  const names = asked[kind].secrets.map(({ name }) => name);

  it('has a field for each part that the server knows', () => {
    expect(names.toSorted()).toEqual([...services[kind].secrets].sort());
  });

  it('is read by the server as it was written, whole or in part', () => {
    const whole = Object.fromEntries(names.map((name, n) => [name, sample(name, n)]));
    for (const written of [whole, ...Object.entries(whole).map(([name, text]) => ({ [name]: text }))]) {
      const padded = Object.fromEntries(names.map((name) => [name, ` ${written[name] ?? ''} `]));
      expect(secretsOf(kind, secretOf(kind, padded))).toEqual(written);
    }
    expect(secretOf(kind, {})).toBeNull();
  });
});
