// The contract of facts on MongoDB-compatible servers over the wire.
import { onEachServer } from '../../support/servers/each.ts';
import { configured, ferretdb, mongoJavaServer } from '../../support/servers/mongo.ts';
import { notAtomic } from '../db/deviations.ts';
import { factsContract } from './suite.ts';

const ferretDeviations = {
  'have one current value a key, however many write at once': notAtomic,
  'are renamed with all their versions, to a key that is free': 'reports a violation by an update as an internal error',
};

await onEachServer('Facts', [configured, ferretdb, mongoJavaServer], (kind, open) =>
  factsContract({ name: kind.name, open, ...(kind === ferretdb && { deviations: ferretDeviations }) }),
);
