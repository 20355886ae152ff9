// Fields of forms: what the browser asks for before a form is sent.
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { TextField } from './field.tsx';
import { NumberFields } from './number-fields.tsx';

const field = { label: 'Attempts', value: '', onChange: () => undefined };

it.each([
  ['a figure', createElement(TextField, { ...field, type: 'number' }), true],
  ['a figure that may be left out', createElement(TextField, { ...field, type: 'number', required: false }), false],
  [
    'figures that are not given where empty',
    createElement(NumberFields, { names: { a: 'A' }, written: {}, onChange: () => undefined }),
    false,
  ],
  ['a text', createElement(TextField, field), false],
  ['a text that is needed', createElement(TextField, { ...field, required: true }), true],
])('must be filled in: %s', (_, element, expected) => {
  expect(renderToStaticMarkup(element).includes('required=""')).toBe(expected);
});
