// Turns a decision that somebody wants to be remembered into a rule that is proposed; people confirm it.
import { isApproval, isToolApproval } from '../../../runtime/state/escalation.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { By, Keeper } from '../../ports/keeper.ts';
import type { DecidedQuestion, RuleProposals } from '../../ports/rules.ts';
import { oneLine, shortened } from '../texts.ts';
import type { RuleBook } from './book.ts';
import { plainRule, type RuleDoc } from './record.ts';

interface Deps {
  rules: Keeper<RuleDoc>;
  book: RuleBook;
  clock: Clock;
}

export function createRuleProposals({ rules, book, clock }: Deps): RuleProposals {
  return {
    async propose(by: By, decided) {
      const { id, identityId, projectId } = decided;
      const known = await rules.of(by.tenantId).findOne({ sourceEscalationId: id });
      if (known) return;
      const now = new Date(clock.now());
      const proposed = await rules.insert(by, {
        ...plainRule,
        ...wordsOf(decided),
        identityId,
        projectId,
        status: 'Proposed',
        statusReason: `Escalation ${id} was decided so.`,
        statusChangedAt: now,
        since: now,
        sourceEscalationId: id,
      });
      await book.finder.index(proposed);
    },
  };
}

/** What the next one like it would have to know. */
function wordsOf(decided: DecidedQuestion): Pick<RuleDoc, 'assertion' | 'rationale' | 'trigger' | 'kind'> {
  const { situation, decision, decisionNotes, decidedBy, toolName } = decided;
  const rationale = [`${decidedBy ?? 'Somebody'} decided: ${decision ?? 'nothing'}.`, decisionNotes]
    .filter(Boolean)
    .join(' ');
  const asked = shortened(oneLine(situation), 800);
  if (isToolApproval(decided) && toolName)
    return isApproval(decision)
      ? {
          assertion: `Calls of ${toolName} like this one are fine: ${asked}`,
          rationale,
          trigger: 'BeforeToolCall',
          kind: 'Inform',
        }
      : {
          assertion: `Do not call \`${toolName}\` as here: ${asked}`,
          rationale,
          trigger: 'BeforeToolCall',
          kind: 'ShouldNot',
        };
  const answer = shortened(oneLine(decision ?? ''), 800);
  return {
    assertion: `Where this comes up: ${asked} Do: ${answer}`,
    rationale,
    trigger: 'BeforeEscalation',
    kind: 'Should',
  };
}
