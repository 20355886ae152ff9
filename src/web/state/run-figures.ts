// What figures of a run mean to a reader: how long it took, what it cost, why it failed.
import type { AgentRunDto } from '../../client/index.ts';
import { formatCost, t, words } from '../base/i18n.ts';

/** How long the run has been at work or waiting, ms: pauses, and waiting for budget, do not count. */
export function activeMs({ activeMs: before, activeSinceUtc }: AgentRunDto, now: number): number {
  return before + (activeSinceUtc === null ? 0 : Math.max(0, now - Date.parse(activeSinceUtc)));
}

/** A cost, or that no price is known: tokens that cost nothing are scripted, or their price was never told. */
export function costOf(usd: number, tokens: number, modelId: string | null): string {
  const isUnpriced = usd === 0 && tokens > 0 && !modelId?.startsWith('scripted:');
  return isUnpriced ? t('no price') : formatCost(usd);
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
