// What others said as code in a report, so that it cannot pass for the report.

const longestRun = (text: string, least: number): string =>
  '`'.repeat([...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length + 1), least));

/** A block of code whose fence is longer than any inside. */
export function fenced(text: string, language = 'text'): string {
  const fence = longestRun(text, 3);
  return `${fence}${language}\n${text.replace(/\r\n?/g, '\n')}\n${fence}\n\n`;
}

/** Text as code within a line. */
export function inline(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const fence = longestRun(line, 1);
  return line === '' ? '–' : `${fence} ${line} ${fence}`;
}
