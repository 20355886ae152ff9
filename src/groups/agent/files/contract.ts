// Operations on what a run has made: its files, its changes, its deliverable and its commands' output.
import { z } from 'zod';
import { group, op } from '../../../contract/operation.ts';
import { boolean, fields, int32, int64, string } from '../../../contract/types.ts';
import { AgentRunFileContent, AgentRunFileInfo, DeliverableCheckDto, RunDiffDto, SandboxChunkDto } from './dto.ts';

const path = string.min(1).max(4096);

export const agentRunFiles = group(
  'Agent',
  {
    id: 'AgentRunFiles',
    base: '/api/agent/runs/{runId}',
    doc: 'What a run has made: files, changes, deliverable, output.',
  },
  {
    list: op.get('/files', {
      doc: 'List the files of a run.',
      needs: 'RunsRead',
      query: fields({ path: string.max(4096).optional(), recursive: boolean.optional() }),
      data: z.array(AgentRunFileInfo),
    }),
    read: op.get('/files/content', {
      doc: 'Read one file as text, cut when it is large.',
      needs: 'RunsRead',
      query: fields({ path, maxBytes: int32.min(1).max(16_777_216).default(1_048_576) }),
      data: AgentRunFileContent,
    }),
    download: op.get('/files/download', {
      doc: 'Download a file (with ranges), or a folder as a ZIP.',
      needs: 'RunsRead',
      query: fields({ path: string.max(4096), asZip: boolean.optional() }),
      data: z.unknown(),
      reply: 'file',
      mediaType: ['application/octet-stream', '*/*'],
      succeedsBy: [200, 206],
    }),
    deliverable: op.get('/review/deliverable', {
      doc: 'Whether the run has delivered what its contract asks for.',
      needs: 'RunsRead',
      query: fields({ refresh: boolean.optional() }),
      data: DeliverableCheckDto,
    }),
    diff: op.get('/review/diff', {
      doc: 'What the run has changed against its base.',
      needs: 'RunsRead',
      query: fields({
        path: string.max(4096).optional(),
        contextLines: int32.min(0).max(1000).optional(),
        statOnly: boolean.optional(),
      }),
      data: RunDiffDto,
    }),
    output: op.get('/sandbox/stream', {
      doc: 'Follow the output of the run’s commands from a cursor; ends when the sandbox stops.',
      needs: 'RunsRead',
      query: fields({
        sinceSeq: int64.min(0).optional(),
        lastEventId: string.max(200).optional(),
        tail: int32.min(0).max(100_000).optional(),
        ticket: string.max(200).optional(),
      }),
      topic: 'run:{runId}',
      data: SandboxChunkDto,
      reply: 'stream',
    }),
  },
);
