// The contract of sealed documents on MongoDB-compatible servers over the wire.
import { onEachServer } from '../../support/servers/each.ts';
import { configured, ferretdb, mongoJavaServer } from '../../support/servers/mongo.ts';
import { sealedContract } from './suite.ts';

await onEachServer('Sealed documents', [configured, ferretdb, mongoJavaServer], (kind, open) =>
  sealedContract({ name: kind.name, open }),
);
