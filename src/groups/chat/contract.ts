// Chat sessions: talk with a model or an identity, streamed, resumed, stopped, branched and rated.
import { z } from 'zod';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, fields, float, int32, int64, jsonText, nothing, string } from '../../contract/types.ts';
import {
  AvailableToolDto,
  ChatAttachmentInput,
  ChatLabelsDto,
  ChatMessageDto,
  ChatSessionDetailDto,
  ChatSessionDto,
  ChatStreamEventDto,
  ChatsFiledDto,
  ChatToolCallDto,
  MessageRatingResult,
  SessionChatResponse,
} from './dto.ts';

const title = string.trim().max(200);
const modelId = string.trim().min(1).max(200);
const effort = string.max(20);
const instructions = string.max(100_000);
const tools = z.array(string.min(1).max(200)).max(200);
const content = string.max(500_000);
const cursor = string.max(200);
const search = string.trim().min(1).max(200);
const key = string.min(1).max(200);

/** Characters of a folder's path and of a tag, and tags of one chat. */
export const longestFolder = 200;
export const mostTags = 20;
const longestTag = 50;

/** One line, without what cannot be seen. */
const lineOf = (text: string) =>
  text
    .normalize('NFC')
    .replace(/[\s\p{Cc}\p{Cs}]+/gu, ' ')
    .trim();
/** Names of folders, from the outermost: `Work / Boats` is `Work/Boats`. Empty for no folder. */
const folderPath = (text: string) =>
  text
    .split('/')
    .map(lineOf)
    .filter((name) => name !== '')
    .join('/');
