// An agent whose tool somebody has to approve, and the flow in which a front end does that.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectAgent, type TestAgent } from '../support/agent.ts';
import type { ClientWorld } from './suite.ts';

const asked = { id: 'c1', name: 'weather_get', arguments: ['{"place":"Oslo"}'] };

/** `approve` of the program asks in a session, decides, and tells what it saw. */
export function approvalFlow(world: () => ClientWorld, seen: { approved: object; denied: object }): void {
  let agent: TestAgent;
  let identityId: number;
  beforeAll(async () => {
    const { client, url } = world().server;
    ({ id: identityId } = await client.identities.create({ body: { name: 'Iris' } }));
    const { rawKey } = await client.identityKeys.create({ params: { identityId }, body: { name: 'socket' } });
    agent = await connectAgent(url, rawKey);
    await agent.register();
    const body = { role: 'chat', name: 'Chats', optInTools: ['weather_*'], discoveryEnabled: true };
    await client.agentToolProfiles.create({ body });
  });
  afterAll(() => agent?.cut());

  it.each(['approved', 'denied'] as const)('an approval is %s', async (decision) => {
    const { model, server, program } = world();
    const body = { title: 'x', identityId, enabledTools: ['weather_get'] };
    const { id } = await server.client.chat.create({ body });
    const isApproved = decision === 'approved';
    model.reply({ toolCalls: [asked] }, { text: ['Rain.'] });
    program.begin('approve', { id: String(id), approved: isApproved });
    if (isApproved) agent.answer((await agent.called()).id, 'rain');
    expect(await program.next()).toEqual(seen[decision]);
    expect(model.requests[1]?.body.messages.at(-1)).toMatchObject({ role: 'tool' });
  });
}
