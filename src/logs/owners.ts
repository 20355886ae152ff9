// Decides whose log a line belongs to: the tenant that it names, that of its run, else the server's own.
import type { TappedLine } from '../kernel/log-tap.ts';
import { type NumberedLine, serverTenant } from './chunk.ts';
import { codeOf, fieldsOf, type LineFields } from './entry.ts';

export interface RunOwner {
  tenantId: number;
}
/** Whose runs these are; those that are not there are left out. */
export type FindRunOwners = (ids: readonly number[]) => Promise<ReadonlyMap<number, RunOwner>>;

type Line = Omit<NumberedLine, 'id'>;
/** A line and its place among all that are assigned, in the order in which they were written. */
export type PlacedLine = Line & { place: number };
interface Read {
  line: Line;
  tenant: number | null;
  runId: number | null;
}

const warn = 40;
/** A line that is longer is shortened: nobody reads it all, and it would push out others. */
const mostCharacters = 64 * 1024;

/**
 * The lines of each tenant, and how many there are. What went wrong inside the server is told twice where a tenant other than the operator's is
 * concerned: the tenant reads what happened and under which request, the operator the error with its stack.
 */
export async function assignLines(
  lines: readonly TappedLine[],
  { operatorTenantId, runOwners }: { operatorTenantId: number; runOwners: FindRunOwners },
): Promise<{ byTenant: Map<number, PlacedLine[]>; count: number }> {
  const read = lines.map(readLine).filter((one) => one !== null);
  const unknown = read.filter(({ tenant, runId }) => tenant === null && runId !== null);
  const owners = unknown.length > 0 ? await runOwners([...new Set(unknown.map(({ runId }) => runId as number))]) : null;
  const byTenant = new Map<number, PlacedLine[]>();
  let count = 0;
  const give = (tenant: number, line: Line) => {
    const placed = { ...line, place: count++ };
    const own = byTenant.get(tenant);
    if (own) own.push(placed);
    else byTenant.set(tenant, [placed]);
  };
  for (const { line, tenant, runId } of read) {
    const owner = runId === null ? undefined : owners?.get(runId);
    const ofTenant = tenant ?? owner?.tenantId ?? serverTenant;
    const { fields } = line;
    const isInside = fields !== null && ('err' in fields || 'error' in fields);
    if (ofTenant === serverTenant || ofTenant === operatorTenantId || !isInside) give(ofTenant, line);
    else {
      const { err: _, error: __, ...told } = fields;
      const code = codeOf(fields);
      give(ofTenant, withFields(line, { ...told, ...(code !== null && { code }) }));
      if (line.level >= warn) give(serverTenant, withFields(line, { ...ofOperator(fields), ofTenant }));
    }
  }
  return { byTenant, count };
}

/** What the operator needs to mend the server; what else the line says of another tenant is not theirs. */
const ofOperator = ({ level, time, domain, msg, code, requestId, ofDigest, err, error }: LineFields): LineFields => ({
  ...{ level, time, domain, msg, code, requestId, ofDigest, err, error },
});

const withFields = (line: Line, { tenant: _, ...fields }: LineFields): Line => ({
  ...line,
  fields,
  text: JSON.stringify(fields),
});

function readLine({ text: whole, facts }: TappedLine): Read | null {
  const text = whole.endsWith('\n') ? whole.slice(0, -1) : whole;
  if (facts)
    return {
      line: { text, fields: null, level: facts.level, domain: facts.domain },
      tenant: facts.tenant,
      runId: null,
    };
  const fields = fieldsOf(text);
  if (!fields) return null;
  const number = (value: unknown) => (typeof value === 'number' && Number.isSafeInteger(value) ? value : null);
  const line = { text, fields, level: number(fields.level) ?? 30, domain: String(fields.domain ?? 'System') };
  return {
    line: text.length > mostCharacters ? shortened(line, fields) : line,
    tenant: number(fields.tenant) ?? number(fields.tenantId),
    runId: number(fields.runId),
  };
}

/** What a line says, without what it says at length. */
function shortened(line: Line, fields: LineFields): Line {
  const short = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const text = JSON.stringify(value) ?? '';
      return [name, text.length > 4000 ? `${text.slice(0, 4000)}…` : value];
    }),
  );
  return { ...line, fields: short, text: JSON.stringify(short) };
}
