// Work on a tenant's data as a whole that somebody asks for.
import { MaintenanceTask } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { boolean, fields, int32, int64, string } from '../../contract/types.ts';
import { MaintenanceRunDto } from './dto.ts';

export const maintenance = group(
  'System',
  { id: 'Maintenance', base: '/api/system/maintenance', doc: 'Work on data as a whole.' },
  {
    start: op.post('', {
      doc: 'Do a maintenance job: VerifyAuditChain checks the chain of the audit log from its first entry to its last, and says where it is broken; ReindexEmbeddings makes the indexes of memories and the like agree with the documents. Others are not there yet.',
      needs: 'SystemWrite',
      body: fields({
        task: MaintenanceTask,
        message: string.max(2000).nullish(),
        dryRun: boolean.nullish(),
        olderThanDays: int32.min(0).nullish(),
        identityId: int64.nullish(),
      }),
      data: MaintenanceRunDto,
      idempotent: false,
      timeoutMs: 600_000,
    }),
  },
);
