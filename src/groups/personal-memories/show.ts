// Personal memories as they are answered.
import { shown } from '../../ports/shown.ts';
import { PersonalMemoryDto } from './dto.ts';
import type { PersonalMemoryDoc } from './record.ts';

export const toPersonalMemoryDto = (doc: PersonalMemoryDoc): PersonalMemoryDto =>
  shown(PersonalMemoryDto, doc, { hasEmbedding: doc.embeddingModel !== null });
