// Holds the calls of runs and chats against the rules; what comes up is counted.
import type { GatedWork, RuleGate } from '../../../runtime/state/rule-gate.ts';
import { type Act, findingsOf, rulingOf } from '../../memory/rules/judge.ts';
import { inWords, ruleAsText, rulingText } from '../../memory/rules/quoted.ts';
import { horizonOf } from '../part-tools.ts';
import type { RuleBook } from './book.ts';

export function createRuleGate(book: RuleBook): RuleGate {
  const applying = (work: GatedWork) => book.applying({ ...work, horizon: horizonOf(work) });
  return {
    async beforeCall(work, act: Act) {
      const rules = await applying(work);
      if (rules.length === 0) return null;
      const ruling = rulingOf(await findingsOf(rules, act));
      if (!ruling) return null;
      const { verdict, by } = ruling;
      const ruleIds = by.map(({ rule }) => rule._id);
      await book.surfaced(work.tenantId, ruleIds);
      return { verdict, ruleIds, text: rulingText(verdict, by), reason: inWords(by) };
    },
    async onError(work, told) {
      const rules = (await applying(work)).filter(({ _id, trigger }) => trigger === 'OnError' && !told.has(_id));
      if (rules.length === 0) return null;
      const ruleIds = rules.map(({ _id }) => _id);
      await book.surfaced(work.tenantId, ruleIds);
      const lines = rules.map((rule) => ruleAsText(rule, true));
      const text = `Something failed. Standing rules for that:\n${lines.join('\n')}`;
      return { ruleIds, text, reason: inWords(rules.map((rule) => ({ rule }))) };
    },
  };
}
