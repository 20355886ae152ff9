// The power of a server's machine cut at random moments: what it acknowledged is on the disk, and it goes on.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDrivers } from '../../sandbox/testing/drivers.ts';
import { draftEnding } from '../../sandbox/workspace/fetch.ts';
import { createClient } from '../../src/client/index.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';
import { losableDisk } from '../support/losable-disk.ts';
import {
  environmentOf,
  type FakeReply,
  type FakeServer,
  type SeenRequest,
  startFakeServer,
} from '../support/openai-server.ts';
import { untilAllMoved, untilAtRest } from '../support/runs-at-work.ts';
import { randomOf, seed } from '../support/seed.ts';

const [driver] = await testDrivers(['bwrap']);
const disk = driver ? losableDisk(400) : null;
const cuts = 4;
/** Turns of a run: each writes a file itself, and another one by a command. */
const turns = 15;
let model: FakeServer;
let server: ChildServer;

const written = (turn: number) => ({ path: `written-${turn}.txt`, content: `Turn ${turn} wrote this.\n` });
const printed = (turn: number) => ({ path: `printed-${turn}.txt`, content: `Turn ${turn} printed this.\n` });

/** What a run says next follows from how many tool answers it shows, whatever was cut before. */
function reply({ body }: SeenRequest): FakeReply {
  const turn = body.messages.filter(({ role }: { role: string }) => role === 'tool').length / 2;
  if (turn >= turns) return { text: ['All written.'] };
  const call = (name: string, words: object) => ({ id: `${name}-${turn}`, name, arguments: [JSON.stringify(words)] });
  const command = `echo 'Turn ${turn} printed this.' > ${printed(turn).path}`;
  return { toolCalls: [call('file_write', written(turn)), call('shell_exec', { command })], frameDelayMs: 2 };
}

const api = () => createClient({ baseUrl: server.baseUrl, token: server.key });

async function cutPower(): Promise<void> {
  disk!.cut();
  await server.kill();
  disk!.restore();
  await server.start();
}

beforeAll(async () => {
  model = await startFakeServer();
  model.otherwise = reply;
  if (!disk) return;
  const folder = join(disk.folder, 'data');
  server = await createChildServer({ ...environmentOf(model), RIVULET_DATA: folder, RIVULET_SANDBOX: 'bwrap' });
  await server.start();
});
afterAll(async () => {
  await server?.close();
  await model.close();
  disk?.remove();
});

it.skipIf(!disk)(`keeps what it acknowledged through ${cuts} power cuts (seed ${seed})`, async () => {
  // The first one comes as soon as the server is there: its secret was made a moment ago.
  await cutPower();
  const next = randomOf(seed);
  const runs: number[] = [];
  const notes: string[] = [];
  for (let cut = 0; cut < cuts; cut++) {
    const { id } = await api().agentRuns.create({ body: { goal: `Write it all, ${cut}.`, maxIterations: turns + 20 } });
    runs.push(id);
    await api().agentRuns.start({ params: { id } });
    const until = performance.now() + 300 + next() * 3000;
    while (performance.now() < until) {
      const content = `note ${notes.length}`;
      await api().agentNotes.create({ params: { runId: id }, body: { content } });
      notes.push(content);
    }
    if (cut % 2 === 1) await untilAllMoved(api(), runs);
    await cutPower();
  }
  const kept: string[] = [];
  for (const id of runs) {
    const { status, failureReason } = await untilAtRest(api(), id);
    expect([id, status, failureReason]).toEqual([id, 'Completed', null]);
    const completed = await api().agentRuns.events({
      params: { runId: id },
      query: { types: ['ToolCallCompleted'], limit: 1000 },
    });
    for (const { toolName, toolCallId } of completed) {
      const turn = Number(toolCallId?.split('-').at(-1));
      const { path, content } = toolName === 'file_write' ? written(turn) : printed(turn);
      const { text } = await api().agentRunFiles.read({ params: { runId: id }, query: { path } });
      expect([id, path, text]).toEqual([id, path, content]);
    }
    for (let page = 1, pages = 1; page <= pages; page++) {
      const found = await api().agentNotes.list({ params: { runId: id }, query: { page, pageSize: 200 } });
      kept.push(...found.items.map(({ content }) => content));
      pages = Math.ceil(found.totalCount / 200);
    }
  }
  expect(notes.filter((note) => !kept.includes(note))).toEqual([]);
  const stores = join(disk!.folder, 'data/sandbox/workspaces/stores');
  // A store that was in the making when the power went lies beside its place, until the server clears it away.
  const whole = readdirSync(stores).filter((name) => !name.endsWith(draftEnding));
  expect(whole.sort()).toEqual(runs.map((id) => `tree-${id}.git`).sort());
  for (const store of whole) execFileSync('git', [`--git-dir=${join(stores, store)}`, 'fsck', '--strict']);
});
