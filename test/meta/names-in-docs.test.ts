// A name that a document writes as code, a field, a tool or an event, is one that the sources have: what was renamed or
// never was cannot be used.
import { expect, it } from 'vitest';
import { codeWordsOf, documents, textOf } from '../support/documents.ts';
import { filesIn } from '../support/sources.ts';

/** Names of other programs, which documents tell how to use with this one. */
const ofOthers = new Set([
  ...[
    'abortRun',
    'addToolApprovalResponse',
    'addToolOutput',
    'createResumableSessionStorage',
    'resumeApi',
    'resumeStream',
  ],
  ...['access_type', 'app_mentions', 'fail_duration', 'insufficient_scope', 'proxy_pass', 'proxy_read_timeout'],
  ...['hostUsers', 'procMount', 'secret_token', 'tcp_wmem', 'withCredentials', 'createX', 'eaDir', 'asyncio_detailed'],
]);
/** What these tell of was, was measured, or is in tests. */
const told = documents.filter((path) => !/^docs\/(adr\/|ARCHITECTURE|benchmarks|comparison)/.test(path));
const name = /(?<![\w$])(?:[a-z]+(?:[A-Z][a-z0-9]*)+|[a-z]+(?:_[a-z0-9]+)+)(?!\w)/g;

it('every name that a document writes as code is in the sources', () => {
  const sources = filesIn(
    ['src', 'runtime', 'sandbox', 'deploy', 'test', 'clients/python'],
    /\.(ts|tsx|py|css|html|ya?ml)$/,
  );
  const known = new Set([...sources, 'docker-compose.yml'].flatMap((path) => textOf(path).match(/[\w$]+/g) ?? []));
  const named = told.flatMap((path) =>
    [...new Set(codeWordsOf(path).flatMap((code) => code.match(name) ?? []))].map((word) => ({ path, word })),
  );
  expect(named.length).toBeGreaterThan(300);
  // Metrics are declared without the prefix that they all have.
  const isKnown = (word: string) => known.has(word) || known.has(word.replace(/^rivulet_/, '')) || ofOthers.has(word);
  const unknown = named.filter(({ word }) => !isKnown(word));
  expect(unknown.map(({ path, word }) => `${path}: ${word}`)).toEqual([]);
});
