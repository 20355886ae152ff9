// A run that asks a person before it goes on; the person is this program.
import { join } from 'node:path';
import { withServer } from '../own-server.ts';

/** The answer may be given on the command line; otherwise what the run recommends. */
const wanted = process.argv[2];

await withServer(join(import.meta.dirname, 'scenarios'), async (client) => {
  const questions = client.stream('escalations', { cursor: '0' });
  const run = await client.agentRuns.create({
    body: { goal: 'Send the newsletter', modelId: 'scripted:newsletter', autoStart: true },
  });
  for await (const event of questions) {
    if (event.type !== 'escalation.raised' || event.data.runId !== run.id) continue;
    const { id, situation, optionsJson, supervisorRecommendation, confidence } = event.data;
    console.log(`${situation}\n  options: ${JSON.parse(optionsJson ?? '[]').join(', ')}`);
    console.log(`  recommended: ${supervisorRecommendation} (${Math.round(confidence * 100)} % sure)`);
    const decision = wanted ?? supervisorRecommendation ?? 'Send it';
    const body = { decision, decisionNotes: 'Decided by the example.' };
    await client.agentEscalations.resolve({ params: { id }, body });
    console.log(`  decided: ${decision}`);
    const late = await client.agentEscalations.resolve({ params: { id }, body }).catch((error: Error) => error.message);
    console.log(`  a second decision: ${late}`);
    break;
  }
  questions.close();
  const ended = await client.agentRuns.wait({ params: { id: run.id }, query: { timeoutMs: 30_000 } });
  console.log(`\n${ended.status}: ${ended.progressSummary}`);
});
