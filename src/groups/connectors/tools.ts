// The endpoints of a tenant's connectors as tools of its runs and chats: `connector__endpoint`.
import { createLru } from '../../kernel/lru.ts';
import { schemaOf } from '../../outside/fields.ts';
import type { Versions } from '../../ports/versions.ts';
import type { PartTool, TenantTools } from '../part.ts';
import type { ConnectorBook } from './book.ts';
import type { Calls, Target } from './calls.ts';
import { callable, planOf } from './plans.ts';

interface Deps {
  book: ConnectorBook;
  calls: Calls;
  versions: Versions;
}

const kinds = ['connectors', 'connector_endpoints', 'connector_field_mappings'] as const;
/** Tools of connectors that a tenant may have; each turn tells the model of all that its policy lets through. */
const mostTools = 500;
/** What providers take as the name of a tool. */
const mostCharacters = 64;

export function createConnectorTools({ book, calls, versions }: Deps): TenantTools {
  const held = createLru<number, { version: string; tools: readonly PartTool[] }>(1000);
  return async (tenantId) => {
    const version = (await Promise.all(kinds.map((kind) => versions.of(tenantId, kind)))).join('/');
    const known = held.get(tenantId);
    if (known?.version === version) return known.tools;
    const tools = named(await targetsOf(book, tenantId)).map(([name, target]) => toTool(calls, name, target));
    held.set(tenantId, { version, tools });
    return tools;
  };
}

/** The endpoints of connectors that are switched on, in a fixed order. */
async function targetsOf({ connectors, endpoints, mappings }: ConnectorBook, tenantId: number): Promise<Target[]> {
  const order = { sort: { _id: 1 as const } };
  const on = await connectors
    .of(tenantId)
    .find({ enabled: true, type: { $in: [...callable] } }, order)
    .toArray();
  if (on.length === 0) return [];
  const byId = new Map(on.map((one) => [one._id, one]));
  const found = await endpoints
    .of(tenantId)
    .find({ connectorId: { $in: [...byId.keys()] } }, { ...order, limit: mostTools })
    .toArray();
  const fields = await mappings
    .of(tenantId)
    .find({ endpointId: { $in: found.map(({ _id }) => _id) } }, { sort: { sortOrder: 1, _id: 1 } })
    .toArray();
  return found.flatMap((endpoint) => {
    const connector = byId.get(endpoint.connectorId);
    return connector
      ? [{ connector, endpoint, mappings: fields.filter((one) => one.endpointId === endpoint._id) }]
      : [];
  });
}

/** Two names that read the same as a tool get the number of the endpoint; the older keeps its name. */
function named(targets: readonly Target[]): [string, Target][] {
  const taken = new Set<string>();
  return targets.map((target) => {
    const plain = `${slug(target.connector.name)}__${slug(target.endpoint.name)}`;
    const end = `_${target.endpoint._id}`;
    const isFree = plain.length <= mostCharacters && !taken.has(plain);
    const name = isFree ? plain : plain.slice(0, mostCharacters - end.length) + end;
    taken.add(name);
    return [name, target];
  });
}

const slug = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '') || 'x';

function toTool(calls: Calls, name: string, target: Target): PartTool {
  const { connector, endpoint, mappings } = target;
  const { outbound, risk, writes } = planOf(connector, endpoint, mappings);
  return {
    name,
    displayName: `${connector.name}: ${endpoint.name}`,
    description: endpoint.description ?? `Calls "${endpoint.name}" of ${connector.name}.`,
    category: 'connectors',
    source: 'Connector',
    connectorId: connector._id,
    orgUnitId: connector.orgUnitId,
    ...{ risk, sandboxed: false, timeoutMs: 60_000 },
    whenInterrupted: writes ? 'report' : 'retry',
    input: { jsonSchema: schemaOf(outbound) },
    handler: (input, { signal, idempotencyKey }) =>
      calls.call(target, (input ?? {}) as Record<string, unknown>, { signal, idempotencyKey }),
  };
}