/** Lower case, and no comma, since lists of tags are written with commas. */
const tagName = (text: string) => lineOf(text.replace(/[,#]/g, ' ')).toLowerCase();
const once = <T>(list: T[]): T[] => [...new Set(list)];

/** A folder; an empty one is none. */
export const folder = string.max(1000).overwrite(folderPath).max(longestFolder);
export const tag = string.max(200).overwrite(tagName).min(1).max(longestTag);
export const tags = z.array(tag).max(100).overwrite(once).max(mostTags);

/** Images come with the message. */
const messageBytes = 12 << 20;
const replyTimeoutMs = 600_000;

const ask = {
  modelId: modelId.nullish(),
  reasoningEffort: effort.nullish(),
  systemPrompt: instructions.nullish(),
  enabledTools: tools.nullish(),
  temperature: float.min(0).max(2).nullish(),
  maxOutputTokens: int32.min(1).nullish(),
  attachments: z.array(ChatAttachmentInput).max(20).nullish(),
  parentMessageId: int64.nullish(),
  idempotencyKey: key.nullish(),
};
const message = content.min(1);

export const chat = group(
  'ChatSession',
  { base: '/api/chat', doc: 'Chat sessions with a model or an identity.' },
  {
    list: op.get('/sessions', {
      doc: 'List your sessions, pinned ones first, then the latest; q looks into titles, tags and messages. Ours: folder, where an empty one asks for those in none, and tag.',
      needs: 'ChatRead',
      query: listQuery(['updatedAtUtc', 'createdAtUtc', 'id', 'title', 'messageCount', 'totalTokens'], {
        q: search.optional(),
        archived: boolean.optional(),
        isPinned: boolean.optional(),
        identityId: int64.optional(),
        projectId: int64.optional(),
        clientId: string.max(200).optional(),
        modelId: modelId.optional(),
        folder: folder.optional(),
        tag: tag.optional(),
      }),
      data: page(ChatSessionDto),
    }),
    create: op.post('/sessions', {
      doc: 'Begin a session.',
      needs: 'ChatWrite',
      body: fields({
        title: title.nullish(),
        clientId: string.max(200).nullish(),
        modelId: modelId.nullish(),
        identityId: int64.nullish(),
        projectId: int64.nullish(),
        reasoningEffort: effort.nullish(),
        systemPrompt: instructions.nullish(),
        enabledTools: tools.nullish(),
        isPinned: boolean.nullish(),
        folder: folder.nullish(),
        tags: tags.nullish(),
        hydrate: boolean.nullish(),
      }),
      data: ChatSessionDto,
    }),
    get: op.get('/sessions/{id}', {
      doc: 'A session with the newest messages of the branch that is shown.',
      needs: 'ChatRead',
      query: fields({ messageLimit: int32.min(0).max(1000).optional(), beforeMessageId: int64.optional() }),
      data: ChatSessionDetailDto,
    }),
    patch: op.patch('/sessions/{id}', {
      doc: 'Change a session: its title, model, identity, tools, the branch that is shown, whether it recalls memories; pin or archive it. Ours: folder and tags, which are no use of it: its time stays.',
      needs: 'ChatWrite',
      body: fields({
        title: title.nullish(),
        modelId: modelId.nullish(),
        identityId: int64.nullish(),
        projectId: int64.nullish(),
        reasoningEffort: effort.nullish(),
        systemPrompt: instructions.nullish(),
        enabledTools: tools.nullish(),
        isPinned: boolean.nullish(),
        archived: boolean.nullish(),
        folder: folder.nullish(),
        tags: tags.nullish(),
        hydrate: boolean.nullish(),
        /** The last message of the branch to show. */
        activeMessageId: int64.optional(),
      }),
      data: ChatSessionDto,
    }),
    labels: op.get('/labels', {
      doc: 'List the folders and tags of your sessions, with how many have each. An operation of ours.',
      needs: 'ChatRead',
      query: fields({ archived: boolean.optional() }),
      data: ChatLabelsDto,
    }),
    renameFolder: op.patch('/folders', {
      doc: 'Rename a folder of your sessions, and with it those below; without a new name its sessions are in none, and stay. An operation of ours.',
      needs: 'ChatWrite',
      body: fields({ folder: folder.min(1), to: folder.nullable() }),
      data: ChatsFiledDto,
    }),
    renameTag: op.patch('/tags', {
      doc: 'Rename a tag of your sessions; without a new name they have it no longer. An operation of ours.',
      needs: 'ChatWrite',
      body: fields({ tag, to: tag.nullable() }),
      data: ChatsFiledDto,
    }),
    remove: op.delete('/sessions/{id}', {
      doc: 'Delete a session; a reply that is being made is stopped.',
      needs: 'ChatWrite',
      data: nothing,
    }),
    tools: op.get('/sessions/{sessionId}/available-tools', {
      doc: 'List the tools that the session may use.',
      needs: 'ChatRead',
      query: fields({ q: search.optional(), enabledOnly: boolean.optional() }),
      data: z.array(AvailableToolDto),
    }),
    ask: op.post('/sessions/{sessionId}/chat', {
      doc: 'Send a message and wait for the whole reply.',
      needs: 'ChatWrite',
      timeoutMs: replyTimeoutMs,
      maxBodyBytes: messageBytes,
      // The reply itself is found again by the key, streamed or not.
      idempotent: false,
      body: fields({ message, ...ask }),
      data: SessionChatResponse,
    }),
    stream: op.post('/sessions/{sessionId}/chat/stream', {
      doc: 'Send a message and stream the reply; without a message continue the last reply, or make one again.',
      needs: 'ChatWrite',
      reply: 'stream',
      maxBodyBytes: messageBytes,
      idempotent: false,
      body: fields({
        message: message.nullish(),
        ...ask,
        regenerateMessageId: int64.nullish(),
        lastEventId: cursor.nullish(),
      }),
      data: ChatStreamEventDto,
    }),
    resume: op.get('/sessions/{sessionId}/stream', {
      doc: 'Follow the reply that is being made, from its beginning or from a cursor; ends at once when there is none.',
      needs: 'ChatRead',
      reply: 'stream',
      query: fields({ lastEventId: cursor.optional() }),
      topic: 'chat:{sessionId}',
      data: ChatStreamEventDto,
    }),
    stop: op.post('/sessions/{sessionId}/stop', {
      doc: 'Stop the reply that is being made, keeping what was said.',
      needs: 'ChatWrite',
      data: ChatMessageDto,
    }),
    messages: op.get('/sessions/{sessionId}/messages', {
      doc: 'List the messages of all branches, oldest first.',
      needs: 'ChatRead',
      query: listQuery(['id', 'createdAtUtc'], {
        role: string.max(20).optional(),
        afterMessageId: int64.optional(),
        beforeMessageId: int64.optional(),
        q: search.optional(),
      }),
      data: page(ChatMessageDto),
    }),
    addMessage: op.post('/sessions/{sessionId}/messages', {
      doc: 'Add a message to the branch that is shown, without asking a model.',
      needs: 'ChatWrite',
      body: fields({
        role: z.enum(['system', 'user', 'assistant', 'tool']),
        content,
        reasoningContent: content.nullish(),
        modelId: modelId.nullish(),
        toolCalls: z
          .array(
            ChatToolCallDto.partial({ durationMs: true, escalationId: true, asks: true }).extend({
              argumentsJson: jsonText,
              resultJson: jsonText.nullish(),
            }),
          )
          .max(100)
          .nullish(),
        toolCallId: string.max(200).nullish(),
        toolName: string.max(200).nullish(),
        promptTokens: int32.min(0).nullish(),
        completionTokens: int32.min(0).nullish(),
        responseTimeMs: int64.min(0).nullish(),
      }),
      data: ChatMessageDto,
    }),
    patchMessage: op.patch('/messages/{messageId}', {
      doc: 'Change what a message says, or hide it from the model.',
      needs: 'ChatWrite',
      body: fields({ content: content.nullish(), reasoningContent: content.nullish(), hidden: boolean.nullish() }),
      data: ChatMessageDto,
    }),
    attachment: op.get('/messages/{messageId}/attachments/{index}', {
      doc: 'Download what came with a message, by its place among the attachments, from 0.',
      needs: 'ChatRead',
      data: z.unknown(),
      reply: 'file',
      mediaType: ['application/octet-stream', '*/*'],
    }),
    rate: op.patch('/messages/{messageId}/feedback', {
      doc: 'Rate a reply; a rating can become a training pair.',
      needs: 'ChatWrite',
      body: fields({
        feedback: z.enum(['up', 'down']).nullish(),
        feedbackScore: int32.min(-5).max(5).nullish(),
        feedbackTags: z.array(string.max(100)).max(50).nullish(),
        feedbackComment: string.max(10_000).nullish(),
        feedbackCorrection: content.nullish(),
        createTrainingPair: boolean.nullish(),
      }),
      data: MessageRatingResult,
    }),
  },
);
