// An agent of Mastra behind node:http; runs in a folder where `@mastra/core` is installed.
import { createServer } from 'node:http';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

const progress = createTool({
  id: 'run_progress',
  description: 'Say what has been done so far.',
  inputSchema: z.object({ summary: z.string() }),
  execute: async () => ({ ok: true }),
});
const agent = new Agent({
  name: 'worker',
  instructions: 'You work in steps.',
  model: { id: 'fake/fake-model', url: process.env.OPENAI_BASE_URL, apiKey: 'none' },
  tools: { run_progress: progress },
});

const http = createServer(async (_request, response) => {
  try {
    const { text } = await agent.generate('Work in steps.', { maxSteps: 10 });
    response.end(JSON.stringify({ text }));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
// The load keeps its connections; closing an idle one would cost it a request.
http.keepAliveTimeout = 600_000;
http.listen(Number(process.env.PORT), '127.0.0.1');
