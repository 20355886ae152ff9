// Variables of prompts: which texts are variables, what they offer, and that everything else stays as it was written.
import { expect, it } from 'vitest';
import { piecesOf, variablesIn } from './variables.ts';

it('reads names, defaults and choices, each variable once', () => {
  const text = '{{topic}} in {{ tone : calm | lively|calm }}, {{länge:short}}, {{topic:rivers}} and {{topic:lakes}}';
  expect(variablesIn(text)).toEqual([
    { name: 'topic', choices: [], default: 'rivers' },
    { name: 'tone', choices: ['calm', 'lively'], default: 'calm' },
    { name: 'länge', choices: [], default: 'short' },
  ]);
});

it('leaves alone what is no variable', () => {
  const code = `{{}} {{ }} {one} {{#if x}} {{a.b}} {{{raw}}} {{a:{b}}} {{${'x'.repeat(51)}}} {{x`;
  expect(variablesIn(code).map(({ name }) => name)).toEqual(['raw']);
  expect(variablesIn('{{a:}} {{b:|}}')).toEqual([
    { name: 'a', choices: [], default: null },
    { name: 'b', choices: [], default: null },
  ]);
});

it('gives the text in pieces that make the whole', () => {
  const text = 'To {{who}}: {{what:hello}}{{who}} }}';
  expect(piecesOf(text)).toEqual([
    { text: 'To ' },
    { variable: 'who' },
    { text: ': ' },
    { variable: 'what' },
    { variable: 'who' },
    { text: ' }}' },
  ]);
});

it('reads the longest text in time that grows with its length', () => {
  for (const part of ['{{', '{{a ', '{{a:', '{{a:b|', ' {{a }'])
    expect(variablesIn(part.repeat(20_000 / part.length))).toEqual([]);
});
