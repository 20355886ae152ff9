// Souls as a part of the server: what their versions are kept in.
import { part } from '../../part.ts';
import { soulVersionRecord } from './versions.ts';

export const soulsPart = part({
  records: [soulVersionRecord],
  // Served beside the other operations on identities.
  contracts: [],
  serve: () => [],
  samples: [],
});
