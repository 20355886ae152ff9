// Streams as a part of the server.
import { part } from '../part.ts';

export const realtimePart = part({
  records: [],
  contracts: [],
  serve: () => [],
  samples: [],
});
