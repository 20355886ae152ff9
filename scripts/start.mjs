// `npm start`: builds what is stale, then runs the server in this process.
import './build.mjs';

await import('../dist/server/main.js');
