// What a council's statements say of it: whose mind changed, how many were for what, and how many it takes.
import { expect, it } from 'vitest';
import { changedFrom, type Statement, tallyOf, votesNeeded } from './council.ts';

const said = (round: number, participant: string, vote: string | null): Statement => ({
  ...{ round, participant, vote, kind: 'Argument', content: '', at: 0 },
});

it('a mind has changed where a stated position is another than the one stated last', () => {
  const statements = [
    said(1, 'Ada', 'North'),
    said(2, 'Ada', 'north!'),
    said(3, 'Ada', null),
    said(4, 'Ada', 'South'),
    said(5, 'Ada', 'North'),
    said(1, 'Bob', 'South'),
  ];
  const changes = statements.map((one) => changedFrom(statements, one));
  expect(changes).toEqual([null, null, null, 'north!', 'South', null]);
});

it('votes are counted by position, whatever their wording, in the last round that anybody spoke in', () => {
  const statements = [
    said(1, 'Ada', 'West'),
    said(2, 'Bob', '**South**'),
    said(2, 'Ada', 'south.'),
    said(2, 'Cy', null),
  ];
  expect(tallyOf({ statements })).toEqual([{ position: '**South**', key: 'south', participants: ['Bob', 'Ada'] }]);
  expect(tallyOf({ statements: [] })).toEqual([]);
  expect([2, 3, 4, 5, 6, 12].map(votesNeeded)).toEqual([2, 2, 3, 4, 4, 8]);
});
