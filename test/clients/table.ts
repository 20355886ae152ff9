// Turns the results of the clients' suites into the tables of docs/compatibility.md.
import { checks, type Flow, flows, without } from './flows.ts';

export interface Results {
  testResults: { assertionResults: { ancestorTitles: string[]; title: string; status: string }[] }[];
}

/** What was found of one client: each of its tests, by the flow or by `more`. */
type Found = Map<string, boolean>;

/**
 * The clients with what holds of each flow, the reasons for those that one does not have, and the programs that check.
 *
 * @throws Error for a flow of a client without a test and without a reason, or with both
 */
export function tablesOf(results: Results): string {
  const found = [...foundIn(results)].sort(([a], [b]) => a.localeCompare(b));
  const isCheck = ([name]: [string, Found]) => byName(checks, name) !== undefined;
  const clients = found.filter((one) => !isCheck(one));
  const yes = (holds: boolean | undefined) => (holds === undefined ? '–' : holds ? 'yes' : 'no');
  const rows = clients.map(([name, seen]) => [
    name,
    ...flows.map((flow) => cellOf(name, flow, seen)),
    yes(seen.get('more')),
  ]);
  const reasons = clients.flatMap(([name]) =>
    Object.entries(byName(without, name) ?? {}).map(([flow, reason]) => [name, flow, reason]),
  );
  const checked = found
    .filter(isCheck)
    .map(([name, seen]) => [name, byName(checks, name) ?? '', yes([...seen.values()].every(Boolean))]);
  return [
    aligned([['client', ...flows, 'more'], ...rows]),
    aligned([['client', 'has no', 'since'], ...reasons]),
    aligned([['program', 'checks', 'holds'], ...checked]),
  ].join('\n\n');
}

function foundIn({ testResults }: Results): Map<string, Found> {
  const clients = new Map<string, Found>();
  for (const { ancestorTitles, title, status } of testResults.flatMap(({ assertionResults }) => assertionResults)) {
    const name = ancestorTitles[0] ?? title;
    const seen = clients.get(name) ?? new Map<string, boolean>();
    clients.set(name, seen);
    // What a version of the client does not have.
    if (status === 'skipped' || status === 'pending') continue;
    const flow = (flows as readonly string[]).includes(title) ? title : 'more';
    seen.set(flow, (seen.get(flow) ?? true) && status === 'passed');
  }
  return clients;
}

function cellOf(name: string, flow: Flow, seen: Found): string {
  const reason = byName(without, name)?.[flow];
  const holds = seen.get(flow);
  if (holds === undefined && reason === undefined) throw new Error(`${name}: ${flow} has no test and no reason`);
  if (holds !== undefined && reason !== undefined) throw new Error(`${name}: ${flow} has a test and a reason not to`);
  return holds === undefined ? '–' : holds ? 'yes' : 'no';
}

/** The entry of a client, which is named with its version; that of one version goes before that of all. */
function byName<Value>(entries: Record<string, Value>, name: string): Value | undefined {
  const fitting = Object.keys(entries).filter(
    (key) => name === key || name.startsWith(`${key} `) || startsLine(name, key),
  );
  const [longest] = fitting.sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : entries[longest];
}

/** `python openai 1.` names a line of versions. */
const startsLine = (name: string, key: string) => key.endsWith('.') && name.startsWith(key);

/** A table of Markdown whose columns are as wide as their longest cell, as the formatter would write it. */
function aligned([head = [], ...rows]: string[][]): string {
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => (row[at] ?? '').length)));
  const line = (cells: string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
