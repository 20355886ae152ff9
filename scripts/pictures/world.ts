// A server with something to look at: real runs, chats, keys, routes and budgets, made by models that follow scripts.
import { setTimeout as wait } from 'node:timers/promises';
import { type Client, createClient, readSse } from '../../src/client/index.ts';
import { createChildServer } from '../../test/support/child-server.ts';
import { startFakeServer } from '../../test/support/openai-server.ts';

export interface World {
  baseUrl: string;
  key: string;
  /** The run whose tree shows everything. */
  runId: number;
  chatId: number;
  close(): Promise<void>;
}

/** Polls until `look` answers something else than null or false. */
async function until<T>(what: string, look: () => Promise<T | null | false>): Promise<T> {
  for (let tries = 0; tries < 600; tries++) {
    const found = await look();
    if (found !== null && found !== false) return found;
    await wait(200);
  }
  throw new Error(`${what} did not come`);
}

/** Besides those that every server has. */
const roles = [
  ['lead', 'Lead', 'You split {{goal}} into parts, give each to whoever does it best, and answer for the whole.'],
  ['engineer', 'Engineer', 'You change as little as reaches {{goal}}, and show that it works.'],
  ['analyst', 'Analyst', 'You answer {{goal}} with numbers, and say where they come from.'],
  ['writer', 'Writer', 'You write {{goal}} for people who are in a hurry.'],
] as const;

async function setUp(client: Client) {
  for (const [order, [name, displayName, template]] of roles.entries())
    await client.agentRoles.create({
      body: { name, displayName, description: '', systemPromptTemplate: template, sortOrder: order },
    });
  const nothing = { blockedTools: [], discoveryEnabled: true };
  const release = { name: 'Release', role: 'release', description: 'May read freely; what others see needs a yes.' };
  await client.agentToolProfiles.create({
    body: { ...release, ...nothing, safeTools: ['file_read'], optInTools: ['task_create'], sandboxedTools: [] },
  });
  const { id: identityId } = await client.identities.create({
    body: { name: 'nightly', displayName: 'Nightly', type: 'AI', bio: 'Looks after builds while everybody sleeps.' },
  });
  for (const name of ['build farm', 'laptop'])
    await client.identityKeys.create({ params: { identityId }, body: { name } });
}

const prices = { inputPricePerMTok: 0.25, cachedInputPricePerMTok: 0.025, outputPricePerMTok: 2 };

/** A provider that answers by HTTP, with priced models, routes, budgets and calls. */
async function setUpModels(client: Client, baseUrl: string) {
  const { id: providerId } = await client.aiProviders.create({
    body: { name: 'workshop', kind: 'OpenAiCompatible', baseUrl, apiKey: 'sk-workshop-4242' },
  });
  const add = (name: string, factor: number) =>
    client.aiModels.create({
      body: {
        providerId,
        modelId: `workshop:${name}`,
        providerModelName: name,
        contextWindow: 131_072,
        inputPricePerMTok: prices.inputPricePerMTok * factor,
        outputPricePerMTok: prices.outputPricePerMTok * factor,
      },
    });
  const [small, large] = [await add('small', 1), await add('large', 6)];
  const targets = [large, small].map(({ id }, index) => ({ aiModelId: id, priority: index + 1, weight: 1 }));
  await client.aiRoutes.create({
    body: {
      name: 'Careful',
      description: 'The large one, or the small one when it is down.',
      policy: 'Priority',
      targets,
      matchRoles: ['reviewer'],
    },
  });
  await client.aiRoutes.create({
    body: { name: 'Cheap', description: 'Whatever costs least.', policy: 'LowestCost', targets, isDefault: true },
  });
  const budget = { period: 'Month' as const, warnAtPercent: 80 };
  await client.aiBudgets.create({
    body: { ...budget, name: 'All of it', scope: 'Tenant', limitUsd: 1, action: 'Notify' },
  });
  await client.aiBudgets.create({
    body: {
      ...budget,
      name: 'The large model',
      scope: 'Model',
      scopeKey: large.modelId,
      limitUsd: 0.04,
      action: 'Block',
    },
  });
  for (let call = 0; call < 14; call++)
    await client.aiPlayground.chat({
      body: {
        modelId: call % 3 === 0 ? large.modelId : small.modelId,
        messages: [{ role: 'user', content: 'Sum up the week.' }],
      },
    });
}

type Draft = NonNullable<NonNullable<Parameters<Client['agentRuns']['create']>[0]>['body']>;
const start = (client: Client, goal: string, role: string, scenario: string, more: Partial<Draft> = {}) =>
  client.agentRuns.create({ body: { goal, role, modelId: `scripted:${scenario}`, autoStart: true, ...more } });

