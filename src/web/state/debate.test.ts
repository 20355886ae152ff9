// A debate at a moment, and words that are heard from the middle on.
import { expect, it } from 'vitest';
import type { CouncilDebateDto, RunDeltaDto } from '../../client/index.ts';
import { debateAt, roundsOf, votesOf, withDelta } from './debate.ts';

const at = (second: number) => new Date(second * 1000).toISOString();
const said = (second: number, round: number, participantName: string, vote: string, kind = 'Opening') => ({
  ...{ councilId: 1, round, kind, participantName, vote, positionKey: vote.toLowerCase(), changedFrom: null },
  atUtc: at(second),
});
const debate = {
  council: { id: 1, rounds: 1, status: 'Consensus', createdAtUtc: at(1), completedAtUtc: at(9), consensusJson: '{}' },
  participants: [{ name: 'Ada' }, { name: 'Bob' }],
  phases: [
    { status: 'Deliberating', atUtc: at(2) },
    { status: 'Voting', atUtc: at(5) },
    { status: 'Consensus', atUtc: at(9) },
  ],
  statements: [said(3, 1, 'Ada', 'North'), said(6, 2, 'Ada', 'North', 'Vote'), said(8, 2, 'Bob', 'NORTH', 'Vote')],
  silences: [{ round: 1, participantName: 'Bob', reason: 'away', atUtc: at(4) }],
  outcome: {
    decision: 'North',
    reason: null,
    dissent: [],
    tally: [{ position: 'North', key: 'north', participants: ['Ada', 'Bob'] }],
  },
} as unknown as CouncilDebateDto;
const then = (second: number) => debateAt(debate, second * 1000);

it('shows what was said by a moment, and its outcome from its end on', () => {
  expect(then(0)).toBeNull();
  const seen = [3, 4, 6, 9].map((second) => {
    const one = then(second);
    return (
      one && [
        one.council.status,
        one.statements.length,
        one.silences.length,
        roundsOf(one),
        votesOf(one).map((tally) => tally.participants.length),
      ]
    );
  });
  expect(seen).toEqual([
    ['Deliberating', 1, 0, [1], []],
    ['Deliberating', 1, 1, [1], []],
    ['Voting', 2, 1, [1, 2], [1]],
    ['Consensus', 3, 1, [1, 2], [2]],
  ]);
  expect([then(8)?.outcome, then(9)?.outcome?.decision]).toEqual([null, 'North']);
  expect(then(8)?.council).toMatchObject({ completedAtUtc: null, consensusJson: null });
  expect(votesOf(then(8) as CouncilDebateDto)[0]).toMatchObject({ participants: ['Ada', 'Bob'] });
});

it('words that are heard from the middle on say so, and those of others are left alone', () => {
  const delta = (toolCallId: string | null, index: number, delta: string) =>
    ({ toolCallId, index, delta }) as RunDeltaDto;
  const heard = [
    delta('council-1-Ada', 0, 'A '),
    delta('council-1-Ada', 1, 'word'),
    delta('council-1-Bob', 4, 'end'),
    delta(null, 0, 'x'),
  ];
  expect(heard.reduce(withDelta, {})).toEqual({ 'council-1-Ada': 'A word', 'council-1-Bob': '…end' });
});
