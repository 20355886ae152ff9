// Hand-offs as a part of the server: what they are kept in; hydration tells sessions of them.
import { part } from '../part.ts';
import { handoffRecord } from './record.ts';

export const sessionPart = part({
  records: [handoffRecord],
  // Served beside the inbox and the engine, whose counts it shows.
  contracts: [],
  serve: () => [],
  samples: [],
});
