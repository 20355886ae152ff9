// Rules as text: for a model fenced, so that nothing in them can pass for something else; for people in plain words.
import { fenced } from '../fence.ts';
import type { Finding, Verdict } from './judge.ts';
import type { Rule } from './rule.ts';

/**
 * @example ruleAsText(rule, false) // <recalled-rule id="7" kind="MustNot" when="BeforeToolCall">\nNo call of
 * …\n</recalled-rule>
 */
export function ruleAsText({ _id, kind, trigger, assertion, rationale }: Rule, withReason: boolean): string {
  const why = withReason && rationale ? `\nBecause: ${rationale}` : '';
  return fenced('rule', { id: _id, kind, when: trigger }, assertion + why);
}

const heads: Record<Verdict, string> = {
  block: 'RULE_BLOCKED: the call was not made, since a standing rule is against it.',
  ask: 'A standing rule wants a person to decide about this call.',
  hold: 'RULE_APPLIES: the call was not made yet. Read the rule: if the call keeps to it, make it again as it is; if not, do otherwise.',
};

/** Text of a ruling for the model. */
export const rulingText = (verdict: Verdict, by: readonly Finding[]): string =>
  [heads[verdict], ...by.map(({ rule, why }) => `${ruleAsText(rule, true)}\n${why}`)].join('\n');

/** What rules say, as text for people, a line each. */
export const inWords = (by: readonly { rule: Rule; why?: string }[]): string =>
  by
    .map(({ rule: { _id, assertion, rationale }, why }) =>
      [`Rule ${_id}: ${assertion}`, rationale && `Because: ${rationale}`, why].filter(Boolean).join(' '),
    )
    .join('\n');
