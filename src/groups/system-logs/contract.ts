// Operations on the log of the server.
import { LogDomain, SystemLogLevel, TimeBucket } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { dateTime, fields, int32, int64, string } from '../../contract/types.ts';
import { SystemLogDto, SystemLogStatsDto } from './dto.ts';

const needs = 'LogsRead';
const q = string.min(1).max(200);
const sourceHost = string.max(255);

export const systemLogs = group(
  'SystemLogs',
  {
    base: '/api/system-logs',
    doc: 'The structured log: lines about the tenant; for the first tenant, whose server it is, also those of the server itself.',
  },
  {
    list: op.get('', {
      doc: 'Search log lines, newest first. beforeId (ours) goes on where a page ended, at the same cost however far back; hasTotal is false where there is more than was looked at.',
      needs,
      query: listQuery(['id', 'createdAtUtc'], {
        fromUtc: dateTime.optional(),
        toUtc: dateTime.optional(),
        domain: LogDomain.optional(),
        minLevel: SystemLogLevel.optional(),
        sourceHost: sourceHost.optional(),
        requestId: string.max(200).optional(),
        runId: int64.optional(),
        identityId: int64.optional(),
        errorCode: string.max(100).optional(),
        q: q.optional(),
        beforeId: int64.min(0).optional(),
        afterId: int64.min(0).optional(),
      }),
      data: page(SystemLogDto),
    }),
    stream: op.get('/stream', {
      doc: 'Follow the log: event log, whose id is that of the line. Begins with the last lines (backlog, 100) that match, or after lastEventId; stream.gap says that lines after it are not kept any more.',
      needs,
      query: fields({
        domain: LogDomain.optional(),
        minLevel: SystemLogLevel.optional(),
        sourceHost: sourceHost.optional(),
        runId: int64.optional(),
        q: q.optional(),
        backlog: int32.min(0).max(1000).default(100),
        lastEventId: string.max(200).optional(),
        ticket: string.max(200).optional(),
      }),
      data: SystemLogDto,
      reply: 'stream',
      topic: 'logs',
    }),
    stats: op.get('/stats', {
      doc: 'Count lines by level and domain over time, by the minute (the last 24 hours unless told otherwise), and the most frequent errors.',
      needs,
      query: fields({
        fromUtc: dateTime.optional(),
        toUtc: dateTime.optional(),
        bucket: TimeBucket.optional(),
        domain: LogDomain.optional(),
      }),
      data: SystemLogStatsDto,
    }),
  },
);
