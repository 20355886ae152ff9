// Connectors as a part of the server.
import { resourceOf } from '../../contract/named.ts';
import { pruneByDate } from '../../ports/retention.ts';
import { type PartBase, part, sampleOf } from '../part.ts';
import { createConnectorBook } from './book.ts';
import { createCalls } from './calls.ts';
import { connectors } from './contract.ts';
import { connectorRecord, deliveryRecord, endpointRecord, mappingRecord } from './record.ts';
import { connectorsService } from './service.ts';
import { pruneSignIns, signInSpec } from './sign-in.ts';
import { createConnectorTools } from './tools.ts';

/** Milliseconds that deliveries stay, and a repeat is known for. */
const keptMs = 30 * 86_400_000;
/** A connector of which a sample of each operation can be made. */
const signingIn = {
  ...{ type: 'RestApi' as const, baseUrl: 'https://api.invalid/v1', authMethod: 'OAuth2AuthorizationCode' as const },
  credentials: JSON.stringify({
    ...{ authorizationUrl: 'https://id.invalid/auth', tokenUrl: 'https://id.invalid/token', clientId: 'sample' },
  }),
};
const verbs = ['list', 'create', 'get', 'replace', 'remove', 'call', 'inbound'] as const;
const endpointsOf = resourceOf(connectors, 'Endpoint', verbs);
const mappingsOf = resourceOf(connectors, 'FieldMapping', verbs);

const opened = (base: PartBase) => {
  const book = createConnectorBook(base);
  return { book, calls: createCalls({ ...base, book }) };
};

export const connectorsPart = part({
  records: [connectorRecord, endpointRecord, mappingRecord, deliveryRecord, { spec: signInSpec }],
  contracts: [connectors],
  serve: (deps) => [connectorsService({ ...deps, ...opened(deps) })],
  retention: ({ db }) => ({
    rules: [
      { name: 'sign-ins of connectors', keptMs: 0, prune: (before) => pruneSignIns(db, before) },
      { name: 'deliveries of connectors', keptMs, prune: (before) => pruneByDate(db, deliveryRecord.spec, before) },
    ],
  }),
  tenantTools: (base) => createConnectorTools({ ...base, ...opened(base) }),
  samples: [
    sampleOf(connectors, (name) => ({ name, ...signingIn }), {
      patch: () => ({ description: 'changed' }),
      replace: ({ name }) => ({ name, ...signingIn, enabled: true }),
      verify: () => ({ timeoutMs: 1000 }),
      setHeaders: () => ({ headers: { 'x-team': 'blue' } }),
    }),
    sampleOf(
      endpointsOf,
      (name) => ({ name, method: 'Get', path: '/things/{id}' }),
      {
        replace: ({ name }) => ({ name, isStoredProcedure: false, sortOrder: 1, method: 'Get' as const, path: '/all' }),
        call: () => ({ input: { id: '7' } }),
        inbound: () => ({ text: 'Hello' }),
      },
      async (make) => ({ connectorId: await make(connectors) }),
    ),
    sampleOf(
      mappingsOf,
      (externalFieldName) => ({ externalFieldName, direction: 'Outbound' }),
      {
        replace: ({ name: externalFieldName }) => ({
          ...{ externalFieldName, direction: 'Inbound' as const, isRequired: false, isKey: false, sortOrder: 1 },
        }),
      },
      async (make) => ({ endpointId: await make(endpointsOf) }),
    ),
  ],
});
