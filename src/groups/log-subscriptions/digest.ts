// Words a digest: how many lines came, of which levels, what they say most often, and the first of them.
import type { MessagePriority, SystemLogLevel } from '../../contract/enums.ts';
import { type LogEntry, levels, weightOf } from '../../logs/entry.ts';
import type { LogSubscriptionDoc } from './record.ts';

/** Lines that are quoted, the frequent ones that are counted, and characters of each. */
const mostQuoted = 10;
const mostRepeated = 5;
const mostCharacters = 300;

export interface Digest {
  content: string;
  priority: MessagePriority;
}

/** What is gathered of lines as they are read; lines themselves are not held. */
export function createDigest() {
  const byLevel = new Map<SystemLogLevel, number>();
  const bySaying = new Map<string, number>();
  const quoted: string[] = [];
  let count = 0;
  let [first, last] = [0, 0];
  return {
    get count() {
      return count;
    },
    add(entry: LogEntry): void {
      if (count === 0) first = entry.at;
      last = entry.at;
      count++;
      byLevel.set(entry.level, (byLevel.get(entry.level) ?? 0) + 1);
      const saying = [entry.errorCode, entry.message].filter(Boolean).join(': ').slice(0, mostCharacters);
      // Counting ends where everything says something else.
      if (bySaying.has(saying) || bySaying.size < 1000) bySaying.set(saying, (bySaying.get(saying) ?? 0) + 1);
      if (quoted.length < mostQuoted) quoted.push(lineOf(entry));
    },
    word({ _id, domain, minLevel, sourceHost }: LogSubscriptionDoc, isAll: boolean): Digest {
      const gravest = [...byLevel.keys()].sort((a, b) => weightOf(b) - weightOf(a))[0] ?? minLevel;
      const where = sourceHost === null ? '' : ` on ${sourceHost}`;
      const number = isAll ? String(count) : `more than ${count}`;
      const title = `${number} log ${count === 1 ? 'line' : 'lines'} of ${domain}${where}`;
      const counts = levels.filter((level) => byLevel.has(level)).map((level) => `${level} ${byLevel.get(level)}`);
      const repeated = [...bySaying]
        .filter(([, times]) => times > 1)
        .sort(([, a], [, b]) => b - a)
        .slice(0, mostRepeated)
        .map(([saying, times]) => `- ${times} × ${saying}`);
      const parts = [
        `${title}, ${timeOf(first)} to ${timeOf(last)} UTC.`,
        counts.reverse().join(', '),
        repeated.length > 0 ? `Most often:\n${repeated.join('\n')}` : null,
        `${quoted.length < count ? `The first ${quoted.length}` : count === 1 ? 'The line' : 'The lines'}:\n${quoted.join('\n')}`,
        `Log subscription ${_id}, from ${minLevel} on. All of them: GET /api/system-logs?domain=${domain}&minLevel=${minLevel}&fromUtc=${new Date(first).toISOString()}`,
      ];
      return { content: parts.filter(Boolean).join('\n\n'), priority: priorities[gravest] };
    },
  };
}

const priorities: Record<SystemLogLevel, MessagePriority> = {
  Trace: 'Low',
  Debug: 'Low',
  Information: 'Low',
  Warning: 'Normal',
  Error: 'High',
  Critical: 'Urgent',
};

const timeOf = (at: number) => new Date(at).toISOString().slice(0, 19).replace('T', ' ');

function lineOf({ at, level, message, errorCode, requestId, runId, nodeId }: LogEntry): string {
  const said = [errorCode, message].filter(Boolean).join(': ').slice(0, mostCharacters);
  const about = [runId === null ? null : `run ${runId}`, requestId === null ? null : `request ${requestId}`, nodeId];
  return `- ${timeOf(at)} ${level} ${said} (${about.filter((one) => one !== null).join(', ')})`;
}
