// The gate before memories: what agents want to be remembered holds no secrets, and no personal data where the tenant says so.
import { Fault } from '../kernel/fault.ts';
import { defaultPolicy, policySpec } from '../ports/tenant-policy.ts';
import { type Finding, flagsOf, redact, scan } from '../scrub/scrub.ts';
import type { PartBase } from './part.ts';

type Texts = Readonly<Record<string, unknown>>;

export interface Passed<Fields> {
  fields: Fields;
  /** What was taken out; empty where the fields are as they came. */
  removed: string[];
}

export interface MemoryGate {
  /** What may be kept of texts that an agent wrote; throws POLICY_VIOLATION, naming what was found, for secrets. */
  pass<Fields extends Texts>(tenantId: number, fields: Fields): Promise<Passed<Fields>>;
}

export function createMemoryGate({ db }: Pick<PartBase, 'db'>): MemoryGate {
  const policies = db.collection(policySpec);
  /** Read anew: what is about to be stored stays. */
  const isScrubbed = async (tenantId: number): Promise<boolean> =>
    ((await policies.findOne({ _id: tenantId })) ?? defaultPolicy).scrubPersonalData;
  return {
    async pass(tenantId, fields) {
      const texts = Object.values(fields)
        .flatMap((value) => (Array.isArray(value) ? value : [value]))
        .filter(isText);
      const secrets = texts.flatMap((text) => scan(text, 'Secret'));
      if (secrets.length > 0) throw holdsSecrets(secrets);
      const found = texts.flatMap((text) => scan(text, 'Personal'));
      if (found.length === 0 || !(await isScrubbed(tenantId))) return { fields, removed: [] };
      const kept = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, withoutPersonal(value)]));
      return { fields: kept as typeof fields, removed: flagsOf(found) };
    },
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';

function withoutPersonal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPersonal);
  return isText(value) ? redact(value, 'Personal') : value;
}

const holdsSecrets = (found: readonly Finding[]) =>
  new Fault('POLICY_VIOLATION', `This is not remembered: it holds a secret (${flagsOf(found).join(', ')}).`, {
    hint: 'Say it without the secret; where it is kept can be remembered.',
  });

/** The gate for a tool: an answer for the model instead of an error, and a word on what was taken out. */
export async function passForTool<Fields extends Texts>(
  gate: MemoryGate,
  tenantId: number,
  fields: Fields,
): Promise<{ refused: string } | { refused: null; fields: Fields; note: string }> {
  try {
    const { fields: kept, removed } = await gate.pass(tenantId, fields);
    return {
      refused: null,
      fields: kept,
      note: removed.length > 0 ? ` Taken out by policy: ${removed.join(', ')}.` : '',
    };
  } catch (error) {
    if (error instanceof Fault && error.code === 'POLICY_VIOLATION') return { refused: error.text };
    throw error;
  }
}
