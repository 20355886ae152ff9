// What an export would contain, counted.
import type { z } from 'zod';
import { dateTime, dto, int32, string } from '../../contract/types.ts';

export const ExportManifest = dto('ExportManifest', {
  version: string,
  exportedAtUtc: dateTime,
  identityCount: int32,
  memoryCount: int32,
  hebbianLinkCount: int32,
  factCount: int32,
  projectCount: int32,
  taskCount: int32,
  docCount: int32,
  messageCount: int32,
  chatSessionCount: int32,
  reflectionCount: int32,
  trainingPairCount: int32,
  handoffCount: int32,
  hintCount: int32,
  agentRunCount: int32,
  graphNodeCount: int32,
  graphEdgeCount: int32,
  agentEventCount: int32,
});
export type ExportManifest = z.output<typeof ExportManifest>;
