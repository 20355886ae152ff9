// Commands that are none: what they are told is what HTTP says of a body.
import { expect, it } from 'vitest';
import { Fault } from '../../kernel/fault.ts';
import { readCommand } from './commands.ts';

it.each([
  [undefined, 'it is not valid JSON.'],
  [[], 'frame: Invalid input: expected object, received array.'],
  [{}, 'op: is missing (expected one of "Hello"|'],
  [{ op: 'Ping', id: 'x'.repeat(201) }, 'id: must have at most 200 characters.'],
  [{ op: 'Subscribe', topics: Array(501).fill('runs') }, 'topics: must have at most 500 items.'],
  [{ op: 'Ping', more: 1, other: 2 }, 'more: is not a known field; other: is not a known field.'],
  [{ op: 'Subscribe', topics: ['runs', 7] }, 'topics.1: Invalid input: expected string, received number.'],
])('says of %j what is wrong, in words', (frame, said) => {
  const fault = readCommand(frame) as Fault;
  expect(fault).toBeInstanceOf(Fault);
  expect(fault).toMatchObject({ code: 'VALIDATION_FAILED', hint: expect.stringContaining('{"op":"Subscribe"') });
  expect(fault.message).toContain(`This is not a command: ${said}`);
});
