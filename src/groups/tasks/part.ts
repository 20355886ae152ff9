// Tasks as a part of the server; their service needs the engine and mail, and stands in the wiring.
import { authCollections } from '../../auth/collections.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { part } from '../part.ts';
import { createTaskBook } from './book.ts';
import { createFollowing } from './follow.ts';
import { createMentions } from './mentions.ts';
import { commentRecord, dependencyRecord, taskRecord } from './record.ts';
import { taskSearch } from './searched.ts';
import { createTaskTools } from './tools.ts';

/** Milliseconds between two looks for claims that have ended, and for runs. */
const claimsEveryMs = 2000;
const runsEveryMs = 1000;

export const tasksPart = part({
  records: [taskRecord, dependencyRecord, commentRecord],
  contracts: [],
  serve: () => [],
  tools: (base) => {
    const identities = perTenant(authCollections(base.db).identities);
    return createTaskTools(createTaskBook(base), createMentions({ ...base, identities }));
  },
  searches: (deps) => [taskSearch(createTaskBook(deps).tasks)],
  rounds: (base) => {
    const book = createTaskBook(base);
    return [
      { name: 'claims of tasks that have ended', everyMs: claimsEveryMs, work: () => book.expireClaims() },
      { name: 'tasks whose runs have ended', everyMs: runsEveryMs, work: createFollowing({ ...base, book }) },
    ];
  },
  samples: [],
});
