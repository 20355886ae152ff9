// What is filled in becomes what a server expects; what says nothing is left out.
import { expect, it } from 'vitest';
import { type Asked, answerOf, askedOf } from './asked.ts';

const asked: Asked = {
  ...{ server: 'Harbour', tool: 'dock', message: 'Which berth?', required: ['berth', 'heated'] },
  fields: {
    berth: { type: 'integer' },
    heated: { type: 'boolean' },
    night: { type: 'boolean', default: true },
    flag: { type: 'boolean' },
    side: { choices: ['port', 'starboard'], default: 'port' },
    needs: { type: 'array', choices: ['water', 'power'] },
    note: { type: 'string' },
  },
};

it('is read from an escalation that has something to draw', () => {
  expect(askedOf({ formJson: JSON.stringify(asked) })).toEqual(asked);
  expect(askedOf({ formJson: null })).toBeNull();
  expect(askedOf({ formJson: '{"message":"In words"}' })).toBeNull();
  expect(askedOf({ formJson: 'no JSON' })).toBeNull();
});

it('is answered by values of their types, with what is usual, without what says nothing', () => {
  expect(JSON.parse(answerOf(asked, { berth: '4' }))).toEqual({ berth: 4, heated: false, night: true, side: 'port' });
  const all = { berth: '4', night: false, flag: false, side: '', needs: ['power'], note: '1' };
  expect(JSON.parse(answerOf(asked, all))).toEqual({
    ...{ berth: 4, heated: false, night: false, flag: false, needs: ['power'], note: '1' },
  });
  const [list, none] = [{ fields: { all: { type: 'array' } } }, { fields: {} }];
  expect(answerOf({ ...asked, required: [], ...list }, { all: 'a, b' })).toBe('{"all":["a","b"]}');
  expect(answerOf({ ...asked, required: [], ...none }, {})).toBe('{}');
});
