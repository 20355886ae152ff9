import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Exchange } from '../adapter.ts';
import { createDashboardPages } from './dashboard.ts';

const root = mkdtempSync(join(tmpdir(), 'dashboard-'));
const folder = join(root, 'dist', 'web');
beforeAll(() => {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>x</title>');
  writeFileSync(join(folder, 'embed.html'), '<!doctype html><title>frame</title>');
  writeFileSync(join(folder, 'artifact.html'), '<!doctype html><title>artifact</title>');
  writeFileSync(join(folder, 'assets', 'a-1.js'), 'export {}');
  writeFileSync(join(folder, 'assets', 'b-1.js'), 'export {}');
  writeFileSync(join(folder, 'assets', 'b-1.js.br'), brotliCompressSync('packed before'));
  writeFileSync(join(folder, 'pages.json'), '["/runs","/runs/:id"]');
  writeFileSync(join(root, 'dist', 'secret.txt'), 'secret');
});

/** One link names a site. */
const named = '6b1f0a52-0000-4000-8000-000000000001';
const framers = async (guid: string) => (guid === named ? ['https://shop.example'] : []);

interface Asked {
  method?: string;
  headers?: Record<string, string>;
  query?: string;
  pages?: ReturnType<typeof createDashboardPages>;
}

async function ask(path: string, { method = 'GET', headers = {}, query = '', pages }: Asked = {}) {
  const sent: { status: number; headers: Record<string, string>; body: Buffer }[] = [];
  const exchange = {
    method,
    path,
    query,
    header: (name: string) => headers[name],
    send: (status: number, list: [string, string][], body: string | Uint8Array) =>
      sent.push({ status, headers: Object.fromEntries(list), body: Buffer.from(body as Uint8Array) }),
  } as unknown as Exchange;
  const taken = await (pages ?? createDashboardPages(folder, framers))(exchange);
  return { taken, answer: sent[0] };
}

describe('the dashboard’s files', () => {
  it('sends browsers to a page that they ask for by its plain path', async () => {
    const { answer } = await ask('/runs/7', { headers: { accept: 'text/html,*/*' } });
    expect(answer?.status).toBe(302);
    expect(answer?.headers.location).toBe('/#/runs/7');
  });

  it.each([
    ['a program', '/runs/7', '*/*'],
    ['a browser at an address that is no page', '/nowhere', 'text/html'],
    ['a browser below a page', '/runs/7/x', 'text/html'],
    ['a probe', '/health', '*/*'],
    ['whoever asks for the list of pages', '/pages.json', '*/*'],
  ])('is not there for %s', async (_, path, accept) => {
    expect((await ask(path, { headers: { accept } })).taken).toBe(false);
  });

  it('serves the page with a policy that forbids inline scripts', async () => {
    const { taken, answer } = await ask('/');
    expect(taken).toBe(true);
    expect(answer?.body.toString()).toContain('<title>x');
    expect(answer?.headers['cache-control']).toBe('no-cache');
    expect(answer?.headers['content-security-policy']).toMatch(/script-src 'self';/);
  });

  it.each([
    ['the sites that the link names', `share=${named}`, 'https://shop.example'],
    ['nobody by a link that names none', 'share=6b1f0a52-0000-4000-8000-000000000002', "'none'"],
    ['nobody by what is no link', `share=${named}&share=x`, "'none'"],
    ['nobody without a link', '', "'none'"],
  ])('lets the page for frames be framed by %s', async (_, query, ancestors) => {
    const { answer } = await ask('/embed.html', { query });
    expect(answer?.headers['content-security-policy']).toMatch(new RegExp(`frame-ancestors ${ancestors}$`));
    expect(answer?.headers['x-frame-options']).toBeUndefined();
    expect(answer?.headers['cache-control']).toBe('no-store');
    expect((await ask('/')).answer?.headers['content-security-policy']).toMatch(/frame-ancestors 'none'$/);
  });

  it('lets the page of artifacts have no origin and no address, and be framed by the dashboard alone', async () => {
    const policy = (await ask('/artifact.html')).answer?.headers['content-security-policy'] ?? '';
    expect(policy).toMatch(/^sandbox allow-scripts; default-src 'none';/);
    expect(policy).toMatch(/form-action 'none'; frame-ancestors 'self'$/);
    expect(policy).not.toMatch(/script-src[^;]*'self'|https?:|\*/);
  });

  it('serves hashed files for good, compressed as the client likes it', async () => {
    const { answer } = await ask('/assets/a-1.js', { headers: { 'accept-encoding': 'gzip, br' } });
    expect(answer?.headers).toMatchObject({
      'content-encoding': 'br',
      'cache-control': expect.stringContaining('immutable'),
    });
    expect(brotliDecompressSync(answer?.body ?? '').toString()).toBe('export {}');
  });

  it('takes what the build has compressed as it is', async () => {
    const { answer } = await ask('/assets/b-1.js', { headers: { 'accept-encoding': 'br' } });
    expect(answer?.headers['content-type']).toContain('javascript');
    expect(brotliDecompressSync(answer?.body ?? '').toString()).toBe('packed before');
  });

  it.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/api/agent/runs',
    '/missing.js',
    '/assets/',
  ])('leaves %s to others', async (path) => {
    expect((await ask(path)).taken).toBe(false);
  });

  it('serves the build of its start while a newer one takes its place', async () => {
    const built = join(root, 'dist', 'replaced');
    cpSync(folder, built, { recursive: true });
    const pages = createDashboardPages(built, framers);
    rmSync(built, { recursive: true });
    mkdirSync(join(built, 'assets'), { recursive: true });
    writeFileSync(join(built, 'index.html'), '<!doctype html><title>newer</title>');
    expect((await ask('/', { pages })).answer?.body.toString()).toContain('<title>x');
    expect((await ask('/assets/a-1.js', { pages })).answer?.body.toString()).toBe('export {}');
    const packed = await ask('/assets/b-1.js', { pages, headers: { 'accept-encoding': 'br' } });
    expect(brotliDecompressSync(packed.answer?.body ?? '').toString()).toBe('packed before');
  });

  it('answers HEAD without a body and leaves writes alone', async () => {
    expect((await ask('/', { method: 'HEAD' })).answer?.body.length).toBe(0);
    expect((await ask('/', { method: 'POST' })).taken).toBe(false);
  });
});
