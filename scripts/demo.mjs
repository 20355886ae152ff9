// `npm run demo`: builds what is stale, then runs the demo in this process.
import './build.mjs';

await import('../dist/server/demo/demo.js');
