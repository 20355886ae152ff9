// The councils of a run in its report: who held which position when, the votes, and what those say who did not agree.
import type { DebateView } from '../../../../../runtime/views/council.ts';
import { fenced, inline } from './code.ts';

export function debates(councils: readonly DebateView[]): string {
  return councils.length === 0 ? '' : `## Councils\n\n${councils.map(debate).join('')}`;
}

function debate({ council, participants, statements, silences, votesNeeded, outcome }: DebateView): string {
  const rounds = [...new Set([...statements, ...silences].map((one) => one.round))].sort((a, b) => a - b);
  const turns = rounds.map((round) => {
    const said = statements.filter((one) => one.round === round).map(position);
    const silent = silences
      .filter((one) => one.round === round)
      .map((one) => `- ${inline(one.participantName)} said nothing: ${inline(one.reason)}`);
    const title = round > council.rounds ? 'Vote' : `Round ${round}`;
    return `#### ${title}\n\n${[...said, ...silent].join('\n')}\n\n`;
  });
  const head = `### Council ${council.id}, ${council.status}\n\n${fenced(council.question)}`;
  return head + turns.join('') + (outcome ? result(outcome, participants.length, votesNeeded) : '');
}

function position({ participantName, vote, changedFrom }: DebateView['statements'][number]): string {
  const change = changedFrom === null ? '' : `, changed from ${inline(changedFrom)}`;
  return `- ${inline(participantName)}: ${vote === null ? 'no position' : inline(vote)}${change}`;
}

function result(
  { decision, reason, tally, dissent }: NonNullable<DebateView['outcome']>,
  voters: number,
  needed: number,
): string {
  const counted = tally.map(
    ({ position, participants }) =>
      `- ${inline(position)}: ${participants.length} of ${voters} (${participants.map(inline).join(', ')})\n`,
  );
  const what = decision === null ? (reason === null ? 'None' : inline(reason)) : inline(decision);
  const parts = [`#### Outcome\n\n- Decision: ${what}\n- Votes needed: ${needed} of ${voters}\n`, ...counted, '\n'];
  for (const one of dissent)
    parts.push(
      `#### Dissent of ${inline(one.participant)}\n\n- Votes for: ${one.vote === null ? 'nothing' : inline(one.vote)}\n\n`,
      fenced(one.reason),
    );
  return parts.join('');
}
