// An agent outside of the server offers a tool; a run calls it; the agent's connection is lost in the middle of the call.
import { join } from 'node:path';
import { withServer } from '../own-server.ts';
import { serveTools } from './agent.ts';

await withServer(join(import.meta.dirname, 'scenarios'), async (client, { url }) => {
  const identity = await client.identities.create({ body: { name: 'Harbour master' } });
  const { rawKey } = await client.identityKeys.create({
    params: { identityId: identity.id },
    body: { name: 'agent', scopes: ['RunsWrite'] },
  });

  const agent = serveTools({
    url,
    key: rawKey,
    tools: {
      berth_find: {
        description: 'Finds a free berth for a ship of some length, in metres.',
        inputSchema: { type: 'object', properties: { length: { type: 'number' } }, required: ['length'] },
        async handle({ length }, { runId }) {
          agent.report(runId, `looking for ${length} metres`);
          console.log('  the agent looks, and loses its connection');
          setTimeout(agent.lose, 100);
          await new Promise((found) => setTimeout(found, 600));
          return JSON.stringify({ berth: 'B7', length });
        },
      },
    },
  });
  await agent.ready;
  for await (const event of client.stream(`identity:${identity.id}`, { cursor: '0' })) {
    if (event.type !== 'presence.changed') continue;
    console.log(`${identity.name} is ${event.data.presenceState} and offers berth_find`);
    break;
  }

  const run = await client.agentRuns.create({
    body: { goal: 'Find a berth', identityId: identity.id, modelId: 'scripted:ship', autoStart: true },
  });
  for await (const event of client.stream(`run:${run.id}`, { cursor: '0' })) {
    if (event.type === 'run.event' && event.data.type === 'ProgressUpdated')
      console.log(`  progress: ${event.data.message}`);
    if (event.type === 'run.event' && event.data.type.startsWith('ToolCall'))
      console.log(`  ${event.data.type}: ${event.data.toolName} ${event.data.message ?? ''}`);
    if (event.type === 'run.ended') console.log(`${event.data.status}: ${event.data.progressSummary}`);
    if (event.type === 'run.ended') break;
  }
  agent.stop();
});
