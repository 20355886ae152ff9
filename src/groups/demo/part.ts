// The demo as a part of the server; its service uses the operations of others, and stands in the wiring.
import { part } from '../part.ts';
import { demoSpec } from './record.ts';

export const demoPart = part({
  records: [{ spec: demoSpec }],
  contracts: [],
  serve: () => [],
  samples: [],
});
