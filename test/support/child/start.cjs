// Runs the server of one file with the code that V8 compiled for it before. SIGUSR2 keeps that code and ends.
const { readFileSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join, resolve } = require('node:path');
const vm = require('node:vm');

const file = process.argv[2];
const codeFile = join(dirname(file), 'code');
/** As if it lay where the built server does: what it looks for beside itself is there. */
const place = resolve(__dirname, '../../../dist/server/main.js');

function keptCode() {
  try {
    return readFileSync(codeFile);
  } catch {
    return undefined;
  }
}

const text = readFileSync(file, 'latin1');
const script = new vm.Script(
  `(function (exports, require, module, __filename, __dirname, importOutside) {${text}\n})`,
  {
    filename: file,
    cachedData: keptCode(),
  },
);
process.once('SIGUSR2', () => {
  writeFileSync(codeFile, script.createCachedData());
  process.exit(0);
});
const made = { exports: {} };
script.runInThisContext()(made.exports, createRequire(place), made, place, dirname(place), (name) => import(name));
