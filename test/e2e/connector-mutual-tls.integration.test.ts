// Client certificates against a server of TLS that asks for them: which pass, what verify says of the others, and where the key is not.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keptLog } from '../support/kept-log.ts';
import { adminKey, startTestServer, type TestServer } from '../support/test-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'rivulet-tls-'));
const data = join(folder, 'data');
const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
const file = (name: string) => readFileSync(join(folder, name), 'utf8');
const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const ca = (name: string) =>
  openssl('req', '-x509', ...curve, '-keyout', `${name}.key`, '-out', `${name}.crt`, '-subj', `/CN=${name}`);

/** A certificate of a CA for some days; one of less than none has expired. */
function issue(name: string, by: string, days: number) {
  openssl('req', ...curve, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
  const from = ['x509', '-req', '-in', `${name}.csr`, '-CA', `${by}.crt`, '-CAkey', `${by}.key`, '-CAcreateserial'];
  openssl(...from, '-days', `${days}`, '-extfile', 'names', '-out', `${name}.crt`);
}

const missing = spawnSync('openssl', ['version']).status !== 0;
if (missing) console.warn('MutualTls is not tried: openssl is not installed.');

const logged = keptLog('trace', [adminKey]);

describe.skipIf(missing)('a client certificate', () => {
  let other: Server;
  let server: TestServer;
  const guests: string[] = [];
  const answers: string[] = [];
  beforeAll(async () => {
    writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1');
    for (const name of ['ours', 'theirs']) ca(name);
    issue('server', 'ours', 2);
    issue('right', 'ours', 2);
    issue('wrong', 'theirs', 2);
    issue('expired', 'ours', -1);
    const options = { cert: file('server.crt'), key: file('server.key'), ca: file('ours.crt') };
    other = createServer({ ...options, requestCert: true, rejectUnauthorized: true }, ({ socket }, response) => {
      guests.push(String((socket as TLSSocket).getPeerCertificate().subject?.CN));
      response.end('{"fine":true}');
    });
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    server = await startTestServer(
      { RIVULET_DATA: data, RIVULET_PRIVATE_CONNECTORS: 'operator', RIVULET_LOG: 'trace' },
      logged,
    );
  });
  afterAll(async () => {
    await server.close();
    other.closeAllConnections();
    await new Promise((done) => other.close(done));
    rmSync(folder, { recursive: true });
  });

  const call = async (method: string, path: string, body?: unknown) => {
    const { body: answer } = await server.call(method, `/api${path}`, body);
    answers.push(JSON.stringify(answer));
    return answer;
  };
  const shown = (cert: string, key = cert, more: object = { ca: file('ours.crt') }) => ({
    authMethod: 'MutualTls',
    credentials: JSON.stringify({ cert: file(`${cert}.crt`), key: file(`${key}.key`), ...more }),
  });

  it.each([
    ['the right certificate', () => shown('right'), 'Ok', /fine/],
    ['one of another CA', () => shown('wrong'), 'AuthFailed', /certificate/],
    ['one that has expired', () => shown('expired'), 'AuthFailed', /certificate/],
    ['none, to a server that is not known either', () => ({ authMethod: 'None' }), 'Unreachable', /SELF_SIGNED_CERT/],
    [
      'the right one, to a server of an unknown CA',
      () => shown('right', 'right', {}),
      'Unreachable',
      /SELF_SIGNED_CERT/,
    ],
  ])('%s', async (name, fields, status, said) => {
    guests.length = 0;
    const baseUrl = `https://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const { data } = await call('POST', '/connectors', { type: 'RestApi', name, baseUrl, ...fields() });
    const verified = await call('POST', `/connectors/${data.id}/verify`, { timeoutMs: 10_000 });
    expect(verified.data.lastVerificationStatus).toBe(status);
    const made = await call('POST', `/connectors/${data.id}/endpoints`, { name: 'Get', method: 'Get', path: '/' });
    const answer = await call('POST', `/connectors/endpoints/${made.data.id}/call`, { input: {} });
    expect(answer.data).toMatchObject({ ok: status === 'Ok', content: expect.stringMatching(said) });
    expect(guests).toEqual(status === 'Ok' ? ['right', 'right'] : []);
  });

  it('refuses what is no certificate with its key when it is written down', async () => {
    const refused = { errorCode: 'VALIDATION_FAILED', error: expect.stringMatching(/certificate|key/) };
    const make = (fields: object) =>
      call('POST', '/connectors', { type: 'RestApi', name: 'Odd', baseUrl: 'https://127.0.0.1:9', ...fields });
    expect(await make(shown('right', 'wrong'))).toMatchObject(refused);
    expect(await make({ authMethod: 'MutualTls', credentials: '{"cert":"hush-1","key":"hush-2"}' })).toMatchObject(
      refused,
    );
  });

  it('keeps the key sealed, and shows it nowhere', async () => {
    for (const path of ['/connectors?pageSize=200', '/audit-events?pageSize=200', '/system-logs?pageSize=200'])
      await call('GET', path);
    const keys = ['right', 'wrong', 'expired'].map((name) => file(`${name}.key`).split('\n')[1] as string);
    const stored = readdirSync(data, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => readFileSync(join(one.parentPath, one.name), 'latin1'));
    expect(stored.join('').length).toBeGreaterThan(10_000);
    for (const text of [...answers, ...logged.printed, ...stored])
      for (const key of [...keys, 'hush-1', 'hush-2']) expect(text.includes(key)).toBe(false);
  });
});
