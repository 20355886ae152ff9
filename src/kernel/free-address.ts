// Whether a server could listen on an address: the system is asked by listening on it for a moment.
import { createServer } from 'node:net';

/** @throws NodeJS.ErrnoException, as of `listen`, where nobody could listen there now; port 0 stands for any */
export function requireFreeAddress({ host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = createServer();
    asked.once('error', reject);
    asked.listen({ host, port, exclusive: true }, () => asked.close(() => resolve()));
  });
}
