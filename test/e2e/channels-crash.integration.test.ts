// A kill loses nothing that a channel sends.
import { expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { startChannelService, whsec } from '../support/channel-service.ts';
import { createChildServer } from '../support/child-server.ts';

const patience = { timeout: 20_000, interval: 20 };

it('a server that is killed between an attempt and its answer says so, and sends it again under its id', async () => {
  const service = await startChannelService();
  const child = await createChildServer();
  try {
    await child.start();
    const client = () => createClient({ baseUrl: child.baseUrl, token: child.key }).channels;
    service.hold('/killed');
    const body = {
      name: 'killed',
      kind: 'Webhook',
      direction: 'Both',
      url: `${service.at}/killed`,
      secret: whsec,
    } as const;
    const { id } = await client().create({ body });
    await client().send({ params: { id }, body: { text: 'Hello' } });
    await expect.poll(() => service.of('/killed').length, patience).toBe(1);
    await child.kill();
    await child.start();
    await expect.poll(() => service.of('/killed').length, patience).toBe(2);
    const [one, two] = service.of('/killed');
    expect(two?.headers['webhook-id']).toBe(one?.headers['webhook-id']);
    const list = async () => (await client().listDeliveries({ params: { id }, query: {} })).items;
    await expect.poll(async () => (await list()).map(({ status }) => status), patience).toEqual(['Delivered']);
    expect(await list()).toMatchObject([{ error: expect.stringMatching(/may have arrived more than once/) }]);
  } finally {
    await child.close();
    await service.close();
  }
});
