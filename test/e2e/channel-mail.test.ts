// A channel of mails whose server takes none: the channel tells that it failed, and the operator's log why.
import { expect, it, onTestFinished } from 'vitest';
import { keptLog } from '../support/kept-log.ts';
import { startTestServer } from '../support/test-server.ts';

it('a mail that was not taken is in the log of the operator with its cause', async () => {
  const kept = keptLog('warn');
  const server = await startTestServer({ RIVULET_SMTP_URL: 'smtp://127.0.0.1:9' }, kept);
  onTestFinished(() => server.close());
  const { channels } = server.client;
  const body = {
    name: 'Post',
    kind: 'Email' as const,
    targetAddress: 'ada@example.com',
    direction: 'Outbound' as const,
  };
  const { id } = await channels.create({ body });
  await channels.send({ params: { id }, body: { text: 'Hello' } });
  const delivery = async () => (await channels.listDeliveries({ params: { id }, query: {} })).items[0];
  await expect.poll(async () => (await delivery())?.error).toBe('The mail could not be handed over.');
  const lines = kept.printed.map((line) => JSON.parse(line));
  expect(lines.filter(({ channel }) => channel === id)).toContainEqual(
    expect.objectContaining({
      level: 40,
      err: expect.objectContaining({ message: expect.stringContaining('ECONNREFUSED') }),
    }),
  );
});
