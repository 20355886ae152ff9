// The contract on MongoDB-compatible servers over the wire: on all that can be started here.
import { onEachServer } from '../../support/servers/each.ts';
import { configured, ferretdb, mongoJavaServer } from '../../support/servers/mongo.ts';
import { ferretDeviations, javaDeviations } from './deviations.ts';
import { dbContract } from './suite.ts';

const deviationsOf = new Map([
  [configured, {}],
  [ferretdb, ferretDeviations],
  [mongoJavaServer, javaDeviations],
]);

await onEachServer('Db contract', [...deviationsOf.keys()], (kind, open) =>
  dbContract({ name: kind.name, deviations: deviationsOf.get(kind) ?? {}, open }),
);
