// Rulings of rules on a call before it is made: none, a person decides, blocked, or held until the model has read them.
import type { RuleTrigger } from '../../contract/enums.ts';
import { namedBy } from '../../kernel/patterns.ts';
import { type Matcher, matcherOf, namesPath, saysText, textsIn } from './matcher.ts';
import { isStrict, type Rule } from './rule.ts';

/** A call that is about to be made. */
export interface Act {
  tool: string;
  argumentsJson: string;
  /** Names of tools that succeeded before. */
  used(): Promise<ReadonlySet<string>>;
  /** Rules that the model has read and judged by. */
  told: ReadonlySet<number>;
}

export type Verdict = 'block' | 'ask' | 'hold';

export interface Finding<R extends Rule = Rule> {
  rule: R;
  verdict: Verdict;
  /** Text for the model, and for people who ask for the reason. */
  why: string;
}

/** Act of a call, by its tool. */
const triggerOfTool: Readonly<Record<string, RuleTrigger>> = {
  run_plan: 'BeforePlan',
  run_spawn: 'BeforeSpawn',
  message_send: 'BeforeMessage',
  run_escalate: 'BeforeEscalation',
  run_complete: 'OnCompletion',
};
const committing = /\bgit\b[^;&|\n]*\bcommit\b/;
const deploying =
  /\b(?:deploy|publish)\w*\b|\b(?:kubectl|terraform)\s+apply\b|\bdocker\s+push\b|\bhelm\s+(?:install|upgrade)\b/i;

/** Triggers that a call matches. */
export function triggersOf(tool: string, texts: readonly string[]): ReadonlySet<RuleTrigger> {
  const triggers = new Set<RuleTrigger>(['Always', 'BeforeToolCall']);
  const special = triggerOfTool[tool];
  if (special) triggers.add(special);
  // Commands are told from prose by their tool: a text about deploying deploys nothing.
  const commands =
    special || tool.startsWith('run_') ? [] : tool === 'shell_exec' ? texts : [tool.replaceAll('_', ' ')];
  if (commands.some((text) => committing.test(text))) triggers.add('BeforeCommit');
  if (commands.some((text) => deploying.test(text))) triggers.add('BeforeDeploy');
  return triggers;
}

const matchers = new WeakMap<Rule, Matcher>();
function known(rule: Rule): Matcher {
  const made = matchers.get(rule) ?? matcherOf(rule);
  matchers.set(rule, made);
  return made;
}

/** Objections of each strict rule to a call. */
export async function findingsOf<R extends Rule>(rules: readonly R[], act: Act): Promise<Finding<R>[]> {
  const strict = rules.filter(isStrict);
  if (strict.length === 0) return [];
  const texts = textsIn(argumentsOf(act.argumentsJson));
  const triggers = triggersOf(act.tool, texts);
  const findings: Finding<R>[] = [];
  for (const rule of strict) {
    if (!triggers.has(rule.trigger)) continue;
    const found = await examine(rule, known(rule), act, texts);
    if (found) findings.push({ rule, ...found });
  }
  return findings;
}

function argumentsOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

async function examine(rule: Rule, matcher: Matcher, act: Act, texts: readonly string[]) {
  const { tools, paths, texts: wanted, required, asks } = matcher;
  const names = tools.length + paths.length + wanted.length > 0;
  if (tools.length > 0 && !tools.some((pattern) => namedBy(pattern, act.tool))) return null;
  if (paths.length > 0 && !namesPath(paths, texts)) return null;
  if (wanted.length > 0 && !saysText(wanted, texts)) return null;
  const isNarrow = rule.trigger !== 'Always' && rule.trigger !== 'BeforeToolCall';
  if (required.length > 0) {
    const used = await act.used();
    const missing = required.filter((name) => ![...used].some((one) => namedBy(name, one)));
    return missing.length === 0
      ? null
      : { verdict: 'block' as const, why: `Use ${missing.join(', ')} first, with success.` };
  }
  if (asks && (names || isNarrow)) return { verdict: 'ask' as const, why: 'A person decides about it.' };
  if (rule.kind === 'MustNot' && names) return { verdict: 'block' as const, why: 'It may not be made.' };
  // Rules in words alone: the model judges once it has read them. Calls of a run on itself are exempt.
  const isOwn = !isNarrow && (act.tool.startsWith('run_') || act.tool === 'rule_check');
  if (rule.trigger === 'Always' || act.told.has(rule._id) || (isOwn && !names)) return null;
  return { verdict: 'hold' as const, why: 'Judge whether the call keeps to it.' };
}

const order: readonly Verdict[] = ['block', 'ask', 'hold'];

/** Verdict on a call and the rules behind it; null when no rule objects. */
export function rulingOf<R extends Rule>(
  findings: readonly Finding<R>[],
): { verdict: Verdict; by: Finding<R>[] } | null {
  const verdict = order.find((one) => findings.some((finding) => finding.verdict === one));
  return verdict ? { verdict, by: findings.filter((finding) => finding.verdict === verdict) } : null;
}
