// The contract of keepers on MongoDB-compatible servers over the wire.
import { onEachServer } from '../../support/servers/each.ts';
import { configured, ferretdb, mongoJavaServer } from '../../support/servers/mongo.ts';
import { notAtomic } from '../db/deviations.ts';
import { keeperContract } from './suite.ts';

const ferretDeviations = {
  'take a name once, whatever its case, and name it': 'reports a violation by an update as an internal error',
  'work a change out again when what it looked at has changed meanwhile': notAtomic,
  'remove for good where nothing points to it, and tell a removal once': notAtomic,
};

await onEachServer('Keepers', [configured, ferretdb, mongoJavaServer], (kind, open) =>
  keeperContract({ name: kind.name, open, ...(kind === ferretdb && { deviations: ferretDeviations }) }),
);
