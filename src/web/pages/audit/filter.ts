// What of the audit log is listed, as the URL says.
import type { AuditCategory, AuditOutcome } from '../../../client/index.ts';

export const categories: AuditCategory[] = [
  'Authentication',
  'Authorization',
  'Users',
  'Roles',
  'Identities',
  'Keys',
  'Policy',
  'Billing',
  'Connectors',
  'AiRouter',
  'Agents',
  'Data',
  'Export',
  'Import',
  'System',
];
export const outcomes: AuditOutcome[] = ['Success', 'Denied', 'Failed'];

/** A day as it is written; nothing where it is none, since anybody can write an address. */
const dayIn = (text: string | null) => (text && !Number.isNaN(Date.parse(`${text}T00:00`)) ? text : '');

/** A day of the reader's, from its beginning or to its end, as the server takes it. */
const dayFrom = (day: string) => new Date(`${day}T00:00:00`).toISOString();
const dayTo = (day: string) => new Date(`${day}T23:59:59.999`).toISOString();

/** What the URL asks for. */
export function filterOf(query: URLSearchParams) {
  const [q, from, to] = [query.get('q') ?? '', dayIn(query.get('from')), dayIn(query.get('to'))];
  const category = categories.find((one) => one === query.get('category'));
  const outcome = outcomes.find((one) => one === query.get('outcome'));
  const asked = {
    ...(q ? { q } : {}),
    ...(category ? { category } : {}),
    ...(outcome ? { outcome } : {}),
    ...(from ? { fromUtc: dayFrom(from) } : {}),
    ...(to ? { toUtc: dayTo(to) } : {}),
  };
  return { q, from, to, category, outcome, asked };
}
