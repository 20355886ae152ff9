// A run that has three children work for it, watched as one tree.
import { join } from 'node:path';
import { withServer } from '../own-server.ts';

await withServer(join(import.meta.dirname, 'scenarios'), async (client) => {
  const root = await client.agentRuns.create({
    body: { goal: 'Plan a trip to the sea', modelId: 'scripted:planner', autoStart: true, poolTokenBudget: 200_000 },
  });
  for await (const event of client.stream(`run-tree:${root.id}`, { cursor: '0' })) {
    if (event.type === 'run.event' && ['ChildSpawned', 'ChildCompleted', 'RunCompleted'].includes(event.data.type))
      console.log(
        `run ${event.data.runId}: ${event.data.title}${event.data.message ? ` (${event.data.message})` : ''}`,
      );
    if (event.type === 'tree.quiesced') break;
  }
  const run = await client.agentRuns.get({ params: { id: root.id } });
  console.log(`\n${run.progressSummary}`);
  console.log(
    `\n${run.childRunCount} children, ${run.totalTokensWithChildren} tokens of ${run.poolTokenBudget} in the pool`,
  );
});
