// The Python library that trainers load their files by, and TRL's own reading of them, on the files of a dataset.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { type Program, startProgram } from './program.ts';
import { commandOf, describeInstalled } from './suite.ts';

const client = { name: 'datasets', set: 'python-datasets', package: 'datasets', program: 'datasets_load.py' };
const assistant = (content: string) => [{ role: 'assistant', content }];
const hostile = 'says "yes",\r\n\u2028=1+1 and leaves 🌊';

describeInstalled(client, (folder) => {
  let server: TestServer;
  let program: Program;
  let own: string;
  let id: number;
  beforeAll(async () => {
    own = await mkdtemp(join(tmpdir(), 'rivulet-datasets-'));
    server = await startTestServer();
    const api = server.client;
    const params = { identityId: (await api.identities.create({ body: { name: 'Ada', type: 'AI' } })).id };
    const pairs = [
      {
        systemPrompt: 'Be brief.',
        userPrompt: 'What is it?',
        chosenResponse: 'A heron.',
        rejectedResponse: 'Whatever.',
      },
      { userPrompt: hostile, chosenResponse: `No: ${hostile}`, rejectedResponse: '' },
    ];
    const pairIds: number[] = [];
    for (const body of pairs) pairIds.push((await api.trainingPairs.create({ params, body })).id);
    await api.trainingPairs.approve({ body: { pairIds, acceptFlags: true } });
    ({ id } = await api.datasets.create({ params, body: { name: 'Candour', primaryObjective: 'Honesty' } }));
    await api.datasets.populate({ params: { id }, body: { pairIds } });
    const [command = '', ...args] = await commandOf(client, folder);
    program = await startProgram(command, args, { HF_HUB_OFFLINE: '1', HF_HOME: own });
  });
  afterAll(async () => {
    program?.stop();
    await server?.close();
    await rm(own, { recursive: true, force: true });
  });

  const load = async (query: string, name: string) => {
    const answer = await fetch(`${server.url}/api/datasets/${id}/export?${query}`, {
      headers: { authorization: `Bearer ${server.key}` },
    });
    const file = join(own, name);
    await writeFile(file, Buffer.from(await answer.arrayBuffer()));
    return program.do('load', { file });
  };
  const asked = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'What is it?' },
  ];

  it.each(['Jsonl', 'Sft'])('loads conversations of %s', async (format) => {
    const { columns, rows, trl } = await load(`format=${format}`, `${format}.jsonl`);
    expect(trl).toMatchObject({
      conversational: true,
      templated: [{ text: '<system>Be brief.<user>What is it?<assistant>A heron.' }, {}],
    });
    expect(columns).toEqual(['messages']);
    expect(rows[0].messages).toEqual([...asked, ...assistant('A heron.')]);
    expect(rows[1].messages).toEqual([{ role: 'user', content: hostile }, ...assistant(`No: ${hostile}`)]);
  });

  it("loads preferences in TRL's columns", async () => {
    const { columns, rows, trl } = await load('format=Dpo', 'dpo.jsonl');
    expect(trl).toEqual({
      conversational: true,
      templated: [
        { prompt: '<system>Be brief.<user>What is it?<assistant>', chosen: 'A heron.', rejected: 'Whatever.' },
      ],
      unpaired: ['prompt', 'completion', 'label'],
    });
    expect(columns).toEqual(['prompt', 'chosen', 'rejected']);
    expect(rows).toEqual([{ prompt: asked, chosen: assistant('A heron.'), rejected: assistant('Whatever.') }]);
  });

  it("loads unpaired preferences in TRL's columns", async () => {
    const { columns, rows, trl } = await load('format=Dpo&flavour=Kto', 'kto.jsonl');
    expect(trl.templated[0]).toMatchObject({ completion: 'A heron.', label: true });
    expect(columns).toEqual(['prompt', 'completion', 'label']);
    expect(rows.map(({ label }: { label: boolean }) => label)).toEqual([true, false, true]);
  });

  it("loads OpenAI's preferences", async () => {
    const { columns, rows } = await load('format=Dpo&flavour=OpenAi', 'openai.jsonl');
    expect(columns).toEqual(['input', 'preferred_output', 'non_preferred_output']);
    expect(rows).toHaveLength(1);
  });

  it('loads CSV', async () => {
    const { columns, rows } = await load('format=Csv', 'all.csv');
    expect(columns).toContain('chosen_response');
    expect(rows.map((row: Record<string, string>) => row.user_prompt)).toEqual(['What is it?', hostile]);
  });
});
