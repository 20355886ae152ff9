// Files of a workspace are synced before somebody is told of them.
import { fewAtOnce, isDiskFailure, syncFile } from '../../src/kernel/sync-files.ts';
import { atPath, pathParts } from './inside.ts';

/** Files that are gone or unreadable by now are passed over. */
export const syncInside = (root: string, paths: Iterable<string>): Promise<void> =>
  fewAtOnce(paths, (path) =>
    atPath(root, pathParts(path), (spot) => syncFile(spot.path)).catch((error) => {
      if (isDiskFailure(error)) throw error;
    }),
  );
