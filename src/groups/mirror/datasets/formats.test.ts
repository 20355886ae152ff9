// The files of datasets by the rules of those who read them.
import { describe, expect, it } from 'vitest';
import type { DatasetFormat } from '../../../contract/enums.ts';
import { type Flavour, fileOf } from './formats.ts';

const pair = (more: object = {}) => ({
  ...{
    pairId: 1,
    systemPrompt: 'Be brief.',
    userPrompt: 'What is it?',
    objective: 'Honesty' as const,
    tags: ['a', 'b'],
  },
  ...{ chosenResponse: 'A heron.', rejectedResponse: 'Whatever you say.', ...more },
});

async function textOf(pairs: ReturnType<typeof pair>[], format: DatasetFormat, flavour?: Flavour) {
  const parts: Buffer[] = [];
  async function* all() {
    yield* pairs;
  }
  for await (const part of fileOf(all(), format, flavour)) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}
const linesOf = async (pairs: ReturnType<typeof pair>[], format: DatasetFormat, flavour?: Flavour) => {
  const text = await textOf(pairs, format, flavour);
  expect(text.endsWith('\n')).toBe(true);
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line));
};

const hostile = [
  pair({ userPrompt: 'line\u2028ends\u2029and\u0085more\r\n', chosenResponse: 'half \ud83d a smile' }),
  pair({ pairId: 2, systemPrompt: '  ', rejectedResponse: '' }),
];

describe('OpenAI chat', () => {
  // The checks of OpenAI's guide "Data preparation and analysis for chat model fine-tuning".
  it.each(['Jsonl', 'Sft'] as const)(
    '%s: each line is messages with known keys, roles and texts, the assistant last',
    async (format) => {
      for (const line of await linesOf([pair(), ...hostile], format)) {
        expect(Object.keys(line)).toEqual(['messages']);
        for (const message of line.messages) {
          expect(Object.keys(message).sort()).toEqual(['content', 'role']);
          expect(['system', 'user', 'assistant', 'function']).toContain(message.role);
          expect(message.content).toEqual(expect.any(String));
          expect(message.content.trim()).not.toBe('');
        }
        expect(line.messages.at(-1).role).toBe('assistant');
        expect(line.messages.at(-2).role).toBe('user');
      }
    },
  );

  it('preferences have an input that ends with the user, and one answer each', async () => {
    const lines = await linesOf([pair(), ...hostile], 'Dpo', 'OpenAi');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toEqual({
      input: {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'What is it?' },
        ],
        tools: [],
        parallel_tool_calls: true,
      },
      preferred_output: [{ role: 'assistant', content: 'A heron.' }],
      non_preferred_output: [{ role: 'assistant', content: 'Whatever you say.' }],
    });
  });
});

describe('TRL', () => {
  it('preferences have prompt, chosen and rejected; what has no rejected answer is left out', async () => {
    const lines = await linesOf([pair(), ...hostile], 'Dpo');
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(Object.keys(line)).toEqual(['prompt', 'chosen', 'rejected']);
    expect(lines[0]?.rejected).toEqual([{ role: 'assistant', content: 'Whatever you say.' }]);
  });

  it('unpaired preferences have prompt, completion and label', async () => {
    const lines = await linesOf([pair(), ...hostile], 'Dpo', 'Kto');
    expect(lines.map(({ label }) => label)).toEqual([true, false, true, false, true]);
    for (const line of lines) expect(Object.keys(line)).toEqual(['prompt', 'completion', 'label']);
  });
});

describe('any JSON lines', () => {
  it('hold what ends lines elsewhere only escaped, and no halves of characters', async () => {
    const text = await textOf(hostile, 'Dpo');
    expect(text).not.toMatch(/[\u0085\u2028\u2029]/);
    expect(text).not.toMatch(/\\ud83d/i);
    const [line] = await linesOf(hostile, 'Dpo');
    expect(line.prompt.at(-1).content).toBe('line\u2028ends\u2029and\u0085more\r\n');
    expect(line.chosen[0].content).toBe('half \ufffd a smile');
  });

  it('are empty for no pairs', async () => {
    expect(await textOf([], 'Jsonl')).toBe('');
  });
});

describe('CSV', () => {
  it('quotes as RFC 4180 says', async () => {
    const text = await textOf([pair({ chosenResponse: 'says "yes",\r\nthen leaves' })], 'Csv');
    expect(text.split('\r\n')[0]).toBe(
      '"id","objective","system_prompt","user_prompt","chosen_response","rejected_response","tags"',
    );
    expect(text).toContain('"says ""yes"",\r\nthen leaves"');
    expect(text.endsWith('"a; b"\r\n')).toBe(true);
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', ' =1', '\n=1', '＝1', '\ufeff=1', '\u200b@x'])(
    'makes no formula of %j',
    async (userPrompt) => {
      const [, row = ''] = (await textOf([pair({ systemPrompt: '', userPrompt })], 'Csv')).split('"tags"\r\n');
      expect(row.startsWith(`"1","Honesty","","'${userPrompt}"`)).toBe(true);
    },
  );
});

it('is written in chunks, however much there is', async () => {
  let most = 0;
  async function* many() {
    for (let at = 0; at < 5000; at++) yield pair({ pairId: at });
  }
  for await (const part of fileOf(many(), 'Jsonl')) most = Math.max(most, part.length);
  expect(most).toBeLessThan(80_000);
});
