// What figures of a run mean to a reader: how long it took, what it cost, why it failed.
import type { AgentRunDto } from '../../client/index.ts';
import { formatCost, t, words } from '../base/i18n.ts';
import { createStore } from '../base/store.ts';

/** Whether scripts answer where no model is named. */
export const onlyScripts = createStore(false);

/** How long the run has been at work or waiting, ms: pauses, and waiting for budget, do not count. */
export function activeMs({ activeMs: before, activeSinceUtc }: AgentRunDto, now: number): number {
  return before + (activeSinceUtc === null ? 0 : Math.max(0, now - Date.parse(activeSinceUtc)));
}

/** Whether a script answers, which costs nothing. */
export const isScripted = (modelId: string | null) => modelId?.startsWith('scripted:') ?? onlyScripts.get();

/** Models whose price was set to 0. */
export const freeModels = createStore<ReadonlySet<string>>(new Set());

const isUnpriced = ({ usd, tokens, modelId }: Spent) =>
  usd === 0 && tokens > 0 && !isScripted(modelId) && !(modelId !== null && freeModels.get().has(modelId));

/** The models among these whose price is unknown. */
export const unpricedOf = (parts: readonly Spent[]): string[] => [
  ...new Set(parts.filter(isUnpriced).map(({ modelId }) => modelId ?? t('default model'))),
];

/** What a chart of costs says of them, which it leaves out; null where there are none. */
export const unpricedNote = (models: readonly string[]): string | null =>
  models.length === 0 ? null : t('Without {models}: no price is known.', { models: models.join(', ') });

/** A cost, or that no price is known: tokens that cost 0 are scripted or free, or their price is unknown. */
export function costOf(usd: number, tokens: number, modelId: string | null): string {
  return isUnpriced({ usd, tokens, modelId }) ? t('no price known') : formatCost(usd);
}

export interface Spent {
  usd: number;
  tokens: number;
  modelId: string | null;
}

/** What several models cost together, and that some of it is unknown. */
export function costOfAll(parts: readonly Spent[]): string {
  const usd = parts.reduce((sum, part) => sum + part.usd, 0);
  if (!parts.some(isUnpriced)) return formatCost(usd);
  return usd === 0 ? t('no price known') : t('{cost} and unpriced', { cost: formatCost(usd) });
}

/** Why a run failed, as it was said, with its code apart; null where nothing was said. */
export function failureOf({ failureReason }: Pick<AgentRunDto, 'failureReason'>): {
  code: string | null;
  message: string;
} | null {
  if (!failureReason) return null;
  const coded = /^([A-Z][A-Z\d_]+): *([\s\S]+)$/.exec(failureReason);
  if (coded) return { code: coded[1] ?? null, message: coded[2] ?? '' };
  const isName = /^[A-Za-z_]+$/.test(failureReason);
  return { code: null, message: isName ? words(failureReason) : failureReason };
}