/** Runs in each state. */
async function otherRuns(client: Client) {
  await start(client, 'Translate the onboarding mails into German and French', 'writer', 'done', { autoStart: false });
  await start(client, 'Draft the release notes of 2.4 from merged changes', 'writer', 'stuck');
  await start(client, 'Sort open issues by what they have in common', 'analyst', 'done');
  await start(client, 'Find out who is on call this weekend', 'analyst', 'done');
  await start(client, 'Compare three vector stores on our data and recommend one', 'analyst', 'steady', {
    maxIterations: 2,
  });
  await start(client, 'Publish release 2.4', 'release', 'release');
  await start(client, 'Summarise this week’s support tickets by cause, with numbers', 'analyst', 'steady');
  const paused = await start(client, 'Review the payment module for races', 'reviewer', 'steady');
  const cancelled = await start(client, 'Check every link in the documentation', 'engineer', 'steady');
  await wait(3000);
  await client.agentRuns.pause({ params: { id: paused.id }, body: {} });
  await client.agentRuns.cancel({ params: { id: cancelled.id }, body: {} });
}

/** The run with everything: its server is lost in the middle and comes back. */
async function leadRun(client: Client, restart: () => Promise<void>): Promise<number> {
  const { id: workspaceId } = await client.workspaces.create({ body: { name: 'Nightly build' } });
  const text = `# Each job begins with an empty cache.
cache:
  key: deps-$DATE
  paths: [node_modules]

jobs:
  install:
    run: npm ci
  build:
    needs: install
    run: npm run build
  test:
    needs: build
    run: npm test
`;
  await client.workspaces.write({ params: { id: workspaceId }, body: { path: '.ci/pipeline.yml', text } });
  const limits = {
    workspaceId,
    maxIterations: 50,
    maxTokens: 500_000,
    poolTokenBudget: 2_000_000,
    poolIterationBudget: 500,
  };
  const run = await start(client, 'Make the nightly build twice as fast and show that it is', 'lead', 'lead', limits);
  await until(
    'two children',
    async () => (await client.agentRuns.children({ params: { id: run.id } })).totalCount >= 2,
  );
  await wait(500);
  await restart();
  await until('the question', async () => {
    const { items } = await client.agentEscalations.list({ query: { runId: run.id, openOnly: true } });
    return items.length > 0;
  });
  await client.agentRuns.checkpoint({ params: { id: run.id } }).catch(() => {});
  return run.id;
}

async function chats(client: Client): Promise<number> {
  const say = async (
    sessionId: number,
    message: string,
    attachments: { kind: 'Text'; name: string; text: string }[] = [],
  ) => {
    const stream = await client.chat.stream({ params: { sessionId }, body: { message, attachments } });
    for await (const _ of readSse(stream));
  };
  const modelId = 'scripted:guide';
  for (const title of ['Names for the new service', 'Why is the report late?', 'Mail to the landlord']) {
    const { id } = await client.chat.create({ body: { title, modelId } });
    await say(id, title);
  }
  const { id } = await client.chat.create({ body: { title: 'Resuming a stream', modelId, isPinned: true } });
  const note = {
    kind: 'Text' as const,
    name: 'note.txt',
    text: 'And what about phones, which lose the network all the time?',
  };
  await say(id, 'How does a viewer go on after its network was gone?', [note]);
  await say(id, 'How long is an event kept?');
  return id;
}

/** Boots the built server with all of this; takes about a minute. */
export async function createWorld(): Promise<World> {
  const scenarios = new URL('scenarios', import.meta.url).pathname;
  const [model, server] = await Promise.all([
    startFakeServer(),
    createChildServer({ RIVULET_SCENARIOS: scenarios, RIVULET_SANDBOX: 'auto', RIVULET_MODEL: 'scripted:guide' }),
  ]);
  const close = async () => {
    await server.close();
    await model.close();
  };
  try {
    model.models = ['small', 'large'];
    model.otherwise = () => ({ text: ['It was ', 'a quiet ', 'week.'], usage: { prompt: 1900, completion: 420 } });
    await server.start();
    const client = createClient({ baseUrl: server.baseUrl, token: server.key });
    await setUp(client);
    await otherRuns(client);
    const chatId = await chats(client);
    const runId = await leadRun(client, async () => {
      await server.kill();
      await server.start();
    });
    // After the restart, which forgets how providers have done.
    await setUpModels(client, model.baseUrl);
    return { baseUrl: server.baseUrl, key: server.key, runId, chatId, close };
  } catch (error) {
    await close();
    throw error;
  }
}
