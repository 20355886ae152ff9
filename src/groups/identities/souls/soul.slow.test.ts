import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { anyText } from '../../../../test/support/any-text.ts';
import { threadCpuMs } from '../../../../test/support/thread-cpu.ts';
import { Fault } from '../../../kernel/fault.ts';
import { joinText, readPackage } from './package.ts';
import { normal, readSoul, type Soul, writeSoul } from './soul.ts';

const text = fc.oneof(anyText({ maxLength: 200 }), fc.lorem(), markdownish());
const soul: fc.Arbitrary<Soul> = fc.record({
  name: text,
  displayName: text,
  bio: fc.option(text),
  origin: fc.option(text),
  tone: text,
  traits: fc.array(text, { maxLength: 5 }),
  focusAreas: fc.array(text, { maxLength: 5 }),
  boundaries: fc.array(text, { maxLength: 5 }),
  greetingStyle: text,
  uncertaintyHandling: text,
  customInstructions: fc.option(text),
  systemPrompt: fc.option(text),
  temperature: fc.double({ min: 0, max: 2, noNaN: true }),
  maxIterations: fc.integer({ min: 1, max: 1000 }),
  roleName: fc.option(text),
  emoji: fc.option(text),
  proactiveSuggestions: fc.boolean(),
});

/** Lines that mean something in Markdown or YAML. */
function markdownish() {
  const row = fc.constantFrom(
    '# a',
    '## Traits',
    '\\# b',
    '---',
    '```',
    '- item',
    '* x',
    'key: value',
    '',
    '  ## deep',
    '> q',
    '1. one',
  );
  return fc.array(row, { maxLength: 8 }).map((rows) => rows.join('\n'));
}

/** Refused with a hint, or read: nothing else may happen. */
const judged = (work: () => unknown): string => {
  try {
    work();
    return 'read';
  } catch (error) {
    if (error instanceof Fault && error.code === 'VALIDATION_FAILED') return 'refused';
    throw error;
  }
};
const zipOf = async (files: Record<string, string | Buffer>): Promise<Buffer> => {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

describe('a soul as text', () => {
  it('reads back to the same, whatever is in it, and is written the same again', () => {
    fc.assert(
      fc.property(soul, (one) => {
        const wanted = normal({ ...one, name: one.name || 'x', displayName: one.displayName || 'x' });
        if (!wanted.name || !wanted.displayName) return;
        const written = writeSoul(wanted);
        const { notMapped, ...read } = readSoul(written);
        expect(read).toEqual(wanted);
        expect(notMapped).toEqual([]);
        expect(writeSoul(read)).toBe(written);
      }),
      { numRuns: 300 },
    );
  });

  it('is read from what others write, and says what had no place', () => {
    const markdown = [
      '---\nname: molty\nlicense: MIT\n---',
      '# SOUL.md - Molty\n\nA lobster in a shell.',
      '## Core Truths\n\n- Be useful\n- Have opinions',
      '## Boundaries\n\n1. Private stays private',
      '## The Vibe\n\nDry, warm.\n\n```md\n## Traits\n```',
      '## Favourite Tools\n\nA hammer.',
      '## Settings\n\n- Temperature: 0.7\n- **Mood**: fine',
    ].join('\n\n');
    expect(readSoul(markdown)).toMatchObject({
      name: 'molty',
      displayName: 'Molty',
      bio: 'A lobster in a shell.',
      traits: ['Be useful', 'Have opinions'],
      boundaries: ['Private stays private'],
      tone: 'Dry, warm. ```md ## Traits ```',
      temperature: 0.7,
      notMapped: ['front matter: license', 'Favourite Tools', 'setting: Mood'],
    });
  });

  it('is refused or read, never more: random text, YAML bombs, huge and binary ones', () => {
    const bomb = `---\na: &a [x]\n${'bcdefgh'
      .split('')
      .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefg'[at]}`)}]`)
      .join('\n')}\n---\n`;
    expect(judged(() => readSoul(bomb))).toBe('refused');
    expect(judged(() => readSoul('x'.repeat(600_000)))).toBe('refused');
    expect(judged(() => readSoul('# a\n\0'))).toBe('refused');
    expect(judged(() => readSoul(`---\n${'[ '.repeat(5000)}\n---\n`))).toBe('refused');
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          text.map((one) => `---\n${one}\n---\n${one}`),
        ),
        (one) => void judged(() => readSoul(one)),
      ),
    );
  });

  it('takes no longer than its length asks for, whatever it is made of', () => {
    const rows = [
      '# ',
      '- a\n',
      '```\n',
      ' ',
      'a:',
      '\\#\n',
      '- **a',
      '---\n',
      '[',
      '*',
      '\u0085',
      '- a: b\n',
      '\t',
      '## Traits\n- a\n',
    ];
    for (const row of rows) {
      const started = threadCpuMs();
      judged(() => readSoul(row.repeat(Math.floor(200_000 / row.length))));
      judged(() => readSoul(`---\n${row.repeat(Math.floor(30_000 / row.length))}\n---\n`));
      judged(() => readSoul(`## Settings\n\n${row.repeat(Math.floor(200_000 / row.length))}`));
      // Some ten milliseconds each; what backtracks takes minutes.
      expect([row, threadCpuMs() - started < 10_000]).toEqual([row, true]);
    }
  });
});

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rivulet-souls-'));
});
afterAll(() => rm(folder, { recursive: true }));

