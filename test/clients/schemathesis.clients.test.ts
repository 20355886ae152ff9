// schemathesis: requests that keep to the OpenAPI document, or break it, with a fixed seed and for a limited time.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startServerWithModel } from '../support/server-with-model.ts';
import { describeInstalled } from './suite.ts';

const seconds = process.env.CI ? 60 : 180;
const seed = process.env.RIVULET_SEED ?? '2611';

/**
 * Left out, and why: schemas cannot tell rules between fields, so that what they allow may be refused; wrong keys are
 * soon answered 429; a repeated `Idempotency-Key` gets its first answer after a deletion, too; event streams do not end,
 * and a document of version 3.1 has no words for one event; `wait` answers as late as it is asked to; `/api/ws` speaks
 * WebSocket. That a provider cannot be
 * reached is no fault of the server.
 */
const without = ['positive_data_acceptance', 'ignored_auth', 'ensure_resource_availability'];
const settings = `
[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", 501, 502, 503, 504]

# Too large is refused, too.
[checks.negative_data_rejection]
expected-statuses = ["4xx", "5xx"]

[[operations]]
include-path-regex = "/(events|stream|wait|ws)$"
enabled = false

[[operations]]
include-path-regex = "/(ui|ag-ui)$"
checks.response_schema_conformance.enabled = false
`;

describeInstalled({ name: 'schemathesis', set: 'python-tools', package: 'schemathesis' }, (folder) => {
  it(`finds nothing in ${seconds} s`, { timeout: (seconds + 120) * 1000 }, async () => {
    // Its names of headers hold any character that they may, which the parser of uWebSockets.js for Node 20 waits after.
    const { server, close } = await startServerWithModel({ RIVULET_TRANSPORT: 'node' });
    const own = await mkdtemp(join(tmpdir(), 'rivulet-schemathesis-'));
    await writeFile(join(own, 'schemathesis.toml'), settings);
    const args = ['run', `${server.url}/openapi/v1.json`, '-H', `Authorization: Bearer ${server.key}`, '--seed', seed];
    args.push('--max-time', String(seconds), '--phases', 'coverage,fuzzing,stateful', '--continue-on-failure');
    args.push('--exclude-checks', without.join(), '--request-timeout', '10', '--generation-database', 'none');
    args.push('--no-color', '--warnings', 'off');
    // Not at once and in here: the server answers in this process.
    const child = spawn(join(folder, 'bin/schemathesis'), args, { cwd: own, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stdout.on('data', (data) => {
      said += data;
    });
    child.stderr.on('data', (data) => {
      said += data;
    });
    const status = await new Promise((resolve) => child.on('close', resolve));
    await rm(own, { recursive: true, force: true });
    // Some bodies are very long.
    const told = said.split('\n').map((line) => line.slice(0, 400));
    expect(status, told.join('\n').slice(-12_000)).toBe(0);
    expect(said).toMatch(/Tested: 1\d\d/);
    await close();
  });
});
