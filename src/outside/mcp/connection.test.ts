import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { connectMcp, failureOf, statusAfter } from './connection.ts';
import { definitionsOf, digestOf, textOf } from './definitions.ts';
import { readResult } from './results.ts';

describe('a connection', () => {
  const programs = { start: () => Promise.reject(new Error('there are none')) };
  const target = { url: new URL('http://hosted.test/mcp?key=planted'), kind: 'StreamableHttp' as const, headers: {} };

  it('waits no longer than it was told for a server that hangs', async () => {
    const hanging = (_: unknown, init?: RequestInit) =>
      new Promise<Response>((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
    const fault = await connectMcp({ fetch: hanging, programs, clock: systemClock }, target, { stepMs: 20 }).catch(
      (error) => error,
    );
    expect(fault).toMatchObject({ code: 'CONNECTOR_TIMEOUT', message: 'hosted.test did not answer in time.' });
    expect(statusAfter(fault)).toBe('Failed');
  });

  it('says of a server that wants other credentials that it does, and nothing of the address but its host', async () => {
    const fault = await connectMcp(
      { fetch: async () => new Response(null, { status: 401 }), programs, clock: systemClock },
      target,
    ).catch((error) => error);
    expect(statusAfter(fault)).toBe('AuthRequired');
    expect(fault.message).not.toContain('planted');
    expect(failureOf(new Error('odd\n  answer'), 'h').message).toBe('h answered against the protocol: odd answer.');
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const wrapped = new SdkError(SdkErrorCode.EraNegotiationFailed, 'probe failed', {
      cause: new TypeError('fetch failed', { cause: refused }),
    });
    expect(failureOf(wrapped, 'h').message).toBe('h could not be reached: ECONNREFUSED.');
    const cut = new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed');
    expect(failureOf(cut, 'h')).toMatchObject({
      code: 'CONNECTOR_ERROR',
      message: 'h ended the connection before it had answered.',
    });
  });
});

describe('a definition', () => {
  const tool = { name: 'a', description: 'd', inputSchema: { type: 'object', properties: { x: {}, y: {} } } };
  const digest = (...tools: Parameters<typeof definitionsOf>[0]) =>
    definitionsOf(tools).map((one) => digestOf(textOf(one)));

  it('has one digest whatever the order of its fields, another for any change', () => {
    const [same] = digest(tool);
    expect(
      digest({ inputSchema: { properties: { y: {}, x: {} }, type: 'object' }, description: 'd', name: 'a' }),
    ).toEqual([same]);
    expect(digest({ ...tool, description: 'd ' })).not.toEqual([same]);
    expect(digest({ ...tool, annotations: { readOnlyHint: true } })).not.toEqual([same]);
    expect(
      digest({ ...tool, inputSchema: { type: 'object', properties: { x: {}, y: { type: 'string' } } } }),
    ).not.toEqual([same]);
  });
});

describe('a result', () => {
  it('is read as text, with words for what is none', () => {
    const resource = { type: 'resource' as const, resource: { uri: 'a://b', text: 'inside' } };
    const image = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' };
    expect(readResult({ content: [{ type: 'text', text: 'one' }, resource, image] })).toEqual({
      content: 'one\n\ninside\n\n[image/png, about 3 bytes, not shown]',
      isError: false,
    });
    expect(readResult({ content: [], structuredContent: { a: 1 } }).content).toBe('{"a":1}');
    expect(readResult({ content: [{ type: 'text', text: 'x'.repeat(300_000) }] }).content.length).toBeLessThan(201_000);
  });
});
