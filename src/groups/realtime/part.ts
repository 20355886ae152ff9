// Streams as a part of the server.
import { type MayRead, part } from '../part.ts';

/** There are no such things yet, and nobody follows what is not there. */
const nobody: MayRead = async () => false;

export const realtimePart = part({
  records: [],
  contracts: [],
  serve: () => [],
  topics: () => ({ import: nobody }),
  samples: [],
});
