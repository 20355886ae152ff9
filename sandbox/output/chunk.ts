// Chunk of a sandbox's output, as stored and sent.
import type { OutputStream } from '../commands/execution.ts';

export interface SandboxChunk {
  /** Number of the chunk from 1, without gaps, over all commands of the sandbox. */
  seq: number;
  stream: OutputStream;
  /** Text, ANSI sequences included. */
  text: string;
  /** The exact bytes where they are not UTF-8, else null. */
  base64: string | null;
  toolCallId: string | null;
  /** Exit code, on the last chunk of a command. */
  exitCode: number | null;
  /** ISO 8601, UTC. */
  atUtc: string;
}

/** The chunk as `SandboxChunkDto`, whose clients read text only. */
export function toSandboxChunkDto(runId: number, { base64: _, ...chunk }: SandboxChunk) {
  return { runId, ...chunk };
}

/** Bytes of a chunk. */
export function chunkBytes(chunk: SandboxChunk): Buffer {
  return chunk.base64 === null ? Buffer.from(chunk.text) : Buffer.from(chunk.base64, 'base64');
}
