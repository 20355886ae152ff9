// Turns the results of the clients' suites into the table of docs/compatibility.md.

/** The flows that a client may have; a test's title is the name of its flow, and others count as `more`. */
const columns = ['stream', 'tools', 'structured output', 'errors', 'stop', 'timeout', 'resume', 'more'];

export interface Results {
  testResults: { assertionResults: { ancestorTitles: string[]; title: string; status: string }[] }[];
}

/** One row a client with its version; a flow is `yes`, `no`, or `–` where the client has none. */
export function tableOf({ testResults }: Results): string {
  const clients = new Map<string, Map<string, boolean>>();
  for (const { ancestorTitles, title, status } of testResults.flatMap(({ assertionResults }) => assertionResults)) {
    const name = ancestorTitles[0] ?? title;
    const flows = clients.get(name) ?? new Map<string, boolean>();
    clients.set(name, flows);
    // What a version of the client does not have.
    if (status === 'skipped' || status === 'pending') continue;
    const column = columns.includes(title) ? title : 'more';
    flows.set(column, (flows.get(column) ?? true) && status === 'passed');
  }
  const rows = [...clients].sort(([a], [b]) => a.localeCompare(b));
  const cell = (flows: Map<string, boolean>, column: string) =>
    flows.has(column) ? (flows.get(column) ? 'yes' : 'no') : '–';
  const lines = rows.map(([name, flows]) => [name, ...columns.map((column) => cell(flows, column))]);
  return aligned([['client', ...columns], ...lines]);
}

/** A table of Markdown whose columns are as wide as their longest cell, as the formatter would write it. */
function aligned([head = [], ...rows]: string[][]): string {
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => (row[at] ?? '').length)));
  const line = (cells: string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
