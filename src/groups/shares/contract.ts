// Ours: links by which anybody reads one run or one chat until they expire or are revoked.
import { z } from 'zod';
import { crud } from '../../contract/crud.ts';
import { group, op } from '../../contract/operation.ts';
import { boolean, fields, int32, int64, string } from '../../contract/types.ts';
import { AgentRunFileContent, AgentRunFileInfo } from '../agent/files/dto.ts';
import { NewShareDto, ShareDto, SharedDto, SharedItemDto } from './dto.ts';

const { list, get, remove } = crud({
  noun: 'share',
  dto: ShareDto,
  read: 'RunsRead',
  write: 'RunsWrite',
  sorts: ['createdAtUtc', 'expiresAtUtc', 'id'],
  filters: { runId: int64.optional(), chatSessionId: int64.optional() },
  create: {},
  patch: {},
  docs: {
    list: 'Ours: list your links; who may change users sees those of all.',
    get: 'Ours: get one link, without its token.',
    remove: 'Ours: revoke a link; it shows nothing from then on, to open pages too.',
  },
});

const origin = string
  .max(300)
  .regex(/^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$/i, 'an origin, such as https://example.com');

export const shares = group(
  'Shares',
  { base: '/api/shares', doc: 'Links by which anybody reads one run or one chat.' },
  {
    list,
    create: op.post('', {
      doc: 'Ours: make a link by which anybody reads one run, or one of your chats, until it expires. Its token is told once. Secrets are redacted; files of the run are shown with includeFiles only, though its steps may quote them. Pages of embedOrigins, and no others, may show it in a frame.',
      needs: 'RunsWrite',
      // A kept answer would keep the token.
      idempotent: false,
      body: fields({
        runId: int64.nullish(),
        chatSessionId: int64.nullish(),
        expiresInHours: int32.min(1).max(2160).default(168),
        includeFiles: boolean.default(false),
        /** Origins whose pages may embed it; none unless given. */
        embedOrigins: z.array(origin).max(20).default([]),
      }),
      data: NewShareDto,
    }),
    get,
    remove,
  },
);

/** Tokens come in bodies, which no log keeps, as paths are kept. */
const token = string.min(1).max(200);
const asked = { needs: 'public', idempotent: false, audit: false } as const;

export const publicShares = group(
  'Shares',
  { id: 'PublicShares', base: '/api/public/shares', doc: 'Read a shared run or chat, without signing in.' },
  {
    read: op.post('/read', {
      doc: 'Ours: what a link shows, and how it stands.',
      ...asked,
      body: fields({ token }),
      data: SharedDto,
    }),
    events: op.post('/events', {
      doc: 'Ours: stream the events of the shared run after afterSeq, or the messages of the shared chat, and what comes to be. Text is sent when it is whole, so that secrets in it can be found.',
      ...asked,
      // Without a sign-in there is no connection to publish on: the events are the body of the answer.
      reply: 'file',
      mediaType: 'text/event-stream',
      timeoutMs: 600_000,
      body: fields({ token, afterSeq: int64.min(0).default(0) }),
      data: SharedItemDto,
    }),
    files: op.post('/files', {
      doc: 'Ours: the files of the shared run, where its link includes them.',
      ...asked,
      body: fields({ token }),
      data: z.array(AgentRunFileInfo),
    }),
    file: op.post('/file', {
      doc: 'Ours: the text of one file of the shared run, where its link includes files; secrets in it are redacted.',
      ...asked,
      body: fields({ token, path: string.min(1).max(4096) }),
      data: AgentRunFileContent,
    }),
  },
);
