// Which address a client is said to have, and how many addresses are one client, where a server listens on IPv6.
import { io } from 'socket.io-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { request, startTestServer, transports } from '../support/test-server.ts';

describe.each(transports)('on %s, listening on ::', (transport) => {
  it('connections by IPv4 have their IPv4 address, those by IPv6 their own, on every kind of socket', async () => {
    const server = await startTestServer({ RIVULET_TRANSPORT: transport, RIVULET_HOST: '::' });
    onTestFinished(() => server.close());
    const { port } = new URL(server.url);
    const close: (() => void)[] = [];
    onTestFinished(() => {
      for (const one of close) one();
    });
    const seen = async (host: string) => {
      const headers = { authorization: `Bearer ${server.key}` };
      const plain = new WebSocket(`ws://${host}:${port}/api/ws`, { headers });
      await new Promise((opened) => plain.once('open', opened));
      close.push(() => plain.close());
      for (const way of ['polling', 'websocket']) {
        const socket = io(`http://${host}:${port}`, { transports: [way], auth: { token: server.key } });
        await new Promise<void>((opened) => socket.once('connect', opened));
        close.push(() => socket.close());
      }
      const { body } = await server.call('GET', '/api/ws/connections');
      return (body.data.items as { remoteIp: string }[]).map(({ remoteIp }) => remoteIp);
    };
    expect(await seen('127.0.0.1')).toEqual(['127.0.0.1', '127.0.0.1', '127.0.0.1']);
    expect((await seen('[::1]')).toSorted()).toEqual([...Array(3).fill('127.0.0.1'), ...Array(3).fill('::1')]);
  });
});

it('who has a whole /64 guesses no more keys than who has one address', async () => {
  const server = await startTestServer({ RIVULET_TRUSTED_PROXIES: '127.0.0.1' });
  onTestFinished(() => server.close());
  const guess = (from: string) =>
    request(server.url, 'GET', '/api/auth/me', undefined, {
      authorization: 'Bearer rvt_guessed-0123456789012345678901',
      'x-forwarded-for': from,
    });
  const last = async (address: (at: number) => string) => {
    let status = 0;
    for (let at = 1; at <= 60; at++) status = (await guess(address(at))).status;
    return status;
  };
  expect(await last(() => '203.0.113.9')).toBe(429);
  expect(await last((at) => `2001:db8:0:1:${at}::9`)).toBe(429);
  expect((await guess('2001:db8:0:2::9')).status).toBe(401);
});
