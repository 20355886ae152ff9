// Tasks of a run: what it has planned, and how far that is.
import { TaskStatus } from '../../../contract/enums.ts';
import { group, op } from '../../../contract/operation.ts';
import { listQuery, page } from '../../../contract/page.ts';
import { fields, int32, int64, string } from '../../../contract/types.ts';
import { AgentTaskDto } from '../dto.ts';

const title = string.trim().min(1).max(500);
const description = string.max(32_000).nullish();

export const agentTasks = group(
  'Agent',
  { id: 'AgentTasks', base: '/api/agent', doc: 'Tasks of runs.' },
  {
    list: op.get('/runs/{runId}/tasks', {
      doc: 'List the tasks of a run in their own order.',
      needs: 'RunsRead',
      query: listQuery(['sortOrder', 'createdAtUtc', 'title', 'status', 'id'], { status: TaskStatus.optional() }),
      data: page(AgentTaskDto),
    }),
    create: op.post('/runs/{runId}/tasks', {
      doc: 'Add a task to a run; it is Todo unless it says otherwise, and last in order.',
      needs: 'RunsWrite',
      body: fields({
        title,
        description,
        status: TaskStatus.nullish(),
        projectTaskId: int64.nullish(),
        sortOrder: int32.nullish(),
      }),
      data: AgentTaskDto,
    }),
    patch: op.patch('/tasks/{id}', {
      doc: 'Change a task or move it to another status.',
      needs: 'RunsWrite',
      body: fields({
        title: title.optional(),
        description,
        status: TaskStatus.optional(),
        projectTaskId: int64.nullish(),
        sortOrder: int32.optional(),
      }),
      data: AgentTaskDto,
    }),
  },
);
