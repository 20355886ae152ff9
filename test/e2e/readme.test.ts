// The two examples of the README, as they are written there, against a server without a model: both end by themselves.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChildServer, createChildServer } from '../support/child-server.ts';

const root = resolve(import.meta.dirname, '../..');
const examples = /## Start a run and follow it\n([\s\S]*?)\n## /.exec(
  readFileSync(join(root, 'README.md'), 'utf8'),
)?.[1];
const block = (language: string) =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(examples ?? '')?.[1] ?? '';
const written = 'http://127.0.0.1:7717';

let server: ChildServer;
beforeAll(async () => {
  server = await createChildServer();
  await server.start();
});
afterAll(() => server.close());

/** What a `curl` of the README asks for; lines that end with a backslash go on. */
function requests(): { url: string; headers: Record<string, string>; body: string | undefined }[] {
  const lines = block('sh').replaceAll('\\\n', ' ').split('\n');
  const curls = lines.filter((line) => line.startsWith('curl '));
  return curls.map((line) => ({
    url: /(http:\S+)/.exec(line)?.[1] ?? '',
    headers: Object.fromEntries(
      [...line.matchAll(/-H ["']([^:]+): ([^"']+)["']/g)].map(([, name, value]) => [
        name as string,
        (value as string).replace('$KEY', server.key),
      ]),
    ),
    body: /-d '([^']+)'/.exec(line)?.[1],
  }));
}

describe('the examples of the README', () => {
  it('say hello by curl: the stream of events ends with the run, which greeted and asked nothing', async () => {
    const [start, follow] = requests();
    const at = (url = '') => url.replace(written, server.baseUrl);
    const answer = await fetch(at(start?.url), {
      method: 'POST',
      headers: start?.headers ?? {},
      body: start?.body ?? '',
    });
    const { data } = (await answer.json()) as { data: { id: number } };
    const stream = await fetch(at(follow?.url.replace('$RUN', String(data.id))), { headers: follow?.headers ?? {} });
    // It resolves when the server has ended the stream.
    const types = [...(await stream.text()).matchAll(/^event: (\S+)$/gm)].map(([, type]) => type);
    expect(types.at(-1)).toBe('run.ended');
    expect(types).toContain('run.completed');
    expect(types.filter((type) => type?.startsWith('escalation'))).toEqual([]);
    const run = await fetch(`${at(start?.url)}/${data.id}`, { headers: start?.headers ?? {} });
    expect(await run.json()).toMatchObject({
      data: { status: 'Completed', progressSummary: expect.stringMatching(/^Hello!/) },
    });
  });

  it('say hello by the client: its process ends with the run', async () => {
    const bundled = await build({
      stdin: { contents: block('ts').replace(written, server.baseUrl), loader: 'ts', resolveDir: root },
      define: { key: JSON.stringify(server.key) },
      alias: { 'rivulet-client': join(root, 'src/client/index.ts') },
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'node',
      packages: 'external',
    });
    const code = bundled.outputFiles[0]?.text ?? '';
    const options = { cwd: root, timeout: 60_000 };
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], options);
    const types = stdout.trim().split('\n');
    expect(types).toContain('run.completed');
    expect(types.at(-1)).toBe('run.ended');
  });
});
