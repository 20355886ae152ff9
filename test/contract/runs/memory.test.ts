// The contract on the store in memory.
import { createMemoryDisk } from '../../../runtime/testing/memory-store.ts';
import { runStoreContract } from './suite.ts';

runStoreContract({
  name: 'memory',
  async open() {
    const disk = createMemoryDisk();
    return { store: disk.connect(), other: disk.connect(), close: async () => {} };
  },
});
