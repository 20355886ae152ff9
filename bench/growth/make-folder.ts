// Makes a filled folder: `tsx bench/growth/make-folder.ts FOLDER RUNS`. In a process of its own, since a connection of
// SQLite is closed for good at its process's end, and the last one to close removes the log of a server that was killed.
import { makeFilledFolder } from './filled-folder.ts';

const [folder, runs] = process.argv.slice(2);
await makeFilledFolder(folder!, Number(runs), console.log);
process.exit();
