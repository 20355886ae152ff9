// An agent of Mastra that keeps its threads in libsql, behind node:http; runs in a folder where its packages are installed.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import { z } from 'zod';

const progress = createTool({
  id: 'run_progress',
  description: 'Say what has been done so far.',
  inputSchema: z.object({ summary: z.string() }),
  execute: async () => ({ ok: true }),
});
const agent = new Agent({
  id: 'worker',
  name: 'worker',
  instructions: 'You work in steps.',
  model: { id: 'fake/fake-model', url: process.env.OPENAI_BASE_URL, apiKey: 'none' },
  tools: { run_progress: progress },
  memory: new Memory({ storage: new LibSQLStore({ id: 'store', url: `file:${process.env.STORE}` }) }),
});

const http = createServer(async (_request, response) => {
  try {
    const memory = { thread: randomUUID(), resource: 'bench' };
    const { text } = await agent.generate('Work in steps.', { maxSteps: 10, memory });
    response.end(JSON.stringify({ text }));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
// The load keeps its connections; closing an idle one would cost it a request.
http.keepAliveTimeout = 600_000;
http.listen(Number(process.env.PORT), '127.0.0.1');
