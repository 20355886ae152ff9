// Tasks as a part of the server; their service needs the engine and mail, and stands in the wiring.
import { part } from '../part.ts';
import { createTaskBook } from './book.ts';
import { createFollowing } from './follow.ts';
import { commentRecord, dependencyRecord, taskRecord } from './record.ts';
import { createTaskTools } from './tools.ts';

/** Milliseconds between two looks for claims that have ended, and for runs. */
const claimsEveryMs = 2000;
const runsEveryMs = 1000;

export const tasksPart = part({
  records: [taskRecord, dependencyRecord, commentRecord],
  contracts: [],
  serve: () => [],
  tools: (base) => createTaskTools(createTaskBook(base)),
  rounds: (base) => {
    const book = createTaskBook(base);
    return [
      { name: 'claims of tasks that have ended', everyMs: claimsEveryMs, work: () => book.expireClaims() },
      { name: 'tasks whose runs have ended', everyMs: runsEveryMs, work: createFollowing({ ...base, book }) },
    ];
  },
  samples: [],
});
