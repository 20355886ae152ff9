// Published documents as a part of the server.
import { projectRecord } from '../../projects/record.ts';
import { shelfOf } from '../docs/shelf.ts';
import { part } from '../part.ts';
import { publicDocs } from './contract.ts';
import { publicDocsService } from './service.ts';

export const publicDocsPart = part({
  records: [],
  contracts: [publicDocs],
  serve: (deps) => [publicDocsService({ ...shelfOf(deps), projects: deps.db.collection(projectRecord.spec) })],
  samples: [],
});
