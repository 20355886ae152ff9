// What runs and chats may ask of rules.
import { z } from 'zod';
import { RuleTrigger } from '../../contract/enums.ts';
import { ruleAsText } from '../../memory/rules/quoted.ts';
import type { PartTool } from '../part.ts';
import type { RuleBook } from './book.ts';
import { lookUpRules } from './check.ts';

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
    const { rules, verdicts } = await lookUpRules(book, {
      tenantId,
      identityId,
      projectId,
      horizon,
      trigger,
      toolName,
      argumentsJson: argumentsJson ?? '',
      limit: shownRules,
      marks: true,
    });
    if (rules.length === 0) return 'No rule applies.';
    const said = verdicts.map(({ ruleId, verdict, why }) => `Rule ${ruleId}: ${verdict}. ${why}`);
    return [...rules.map((rule) => ruleAsText(rule, true)), ...said].join('\n');
  },
});
