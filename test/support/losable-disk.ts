// A disk whose power can be cut: what was not synced is gone then, which no kill of a process shows.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface LosableDisk {
  /** Where it is mounted. */
  readonly folder: string;
  /** Ends all writes to it at once, and forgets what has not reached it. */
  cut(): void;
  /** Mounts it as after a power failure. */
  restore(): void;
  remove(): void;
}

/** EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH: not even the journal is written (Linux, fs/ext4/ext4.h). */
const shutDown = `
import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack('I', 2))
`;

/** Makes one of so many megabytes in a file; null where this process may not mount it. */
export function losableDisk(megabytes: number): LosableDisk | null {
  const place = mkdtempSync(join(tmpdir(), 'rivulet-disk-'));
  const image = join(place, 'image');
  const folder = join(place, 'disk');
  const run = (program: string, ...words: string[]) => execFileSync(program, words, { stdio: 'pipe' });
  const mount = () => run('mount', '-o', 'loop', image, folder);
  try {
    mkdirSync(folder);
    run('python3', '--version');
    run('truncate', '-s', `${megabytes}M`, image);
    run('mkfs.ext4', '-q', '-F', image);
    mount();
  } catch {
    rmSync(place, { recursive: true });
    console.warn('Power cuts are not tried: no ext4 can be mounted here, or python3 is missing.');
    return null;
  }
  return {
    folder,
    cut: () => void run('python3', '-c', shutDown, folder),
    restore() {
      run('umount', '-l', folder);
      // Sandboxes, also those of other tests, may still have the old one among their mounts: a copy is another disk.
      run('cp', '--sparse=always', image, `${image}.copy`);
      renameSync(`${image}.copy`, image);
      mount();
    },
    remove() {
      run('umount', '-l', folder);
      rmSync(place, { recursive: true });
    },
  };
}
