// Starts a run and prints its answer as it is written: node follow-run.mjs "Say hello"
import { ApiError, createClient } from 'rivulet-client';

const client = createClient({ baseUrl: process.env.RIVULET_URL, token: process.env.RIVULET_KEY });
try {
  const goal = process.argv[2] ?? 'Say hello';
  const run = await client.agentRuns.create({ body: { goal, modelId: process.env.RIVULET_MODEL } });
  // From the oldest event: nothing is missed, whenever the run starts. A lost connection is resumed.
  const stream = client.stream(`run:${run.id}`, { cursor: '0' });
  await client.agentRuns.start({ params: { id: run.id } });
  for await (const event of stream) {
    if (event.type === 'run.delta' && event.data.kind === 'Content') process.stdout.write(event.data.delta);
    if (event.type === 'run.ended') console.log(`\n${event.data.status}`);
  }
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  console.error(`${error.code}: ${error.message} ${error.hint ?? ''}`);
  process.exitCode = 1;
}
