// A host of git repositories over HTTP, as git itself serves them; some ask for a user and a password.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { git, gitLine } from '../../sandbox/workspace/git.ts';

export interface GitHost {
  url: string;
  /** Authorization headers that came, in order. */
  seen: string[];
  /** Command lines of all processes at the moments of requests, where the system tells them. */
  commands: Set<string>;
  close(): Promise<void>;
}

interface Options {
  /** Where the repositories are. */
  folder: string;
  /** `user:password` that repositories whose name begins with `private` ask for. */
  account: string;
  /** Answers instead of git. */
  instead?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

export async function startGitHost({ folder, account, instead }: Options): Promise<GitHost> {
  const seen: string[] = [];
  const commands = new Set<string>();
  const wanted = `Basic ${Buffer.from(account).toString('base64')}`;
  const server = createServer((request, response) => {
    const { authorization } = request.headers;
    if (authorization) seen.push(authorization);
    for (const command of runningCommands()) commands.add(command);
    if (instead?.(request, response)) return;
    if (request.url?.startsWith('/private') && authorization !== wanted) {
      // As some hosts do, it says what it was sent.
      response.writeHead(authorization ? 403 : 401, { 'www-authenticate': 'Basic', 'content-type': 'text/plain' });
      return void response.end(`not ${authorization}`);
    }
    serve(folder, request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    commands,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** One request, carried out by git's own program behind web servers. */
function serve(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://host');
  const { 'content-type': type = '', 'content-encoding': encoding, 'git-protocol': protocol } = request.headers;
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      REQUEST_METHOD: request.method,
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: type,
      ...(encoding ? { HTTP_CONTENT_ENCODING: encoding } : {}),
      ...(protocol ? { GIT_PROTOCOL: String(protocol) } : {}),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => {});
  request.pipe(child.stdin);
  let head = Buffer.alloc(0);
  child.stdout.on('data', (chunk: Buffer) => {
    if (response.headersSent) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    const lines = head.subarray(0, end).toString().split('\r\n');
    const headers = Object.fromEntries(lines.map((line) => line.split(': ') as [string, string]));
    response.writeHead(Number.parseInt(headers.Status ?? '200', 10), headers);
    response.write(head.subarray(end + 4));
  });
  child.stdout.on('end', () => response.end());
  response.on('close', () => child.kill());
}

function runningCommands(): string[] {
  try {
    const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return ids.flatMap((id) => {
      try {
        return [readFileSync(`/proc/${id}/cmdline`, 'utf8')];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}

/** Makes a repository whose branch `main` has one commit with these files, or adds a commit to it. */
export async function commitFiles(folder: string, name: string, files: Record<string, string | Uint8Array>) {
  const place = { gitDir: join(folder, name) };
  await git(null, ['init', '--bare', '--quiet', '--initial-branch=main', place.gitDir]);
  const lines: string[] = [];
  for (const [path, input] of Object.entries(files))
    lines.push(`100644 blob ${await gitLine(place, ['hash-object', '-w', '--stdin'], { input })}\t${path}`);
  const tree = await gitLine(place, ['mktree'], { input: `${lines.join('\n')}\n` });
  const old = await gitLine(place, ['rev-parse', '--verify', '--quiet', 'main'], { accept: [0, 1] });
  const names = ['GIT_AUTHOR_', 'GIT_COMMITTER_'].flatMap((who) => [`${who}NAME`, `${who}EMAIL`]);
  const env = Object.fromEntries(names.map((name) => [name, 'there']));
  const sha = await gitLine(place, ['commit-tree', tree, '-m', 'work', ...(old ? ['-p', old] : [])], { env });
  await git(place, ['update-ref', 'refs/heads/main', sha]);
  return sha;
}
