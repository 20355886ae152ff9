// Connectors as a part of the server.
import { part, sampleOf } from '../part.ts';
import { createConnectorBook } from './book.ts';
import { connectors } from './contract.ts';
import { connectorRecord, endpointRecord, mappingRecord } from './record.ts';
import { connectorsService } from './service.ts';

export const connectorsPart = part({
  records: [connectorRecord, endpointRecord, mappingRecord],
  contracts: [connectors],
  serve: (deps) => [connectorsService({ book: createConnectorBook(deps), outside: deps.outside })],
  samples: [
    sampleOf(connectors, (name) => ({ name, type: 'RestApi', baseUrl: 'https://api.invalid/v1', authMethod: 'None' }), {
      patch: () => ({ description: 'changed' }),
      replace: ({ name }) => ({ name, type: 'RestApi' as const, authMethod: 'None' as const, enabled: true }),
      setHeaders: () => ({ headers: { 'x-team': 'blue' } }),
    }),
  ],
});
