// Work on data as a whole: by itself at its times, or when somebody asks for it.
import { MaintenanceTask } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { boolean, fields, int32, int64, string } from '../../contract/types.ts';
import { MaintenanceRunDto, MaintenanceStatusDto } from './dto.ts';

export const maintenance = group(
  'System',
  { id: 'Maintenance', base: '/api/system/maintenance', doc: 'Work on data as a whole.' },
  {
    status: op.get('', {
      doc: 'Show maintenance mode, the schedules and the last 50 jobs, the newest first.',
      needs: 'SystemRead',
      data: MaintenanceStatusDto,
    }),
    start: op.post('', {
      doc: 'Start a maintenance job, or switch maintenance mode. One that ends within seconds is answered with its result, others as they are by then: follow them on the topic system. One of a kind is done at a time; one that a crash cut short is taken up again. Jobs about the whole server are the operator’s, whose tenant is the first.',
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
    }),
  },
);
