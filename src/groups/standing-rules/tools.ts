// What runs and chats may ask of rules.
import { z } from 'zod';
import { RuleTrigger } from '../../contract/enums.ts';
import { findingsOf } from '../../memory/rules/judge.ts';
import { ruleAsText } from '../../memory/rules/quoted.ts';
import type { PartTool } from '../part.ts';
import type { RuleBook } from './book.ts';

const input = z.strictObject({
  trigger: RuleTrigger.default('BeforeToolCall'),
  toolName: z.string().max(200).optional(),
  argumentsJson: z.string().max(20_000).optional(),
});

const shownRules = 20;

export const createCheckTool = (book: RuleBook): PartTool<z.output<typeof input>> => ({
  name: 'rule_check',
  toolSet: 'memory',
  displayName: 'Check the rules',
  description:
    'Look up the standing rules that apply at a moment, e.g. BeforeDeploy; with toolName and argumentsJson also what would become of that call.',
  risk: 'Safe',
  category: 'memory',
  source: 'Memory',
  sandboxed: false,
  input,
  handler: async ({ trigger, toolName, argumentsJson }, caller) => {
    const { tenantId, identityId, projectId, horizon } = caller;
    const all = await book.applying({ tenantId, identityId, projectId, horizon });
    const act = { argumentsJson: argumentsJson ?? '', used: async () => new Set<string>(), told: new Set<number>() };
    const found = toolName === undefined ? [] : await findingsOf(all, { tool: toolName, ...act });
    const named = new Set(found.map(({ rule }) => rule._id));
    const those = all.filter((one) => one.trigger === trigger || named.has(one._id)).slice(0, shownRules);
    if (those.length === 0) return 'No rule applies.';
    await book.surfaced(
      tenantId,
      those.map(({ _id }) => _id),
    );
    const verdicts = found.map(({ rule, verdict, why }) => `Rule ${rule._id}: ${verdict}. ${why}`);
    return [...those.map((rule) => ruleAsText(rule, true)), ...verdicts].join('\n');
  },
});
