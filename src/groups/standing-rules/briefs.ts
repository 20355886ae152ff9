// What runs and chats are told of rules from the start: those of every moment, and the ones that no machine can check.
import type { IdentityDoc } from '../../auth/documents.ts';
import { ruleAsText } from '../../memory/rules/quoted.ts';
import { isStrict } from '../../memory/rules/rule.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { hydrates, settingOf } from '../identities/settings.ts';
import type { Briefed } from '../part.ts';
import type { RuleBook } from './book.ts';
import type { RuleDoc } from './record.ts';

interface Deps {
  book: RuleBook;
  identities: PerTenant<IdentityDoc>;
}

/** Rules that are told at once. */
const mostTold = 50;

/** Whom a mode tells what: all of them, or those that do not wait for their moment. A chat has no moments. */
export function toldOf(rules: readonly RuleDoc[], mode: string, isRun: boolean): RuleDoc[] {
  if (mode === 'off') return [];
  const early = ({ trigger, ...rule }: RuleDoc) =>
    !isRun || mode !== 'triggered' || trigger === 'Always' || trigger === 'SessionStart' || !isStrict(rule);
  return rules.filter(early).slice(0, mostTold);
}

export function createRuleBriefs({ book, identities }: Deps) {
  return async ({
    tenantId,
    identityId,
    projectId,
    runId,
    horizon,
  }: Omit<Briefed, 'about'>): Promise<string | null> => {
    const rules = await book.applying({ tenantId, identityId, projectId, horizon });
    if (rules.length === 0) return null;
    const identity = identityId === null ? null : await identities(tenantId).findOne({ _id: identityId });
    if (identity && !hydrates(identity, 'StandingRules')) return null;
    const mode = identity ? settingOf(identity, 'hydration').standingRulesMode : 'triggered';
    const told = toldOf(rules, mode, runId !== null);
    if (told.length === 0) return null;
    const lines = told.map((rule) => ruleAsText(rule, mode === 'full'));
    return `Standing rules, which people have set for this work. Keep to them:\n${lines.join('\n')}`;
  };
}
