// A run that lets three models argue and vote before it decides.
import { join } from 'node:path';
import { withServer } from '../own-server.ts';

await withServer(join(import.meta.dirname, 'scenarios'), async (client) => {
  const run = await client.agentRuns.create({
    body: { goal: 'Choose a database', modelId: 'scripted:chair', autoStart: true },
  });
  for await (const event of client.stream(`run:${run.id}`, { cursor: '0' })) {
    if (event.type === 'council.statement') {
      const { round, kind, participantName, content } = event.data;
      console.log(`round ${round}, ${kind} of ${participantName}: ${content.replaceAll('\n', ' ')}`);
    }
    if (event.type === 'run.ended') break;
  }
  const { items } = await client.agentCouncils.list({ params: { runId: run.id } });
  for (const council of items) {
    const outcome = JSON.parse(council.consensusJson ?? '{}');
    console.log(`\n${council.status}: ${outcome.decision}`);
    for (const one of outcome.dissent) console.log(`dissent of ${one.participant}: ${one.vote}`);
  }
  const ended = await client.agentRuns.get({ params: { id: run.id } });
  console.log(`\n${ended.progressSummary}`);
});
