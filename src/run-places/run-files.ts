// Port RunFiles over the runs' sandboxes and workspaces.
import type { RunSandboxes } from '../../sandbox/runs/run-sandboxes.ts';
import { packFolder } from '../../sandbox/workspace/pack.ts';
import type { RunFiles } from '../ports/run-files.ts';

export function createRunFiles(sandboxes: RunSandboxes): RunFiles {
  return {
    workspace: async (run) => {
      if (run.reviewWorktreePath === null) return null;
      const { branch, baseSha, head, files, diff } = await sandboxes.workspace(run);
      return {
        branch,
        baseSha,
        head,
        list: (path, isRecursive) => files.list({ path, isRecursive }),
        info: files.info,
        readText: files.readText,
        openBytes: (path, range) => files.openBytes(path, range ?? undefined),
        zip: (path) => packFolder(files, path, 'zip'),
        // `hold` keeps the files from changing while they are compared.
        diff: (options) => diff(options, (work) => sandboxes.hold(run.id, work)),
      };
    },
    output: async (runId) => {
      const log = await sandboxes.outputOf(runId);
      return {
        get epoch() {
          return log.epoch;
        },
        get lastSeq() {
          return log.lastSeq;
        },
        follow: async function* (afterSeq, live, signal) {
          for await (const item of log.read(afterSeq, { follow: live, signal })) {
            if (item.type === 'gap') yield item;
            else {
              const { base64: _, ...chunk } = item.chunk;
              yield { type: 'chunk' as const, chunk };
            }
          }
          // The log of an ended run was opened for this reader only.
          if (!live) await sandboxes.release(runId);
        },
      };
    },
  };
}
