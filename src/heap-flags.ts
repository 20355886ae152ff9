// Prints what to tell Node of its heap in the memory that there is: node $(node dist/server/heap-flags.js) dist/server/main.js
import { heapFlags } from './kernel/memory-limit.ts';

console.log(heapFlags().join(' '));
