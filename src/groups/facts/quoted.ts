// Facts as a model reads them: fenced, so that they stay data and are not taken for new.
import { fenced } from '../../memory/fence.ts';

interface Shown {
  key: string;
  value: string;
  provenance: string;
  validFrom: Date;
  validUntil: Date | null;
}

/** @example factAsData(fact) // <recalled-fact key="deploy.branch" provenance="Observed" since="2026-01-02">main</recalled-fact> */
export function factAsData({ key, value, provenance, validFrom, validUntil }: Shown): string {
  const day = (at: Date) => at.toISOString().slice(0, 10);
  const until = validUntil ? { until: day(validUntil) } : {};
  return fenced('fact', { key, provenance, since: day(validFrom), ...until }, value);
}
