// The whole server in a process of its own, on a new embedded store or on the MongoDB that the environment names.
import { loadConfig } from '../src/config.ts';
import { silentLogger } from '../src/kernel/logger.ts';
import { startServer } from '../src/server.ts';

const server = await startServer({ config: loadConfig(), log: silentLogger });
process.on('disconnect', () => {
  setTimeout(() => process.exit(1), 5000).unref();
  void server.close().finally(() => process.exit(0));
});
process.send?.({ url: server.url });
