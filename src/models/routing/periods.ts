// Periods of budgets in UTC.
import type { BudgetPeriod } from '../../contract/enums.ts';

const hour = 3_600_000;
const day = 24 * hour;
/** 1970-01-05, the first Monday (ISO 8601 weeks). */
const firstMonday = 4 * day;

/** Start of the period that holds `at`; both in ms since 1970 UTC. A lifetime began in 1970. */
export function periodStart(period: BudgetPeriod, at: number): number {
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  switch (period) {
    case 'Hour':
      return Math.floor(at / hour) * hour;
    case 'Day':
      return Math.floor(at / day) * day;
    case 'Week':
      return Math.floor((at - firstMonday) / (7 * day)) * 7 * day + firstMonday;
    case 'Month':
      return Date.UTC(year, month);
    case 'Quarter':
      return Date.UTC(year, month - (month % 3));
    case 'Year':
      return Date.UTC(year, 0);
    case 'Lifetime':
      return 0;
    default:
      return period satisfies never;
  }
}

/** End of the period that began at `start`, exclusive; null for a lifetime. */
export function periodEnd(period: BudgetPeriod, start: number): number | null {
  const date = new Date(start);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  switch (period) {
    case 'Hour':
      return start + hour;
    case 'Day':
      return start + day;
    case 'Week':
      return start + 7 * day;
    case 'Month':
      return Date.UTC(year, month + 1);
    case 'Quarter':
      return Date.UTC(year, month + 3);
    case 'Year':
      return Date.UTC(year + 1, 0);
    case 'Lifetime':
      return null;
    default:
      return period satisfies never;
  }
}
