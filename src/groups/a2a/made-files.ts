// Files that a run has made, as artifacts of its task: small ones whole, others by the address where they are downloaded.
import type { Artifact, Part } from '@a2a-js/sdk';
import type { RunRecord } from '../../../runtime/records.ts';
import { Fault } from '../../kernel/fault.ts';
import type { FileInfo } from '../../ports/files.ts';
import type { RunFiles, RunWorkspace } from '../../ports/run-files.ts';

/** `whole` has small files in the answer; `named` has addresses alone, for lists and notifications. */
export type HowFiles = 'whole' | 'named';

/** Files of one task that are told of. */
const mostFiles = 50;
/** Bytes of a file that stands in an answer, and of all of them together. */
export const mostFileBytes = 128 << 10;
const mostBytes = 512 << 10;

interface Deps {
  files: Pick<RunFiles, 'workspace'>;
  /** Where the server is, without a trailing slash. */
  publicUrl(): string;
}

export function createMadeFiles({ files, publicUrl }: Deps) {
  return async (run: RunRecord, how: HowFiles): Promise<Artifact[]> => {
    if (run.status !== 'Completed' || run.reviewWorktreePath === null) return [];
    try {
      const workspace = await files.workspace(run);
      return workspace ? await artifactsOf(workspace, how, addressOf(publicUrl(), run.id)) : [];
    } catch (error) {
      // Files may be gone by retention; the result stays.
      if (error instanceof Fault) return [];
      throw error;
    }
  };
}

const addressOf = (base: string, runId: number) => (path: string) =>
  `${base}/api/agent/runs/${runId}/files/download?path=${encodeURIComponent(path)}`;

async function artifactsOf(workspace: RunWorkspace, how: HowFiles, addressOf: (path: string) => string) {
  const { files } = await workspace.diff({ statOnly: true });
  const made = files.filter(({ changeType }) => changeType !== 'Deleted').slice(0, mostFiles);
  let left = how === 'whole' ? mostBytes : 0;
  const artifacts: Artifact[] = [];
  for (const { path } of made) {
    const info = await workspace.info(path);
    const isSmall = info.sizeBytes <= Math.min(left, mostFileBytes);
    if (isSmall) left -= info.sizeBytes;
    const content: Part['content'] = isSmall
      ? { $case: 'raw', value: await bytesOf(workspace, path) }
      : { $case: 'url', value: addressOf(path) };
    artifacts.push(fileArtifact(info, content));
  }
  return artifacts;
}

function fileArtifact({ path, name, mimeType, isBinary }: FileInfo, content: Part['content']): Artifact {
  const mediaType = mimeType ?? (isBinary ? 'application/octet-stream' : 'text/plain');
  return {
    artifactId: `file:${path}`,
    name: path,
    description: '',
    parts: [{ content, filename: name, mediaType, metadata: undefined }],
    metadata: undefined,
    extensions: [],
  };
}

async function bytesOf(workspace: RunWorkspace, path: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await workspace.openBytes(path, null)).body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
