// What is found of generated secrets and personal data, what is flagged of harmless texts, and that no text takes long.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { randomOf, seed } from '../../test/support/seed.ts';
import { flagsOf, redact, scan } from './scrub.ts';
import { harmlessTurns } from './testing/harmless.ts';
import { hostileTexts } from './testing/hostile.ts';
import { plantsOf } from './testing/plants.ts';

const root = join(import.meta.dirname, '../..');
const inText = (text: string, part: string) => text.includes(part) || text.includes(JSON.stringify(part).slice(1, -1));
const shareOf = (some: readonly unknown[], all: readonly unknown[]) => some.length / all.length;

describe(`scrubbing, seed ${seed}`, () => {
  it('finds 99 of 100 planted secrets and identifiers, of each kind', () => {
    const plants = plantsOf(randomOf(seed), 100);
    const missed = plants.filter(({ text, secret, turn }) => inText(redact(turn), secret ?? text));
    expect(shareOf(missed, plants)).toBeLessThanOrEqual(0.01);
    const kinds = new Set(plants.map(({ kind }) => kind));
    const weak = [...kinds].filter((kind) => missed.filter((one) => one.kind === kind).length > 5);
    expect(weak).toEqual([]);
  });

  it('flags at most one of 100 harmless turns', () => {
    const turns = harmlessTurns(randomOf(seed), 5000);
    const flagged = turns.filter((turn) => scan(turn).length > 0);
    expect(shareOf(flagged, turns), flagged.slice(0, 5).join('\n')).toBeLessThanOrEqual(0.01);
  });

  it('flags at most one of 100 paragraphs of the documentation', () => {
    const pages = readdirSync(root, { withFileTypes: true })
      .concat(readdirSync(join(root, 'docs'), { withFileTypes: true, recursive: true }))
      .filter((file) => file.isFile() && file.name.endsWith('.md'));
    const paragraphs = pages.flatMap(({ parentPath, name }) =>
      readFileSync(join(parentPath, name), 'utf8').split(/\n\s*\n/),
    );
    const flagged = paragraphs.filter((text) => scan(text).length > 0);
    expect(paragraphs.length).toBeGreaterThan(300);
    expect(shareOf(flagged, paragraphs)).toBeLessThanOrEqual(0.01);
  });

  // Time that grows exponentially shows here; the square of the length does in hostile.integration.test.ts.
  it('reads hostile texts', () => {
    for (const text of hostileTexts(20_000)) expect(redact(text)).toBeTypeOf('string');
  });
});

describe('a finding', () => {
  const card = '4111 1111 1111 1111';
  const text = `Mail anna@example.com or pay with ${card}.`;

  it('says what it is, where, and what stands in its place', () => {
    expect(scan(text)).toMatchObject([
      { kind: 'Email', sensitivity: 'Personal', start: 5, end: 21, redacted: '[e-mail address]' },
      { kind: 'PaymentCard', label: 'payment card …1111', start: text.indexOf(card) },
    ]);
    expect(redact(text)).toBe('Mail [e-mail address] or pay with [payment card …1111].');
    expect(flagsOf(scan(text))).toEqual(['e-mail address', 'payment card …1111']);
  });

  it('is of secrets or of personal data alone, where that is asked for', () => {
    const both = 'password=Hunter22! of anna@example.com';
    expect(redact(both, 'Secret')).toBe('password=[password] of anna@example.com');
    expect(redact(both, 'Personal')).toBe('password=Hunter22! of [e-mail address]');
  });

  it.each([
    ['a card with a wrong check digit', 'pay with 4111 1111 1111 1112'],
    ['an IBAN with wrong check digits', 'DE00 3704 0044 0532 0130 00'],
    ['a placeholder', `password=<your password>, api_key=\${API_KEY}`],
    ['a digest', `sha256-${'aB3'.repeat(15)}=`],
  ])('is not %s', (_, harmless) => {
    expect(scan(harmless)).toEqual([]);
  });

  it('leaves nothing of a key whose end is missing', () => {
    const cut = `-----BEGIN RSA PRIVATE KEY-----\n${'aB3+'.repeat(40)}`;
    expect(redact(`here: ${cut}`)).toBe('here: [private key]');
  });
});
