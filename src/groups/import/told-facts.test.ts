// What of a person's messages becomes a fact, and what does not.
import { expect, it } from 'vitest';
import { createToldFacts } from './told-facts.ts';

function told(...texts: (string | [string, string])[]): Record<string, string> {
  const facts = createToldFacts();
  texts.forEach((one, conversationId) => {
    const [text, at] = typeof one === 'string' ? [one, null] : one;
    facts.read({ text, at: at === null ? null : new Date(at), conversationId });
  });
  return Object.fromEntries([...facts.facts()].map(({ key, value }) => [key, value]));
}

it('is what is said plainly of names, and of the person as User', () => {
  expect(told('I live in Lindau and sail. Ada works for Initech. The Harbour uses Redis.')).toMatchObject({
    'user.located_in': 'Lindau',
    'ada.works_for': 'Initech',
    'harbour.uses': 'Redis',
  });
});

it('is not what is asked, supposed, denied, quoted or code', () => {
  const texts = [
    'Does Ada work for Initech?',
    'If Ada works for Initech, what then.',
    'Imagine I live in Lindau.',
    "I don't live in Lindau. Ada never works for Initech.",
    '> Ada works for Initech',
    '```\nAda works for Initech\n```',
    '```\nAda works for Initech, without an end',
    'I/O and Ada, works for me.',
  ];
  for (const text of texts) expect([text, told(text)]).toEqual([text, {}]);
});

it('is the last thing told where one thing holds at a time, whatever the order of reading', () => {
  const moved = told(['I live in Bregenz.', '2026-02-01T00:00:00Z'], ['I live in Lindau.', '2025-01-01T00:00:00Z']);
  expect(moved).toEqual({ 'user.located_in': 'Bregenz' });
});

it('is a list where several hold', () => {
  expect(told('Harbour uses Redis.', 'Harbour uses Postgres. Harbour uses Redis.')).toEqual({
    'harbour.uses': 'Postgres, Redis',
  });
});

it('is surer the more often it is told, and names where', () => {
  const facts = createToldFacts();
  for (const conversationId of [4, 5, 6]) facts.read({ text: 'I live in Lindau.', at: null, conversationId });
  expect([...facts.facts()]).toMatchObject([{ conversationId: 6, confidence: expect.closeTo(0.7) }]);
});
