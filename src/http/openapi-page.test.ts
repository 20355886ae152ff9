import { describe, expect, it } from 'vitest';
import type { Exchange } from './adapter.ts';
import { createOpenApiPage } from './openapi-page.ts';
import { html } from './reference/html.ts';
import { renderReference } from './reference/page.ts';
import { notes } from './testing/sample.ts';

const page = createOpenApiPage([notes], '1.2.3');

function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const sent: { status: number; headers: Record<string, string>; body: string }[] = [];
  const exchange = {
    method,
    path,
    header: (name: string) => headers[name],
    send: (status: number, list: [string, string][], body: string) =>
      sent.push({ status, headers: Object.fromEntries(list), body }),
  } as unknown as Exchange;
  return { taken: page(exchange), answer: sent[0] };
}

describe('the document and its reference', () => {
  it('serves the document, and 304 to those who have it', () => {
    const { answer } = ask('/openapi/v1.json');
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' } });
    expect(ask('/openapi/v1.json', { 'if-none-match': `"other", W/${answer?.headers.etag}` }).answer).toMatchObject({
      status: 304,
      body: '',
    });
    expect(ask('/openapi/v1.json', { 'if-none-match': '"other"' }).answer?.status).toBe(200);
  });

  it('shows every operation and schema, with anchors for all links', () => {
    const text = ask('/docs').answer?.body ?? '';
    for (const id of ['Notes_list', 'Notes_upload', 'schema-SampleNoteDto', 'schema-ErrorCode'])
      expect(text).toContain(`id="${id}"`);
    const anchors = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((id) => !anchors.has(id))).toEqual([]);
  });

  it('asks nobody else, and lets no script in but its own', () => {
    const { answer } = ask('/docs');
    const policy = answer?.headers['content-security-policy'] ?? '';
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain('unsafe');
    const files = [...(answer?.body ?? '').matchAll(/(?:src|href)="([^#"][^"]*)"/g)].map(([, url]) => url as string);
    for (const file of files) expect(ask(file).answer?.status, file).toBe(200);
    expect(answer?.body).not.toMatch(/style="|<style|<script>|https?:/);
  });

  it('leaves other paths and methods to others', () => {
    for (const path of ['/', '/docs/none', '/api/notes', '/constructor', '/__proto__'])
      expect(ask(path)).toEqual({ taken: false, answer: undefined });
    expect(ask('/docs', {}, 'POST').taken).toBe(false);
  });

  it('escapes what it shows', () => {
    expect(html`<p>${'<b>&"'}${['a', html`<i>`]}${false}</p>`.text).toBe('<p>&lt;b&gt;&amp;&quot;a<i></p>');
    const evil = '<script>alert(1)</script>';
    const text = renderReference({
      info: { title: evil, version: evil, description: evil },
      tags: [{ name: evil, description: evil }],
      paths: { [evil]: { get: { operationId: evil, tags: [evil], summary: evil, responses: {} } } },
      components: { schemas: { [evil]: { enum: [evil], description: evil } } },
    });
    expect(text).not.toContain('<script>alert');
  });
});
