// How much room a disk has, and whether that is enough for a server.

/** Bytes: below them there is little room for a backup or a burst, and hardly any for a log of the database. */
const little = 1e9;
const hardlyAny = 1e8;
/** Percent: a disk that is fuller than this has little room, too. */
const nearlyFull = 98;

export interface Room {
  state: 'Healthy' | 'Degraded' | 'Unhealthy';
  /** Of what this process may use, to a tenth. */
  usedPercent: number;
  /** As people read it: `12.3 GB`, `345 MB`. */
  free: string;
}

/** @param space bytes of a disk that this process may still use, and those that are used */
export function roomOf({ free, used }: { free: number; used: number }): Room {
  const usedPercent = Math.round((used / Math.max(1, used + free)) * 1000) / 10;
  return {
    state: free < hardlyAny ? 'Unhealthy' : free < little || usedPercent > nearlyFull ? 'Degraded' : 'Healthy',
    usedPercent,
    free: free < 1e9 ? `${Math.floor(free / 1e6)} MB` : `${(free / 1e9).toFixed(1)} GB`,
  };
}
