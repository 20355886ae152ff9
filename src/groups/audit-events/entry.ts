// What an entry says of an operation: who, what, where from, and which documents were written; no values, no secrets.
import type { AuditCategory, PrincipalKind } from '../../contract/enums.ts';
import type { AuditedOperation } from '../../ports/audit.ts';
import type { AuditEventDoc } from './record.ts';

/** Longest texts that are kept of what a caller chose. */
const longest = 500;
/** Documents that one entry names; an operation that writes more says how many. */
const mostWrites = 50;

/** An entry before it has its place in the chain. */
export type Draft = Omit<
  AuditEventDoc,
  '_id' | 'guid' | 'seq' | 'salt' | 'personalDigest' | 'about' | 'prevHash' | 'hash' | 'createdAt'
>;

/** Categories by the beginning of the operation's name; the first that fits. */
const categories: readonly [RegExp, AuditCategory][] = [
  [/^Users_(createKey|removeKey)|^IdentityKeys_/, 'Keys'],
  [/^(Auth|OAuth)_/, 'Authentication'],
  [/^Users_exportData|^Export/, 'Export'],
  [/^Import/, 'Import'],
  [/^Users_/, 'Users'],
  [/^(Roles|Permissions)_/, 'Roles'],
  [/^(Identit|AgentFiles|Hydration|Relationship|Soul)/, 'Identities'],
  [/^TenantPolicy_/, 'Policy'],
  [/^(AI|ChatCompletions)/, 'AiRouter'],
  [/^(Agent|RoleSoul|Routine)/, 'Agents'],
  [/^(System|Infrastructure|Event|WebSocket)/, 'System'],
  [/^Connector/, 'Connectors'],
  [/^Billing/, 'Billing'],
];

function categoryOf({ id, outcome }: AuditedOperation): AuditCategory {
  const category = categories.find(([pattern]) => pattern.test(id))?.[1] ?? 'Data';
  return outcome === 'Denied' && category !== 'Authentication' ? 'Authorization' : category;
}

const cut = (text: string | null) => text?.slice(0, longest) ?? null;

type Actor = Pick<Draft, 'actorKind' | 'actorId' | 'actorName' | 'actorUserId'>;

/** Who signs in, or proves by a mailed token who they are, is the one who acts. */
function actorOf({ caller }: AuditedOperation, account: Account | null): Actor {
  if (!caller && account)
    return { actorKind: 'User', actorId: account._id, actorName: account.username, actorUserId: account._id };
  if (!caller) return { actorKind: 'Anonymous', actorId: null, actorName: null, actorUserId: null };
  const { userId, identityId, name } = caller;
  // A person acts as a user, whatever identity the session has; a key acts as its identity.
  const isUser = caller.sessionId !== null || identityId === null;
  const actorKind: PrincipalKind = isUser ? 'User' : 'Identity';
  return { actorKind, actorId: isUser ? userId : identityId, actorName: name, actorUserId: userId };
}

function targetOf({ group, params, writes }: AuditedOperation): Pick<Draft, 'targetKind' | 'targetId' | 'targetName'> {
  const [first] = writes;
  const named = Object.values(params).find((value) => typeof value === 'number') ?? null;
  const written = typeof first?.id === 'number' ? first.id : null;
  return {
    targetKind: first?.kind ?? (named === null ? null : group),
    targetId: (first ? written : (named as number | null)) ?? null,
    targetName: first?.name ?? null,
  };
}

/** The names of what was sent: values may be secrets. */
function requestOf({ params, body }: AuditedOperation): string {
  const fields = typeof body === 'object' && body !== null ? Object.keys(body).sort() : [];
  return JSON.stringify({ params, fields });
}

function changesOf({ writes }: AuditedOperation): string | null {
  if (writes.length === 0) return null;
  const left = writes.length - mostWrites;
  const shown = writes.slice(0, mostWrites).map(({ name: _, ...write }) => write);
  return JSON.stringify(left > 0 ? [...shown, { more: left }] : shown);
}

/** The account that an operation was about which nobody was signed in for. */
interface Account {
  _id: number;
  username: string;
}

/** Says of `tenantId` what was done or tried. */
export const draftOf = (operation: AuditedOperation, tenantId: number, account: Account | null = null): Draft => ({
  tenantId,
  action: operation.id,
  category: categoryOf(operation),
  outcome: operation.outcome,
  ...actorOf(operation, account),
  ...targetOf(operation),
  ip: operation.ip,
  userAgent: cut(operation.userAgent),
  requestId: cut(operation.requestId),
  detail: operation.fault && cut(`${operation.fault.code}: ${operation.fault.message}`),
  changesJson: changesOf(operation),
  requestJson: requestOf(operation),
});