let files = 0;
const packed = async (bytes: Buffer) => {
  const path = join(folder, String(++files));
  await writeFile(path, bytes);
  const joined = await readPackage(path).finally(() => rm(path));
  return { ...readSoul(joined.markdown), reported: joined.notMapped };
};
/** Refused with the code of a Fault, or read: an error of any other kind is shown. */
const fate = (bytes: Buffer) =>
  packed(bytes).then(
    () => 'read',
    (error) => (error instanceof Fault ? error.code : error),
  );

describe('a packaged soul', () => {
  it('is read from its files, whatever folder they are in', async () => {
    const about = {
      specVersion: '0.5',
      name: 'nova',
      displayName: 'Nova',
      license: 'MIT',
      tags: ['a'],
      files: { soul: 'SOUL.md' },
    };
    const zip = await zipOf({
      'nova/soul.json': JSON.stringify(about),
      'nova/SOUL.md': '# Nova\n\n## Traits\n\n- curious',
      'nova/STYLE.md': 'Short sentences.',
      'nova/avatar.png': Buffer.from([1, 2, 3]),
    });
    const read = await packed(zip);
    expect(read).toMatchObject({ name: 'nova', displayName: 'Nova', traits: ['curious'], tone: 'Short sentences.' });
    expect(read).toMatchObject({
      notMapped: ['setting: license'],
      reported: ['setting: tags', 'file: nova/avatar.png'],
    });
  });

  it('takes the name and mood of an identity file, and the prose of one that is prose', async () => {
    const told = await packed(
      await zipOf({ 'IDENTITY.md': '- **Name:** Molty\n- **Vibe:** sharp\n- **Emoji:** 🦞\n' }),
    );
    expect(told).toMatchObject({ name: 'Molty', displayName: 'Molty', tone: 'sharp', emoji: '🦞' });
    const prose = await packed(await zipOf({ 'IDENTITY.md': 'A lobster.', 'SOUL.md': '# Molty' }));
    expect(prose).toMatchObject({ displayName: 'Molty', bio: 'A lobster.' });
  });

  it('is a single file as well', async () => {
    expect(await packed(Buffer.from('# Nova\n\n## Traits\n\n- curious'))).toMatchObject({ traits: ['curious'] });
    const json = { name: 'nova', displayName: 'Nova', description: 'Bright.' };
    expect(await packed(Buffer.from(JSON.stringify(json)))).toMatchObject({ name: 'nova', bio: 'Bright.' });
    expect(joinText('{"name": "nova"}').markdown).toContain('nova');
  });

  it('is refused where it grows too much, leaves its folder, is damaged or is none', async () => {
    expect(await fate(await zipOf({ 'SOUL.md': 'a'.repeat(20_000_000) }))).toBe('VALIDATION_FAILED');
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`${at}.txt`, '']));
    expect(await fate(await zipOf({ ...many, 'SOUL.md': '# a' }))).toBe('VALIDATION_FAILED');
    const slip = await zipOf({ 'aa/aa/SOUL.md': '# a' });
    for (let at = slip.indexOf('aa/aa/'); at >= 0; at = slip.indexOf('aa/aa/', at + 1))
      slip.write('../../', at, 'latin1');
    expect(await fate(slip)).toBe('VALIDATION_FAILED');
    expect(await fate(await zipOf({ 'SOUL.md': Buffer.from([0xff, 0xfe, 0x00]) }))).toBe('VALIDATION_FAILED');
    expect(await fate(Buffer.from('PK\u0003\u0004 nothing'))).toBe('VALIDATION_FAILED');
    expect(await fate(Buffer.from([0xff, 0xfe, 0x00]))).toBe('VALIDATION_FAILED');
    expect(await fate(Buffer.from('{"name": '))).toBe('VALIDATION_FAILED');
    expect(await fate(await zipOf({ 'soul.json': '[1]' }))).toBe('VALIDATION_FAILED');
    expect(await fate(Buffer.alloc(2_000_000, 'a'))).toBe('VALIDATION_FAILED');
  });

  it('is read or refused, whatever byte of it is another one and wherever it ends', async () => {
    const whole = await zipOf({ 'SOUL.md': '# Nova\n\n## Traits\n\n- curious', 'soul.json': '{"name":"nova"}' });
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), fc.boolean(), async (at, value, cut) => {
        const broken = Buffer.from(cut ? whole.subarray(0, at) : whole);
        if (!cut) broken[at] = value;
        expect(['read', 'VALIDATION_FAILED']).toContain(await fate(broken));
      }),
      { numRuns: 300 },
    );
  });
});
