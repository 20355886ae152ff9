// Memories and links as answers and as events.

import { hasEmbedding } from '../../memory/indexing.ts';
import { shown } from '../../ports/shown.ts';
import { shortened } from '../texts.ts';
import { HebbianLinkDto, MemoryListDto, MemoryWriteDto } from './dto.ts';
import type { LinkDoc, MemoryDoc } from './record.ts';

const excerptCharacters = 200;

export const toWriteDto = (memory: MemoryDoc): MemoryWriteDto =>
  shown(MemoryWriteDto, memory, { hasEmbedding: hasEmbedding(memory), contentLength: memory.content.length });

export const toListDto = (memory: MemoryDoc): MemoryListDto =>
  shown(MemoryListDto, memory, {
    hasEmbedding: hasEmbedding(memory),
    contentLength: memory.content.length,
    excerpt: shortened(memory.content, excerptCharacters),
  });

/** Titles only of memories that the caller may read. */
export const toLinkDto = (link: LinkDoc, titles: ReadonlyMap<number, string> = new Map()): HebbianLinkDto =>
  shown(HebbianLinkDto, link, {
    fromMemoryTitle: titles.get(link.fromMemoryId) ?? null,
    toMemoryTitle: titles.get(link.toMemoryId) ?? null,
  });

/** Without its text, for whoever follows the identity. */
export const silent = <Dto extends { title: string; tags: string[] }>(dto: Dto): Dto => ({
  ...dto,
  title: '',
  tags: [],
  ...('excerpt' in dto && { excerpt: '' }),
});
