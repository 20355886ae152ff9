// Which rules somebody should know of at a moment, and what would become of a call that is only thought of.
import type { RuleTrigger } from '../../contract/enums.ts';
import { findingsOf } from '../../memory/rules/judge.ts';
import type { Asked, RuleBook } from './book.ts';

interface Looked extends Asked {
  trigger: RuleTrigger;
  toolName: string | undefined;
  argumentsJson: string;
  limit: number;
  /** Whether the rules count as having come up. */
  marks: boolean;
}

export async function lookUpRules(book: RuleBook, { trigger, toolName, argumentsJson, limit, marks, ...who }: Looked) {
  const all = await book.applying(who);
  const found =
    toolName === undefined
      ? []
      : // Nothing was used, nothing is known yet.
        await findingsOf(all, { tool: toolName, argumentsJson, used: async () => new Set(), told: new Set() });
  const named = new Set(found.map(({ rule }) => rule._id));
  const rules = all.filter((one) => one.trigger === trigger || named.has(one._id)).slice(0, limit);
  const ids = rules.map(({ _id }) => _id);
  if (marks) await book.surfaced(who.tenantId, ids);
  return { rules, verdicts: found.map(({ rule, verdict, why }) => ({ ruleId: rule._id, verdict, why })) };
}
