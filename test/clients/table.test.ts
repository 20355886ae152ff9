// The table of clients has a test or a reason in each cell, and the document has every client that is pinned.
import { expect, test } from 'vitest';
import { flows } from './flows.ts';
import { tablesOf } from './table.ts';

const resultsOf = (...rows: [client: string, title: string, status?: string][]) => ({
  testResults: [
    {
      assertionResults: rows.map(([client, title, status = 'passed']) => ({
        ancestorTitles: [client],
        title,
        status,
      })),
    },
  ],
});
const all = (client: string, left: string[] = []) =>
  flows.filter((flow) => !left.includes(flow)).map((flow): [string, string] => [client, flow]);
const lineOf = (table: string, name: string) =>
  table
    .split('\n')
    .filter((line) => line.startsWith(`| ${name}`))
    .map((line) => line.split('|').map((cell) => cell.trim()));

test('each flow of a client holds or not, or has a reason not to be there', () => {
  const table = tablesOf(
    resultsOf(
      ...all('llm 1.0', ['timeout', 'resume', 'tools']),
      ['llm 1.0', 'tools', 'failed'],
      ['redocly 2', 'lints'],
    ),
  );
  const [row, ...reasons] = lineOf(table, 'llm 1.0');
  expect(row).toEqual(['', 'llm 1.0', 'yes', 'no', 'yes', 'yes', 'yes', '–', '–', '–', '']);
  expect(reasons.map(([, , flow]) => flow)).toEqual(['timeout', 'resume']);
  expect(lineOf(table, 'redocly 2')[0]?.slice(3, 4)).toEqual(['yes']);
});

test('a flow without both, or with both, is refused', () => {
  expect(() => tablesOf(resultsOf(...all('npm openai 6.0', ['tools'])))).toThrow('tools has no test and no reason');
  expect(() => tablesOf(resultsOf(...all('litellm 1.0')))).toThrow('resume has a test and a reason not to');
  // What one version lacks another one has to have.
  expect(() => tablesOf(resultsOf(...all('python openai 3.0', ['resume'])))).toThrow('resume has no test');
  expect(tablesOf(resultsOf(...all('python openai 1.3.9', ['resume'])))).toContain('knows no Responses');
});
