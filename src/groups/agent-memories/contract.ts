// Agent memories: what runs of a role or a project have learned, for the next ones.
import { z } from 'zod';
import { crud } from '../../contract/crud.ts';
import { AgentMemoryKind, MemoryType, ReinforcementOutcome } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { boolean, dateTime, fields, float, int32, int64, string } from '../../contract/types.ts';
import { MemoryWriteDto } from '../memories/dto.ts';
import { AgentMemoryDto, AgentMemoryHit } from './dto.ts';

const title = string.trim().min(1).max(300);
const content = string.trim().min(1).max(16_000);
const tag = string.trim().min(1).max(100);
const tags = z.array(tag).max(50);
const share = float.min(0).max(1);
const read = 'MemoriesRead';
const write = 'MemoriesWrite';

export const agentMemories = group(
  'AgentMemories',
  {
    base: '/api/agent-memories',
    doc: 'What runs have learned: the next ones of the role or project are told of it, the most useful first.',
  },
  {
    ...crud({
      noun: 'agent memory',
      dto: AgentMemoryDto,
      read,
      write,
      sorts: ['createdAtUtc', 'updatedAtUtc', 'title', 'useCount', 'helpedCount', 'confidence', 'id'],
      filters: {
        roleDefinitionId: int64.optional(),
        projectId: int64.optional(),
        identityId: int64.optional(),
        sourceRunId: int64.optional(),
        kind: AgentMemoryKind.optional(),
        tag: tag.optional(),
        includeExpired: boolean.optional(),
      },
      create: {
        title,
        content,
        kind: AgentMemoryKind,
        roleDefinitionId: int64.nullish(),
        projectId: int64.nullish(),
        identityId: int64.nullish(),
        sourceRunId: int64.nullish(),
        confidence: share.nullish(),
        tags: tags.nullish(),
        expiresAtUtc: dateTime.nullish(),
      },
      patch: {
        title: title.optional(),
        content: content.optional(),
        kind: AgentMemoryKind.optional(),
        roleDefinitionId: int64.nullish(),
        projectId: int64.nullish(),
        confidence: share.optional(),
        tags: tags.optional(),
        expiresAtUtc: dateTime.nullish(),
      },
      docs: {
        list: 'List agent memories, newest first; expired ones with includeExpired alone.',
        create: 'Record what a run has learned. Runs of its role or project are told of it; without either, all runs.',
      },
    }),
    search: op.get('/search', {
      doc: 'Search by words and meaning; of what matches alike, what has helped comes first.',
      needs: read,
      query: fields({
        q: string.trim().min(1).max(2000),
        roleDefinitionId: int64.optional(),
        projectId: int64.optional(),
        kind: AgentMemoryKind.optional(),
        limit: int32.min(1).max(100).default(10),
        minScore: share.optional(),
      }),
      data: z.array(AgentMemoryHit),
    }),
    reinforce: op.post('/{id}/reinforce', {
      doc: 'Say whether the memory helped or hurt; a run counts once, and what a run was told of is also counted by how it ends.',
      needs: write,
      body: fields({ outcome: ReinforcementOutcome, runId: int64.nullish(), notes: string.max(2000).nullish() }),
      data: AgentMemoryDto,
    }),
    promote: op.post('/{id}/promote', {
      doc: "Copy the memory into an identity's own memories.",
      needs: write,
      body: fields({
        identityId: int64,
        type: MemoryType.nullish(),
        importance: int32.min(0).max(100).nullish(),
        isShared: boolean.nullish(),
        removeOriginal: boolean.nullish(),
      }),
      data: MemoryWriteDto,
    }),
  },
);
