// Files that share a process leave it as it was: servers, listeners, environment and folder are the next file's too.
import { afterAll, expect, vi } from 'vitest';
// Asked for here and not as a second setup file, since each of those is fetched anew for every file of tests.
import './properties.ts';

/** Set once a process by the server's own adapter, before it loads its library. */
const ofTheProcess = 'UWS_HTTP_MAX_HEADERS_SIZE';

function surroundings() {
  const { [ofTheProcess]: _, ...environment } = process.env;
  // Libraries listen for the exit of the process once they are loaded.
  const events = process.eventNames().filter((name) => name !== 'exit');
  return {
    environment,
    folder: process.cwd(),
    listeners: Object.fromEntries(events.map((name) => [String(name), process.listenerCount(name)])),
    // What asks again at each turn takes a whole processor from all that follow.
    isSpinning: process.getActiveResourcesInfo().includes('Immediate'),
    servers: process.getActiveResourcesInfo().filter((kind) => kind === 'TCPServerWrap').length,
  };
}

// A single Immediate may be under way when a file begins; none may go on when it has ended.
const before = { ...surroundings(), isSpinning: false };
// Said before the file's own hooks, so carried out after them. What was closed may go a moment later.
afterAll(() => vi.waitFor(() => expect(surroundings()).toEqual(before), { timeout: 10_000 }));
