// All commands of `rivulet` with their options; what each does is in a file of its own.
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type CliSettings, loadCliSettings } from '../config.ts';
import { version } from '../version.ts';
import { exportArchive, importArchive } from './archives.ts';
import { chat } from './chat.ts';
import { completionScript, shells } from './completion.ts';
import { addressOf, connect, createKeyring, type Keyring, nameOf, type ServerOptions } from './connection.ts';
import { demoScenes, runDemo } from './demo.ts';
import { doctor } from './doctor.ts';
import { exitCodes } from './failures.ts';
import { backup, refreshedPrices, restoreBackup, signInLink } from './folder.ts';
import { createPrinter, type Printer } from './output.ts';
import { cancelRun, followRun, listRuns, startRun } from './runs.ts';

/** The server's own file, beside the folder of this one once it is built. */
const mainFile = () => fileURLToPath(new URL('../main.js', import.meta.url));

const wholeNumber = (text: string) => {
  if (!/^\d{1,15}$/.test(text) || Number(text) < 1) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(text);
};
const named = (text: string) => {
  if (text.trim() === '') throw new InvalidArgumentError('It must have a name.');
  return text;
};
const dollars = (text: string) => {
  if (!(Number(text) > 0)) throw new InvalidArgumentError('It must be an amount in dollars, like 0.5.');
  return Number(text);
};
const times = (text: string) => {
  if (!(Number(text) > 0)) throw new InvalidArgumentError('It must be a number, like 4 or 0.5.');
  return Number(text);
};

const jsonOption = ['--json', 'print JSON: one document, or one line an event'] as const;

interface Common extends ServerOptions {
  json?: boolean;
}

/** What the commands of one program share. */
interface World {
  program: Command;
  settings: CliSettings;
  keyring: Keyring;
  printer(options: Common): Printer;
  reach(options: Common): ReturnType<typeof connect>;
  /** A command on this machine alone. */
  local(usage: string, description: string, under?: Command): Command;
  /** A command that talks to a server. */
  remote(usage: string, description: string): Command;
}

export function createProgram(settings: CliSettings = loadCliSettings()): Command {
  const program = new Command('rivulet')
    .description('Rivulet: a self-hosted, stream-first runtime for AI agents.')
    .version(version, '-V, --version')
    .addHelpText('after', `\n${exitText}`)
    .exitOverride();
  const keyring = createKeyring(settings.keyFile);
  const world: World = {
    program,
    settings,
    keyring,
    printer: (options) => createPrinter({ json: options.json, noColor: !settings.color }),
    reach: (options) => connect(options, settings, keyring),
    local: (usage, description, under = program) =>
      under
        .command(usage)
        .description(description)
        .option(...jsonOption),
    remote: (usage, description) =>
      program
        .command(usage)
        .description(description)
        .option('--url <url>', 'the server (RIVULET_URL; else the one of the last login, else this machine)')
        .option('--key <key>', 'a key for it (RIVULET_KEY; else the one that login has kept)')
        .option(...jsonOption),
  };
  program
    .command('start')
    .description('start the server on the folder of RIVULET_DATA (./data); settings come from the environment')
    .action(async () => void (await import('../main.ts')));
  runCommands(world);
  talkCommands(world);
  folderCommands(world);
  accessCommands(world);
  program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(program.createArgument('<shell>').choices(shells))
    .action((shell) => void process.stdout.write(completionScript(program, shell)));
  for (const command of [...program.commands, ...program.commands.flatMap(({ commands }) => commands)])
    command.exitOverride().showHelpAfterError(`("rivulet help ${command.name()}" tells its options.)`);
  return program;
}

/** Sets the exit code that a command answers. */
const exitWith = async (code: Promise<number>) => {
  process.exitCode = await code;
};

function runCommands({ remote, settings, keyring, printer, reach }: World): void {
  remote('demo', 'start a run, on a running server or one of its own, and show it live')
    .option('--goal <text>', 'what the run shall do', 'Show what Rivulet does: plan, use tools and report.')
    .option('--model <provider:model>', 'its model')
    .addOption(new Option('--scene <name>', 'a scene in place of a goal').choices(demoScenes))
    .option('--speed <times>', 'how fast the scene is played, e.g. 4', times)
    .action((options) => exitWith(runDemo(options, { settings, keyring, mainFile: mainFile() })));
  remote('run <goal>', 'start a run and follow it to its end')
    .option('--model <provider:model>', 'its model')
    .option('--role <name>', 'its role')
    .option('--identity <id>', 'the identity that it acts as', wholeNumber)
    .option('--project <id>', 'the project that it works in', wholeNumber)
    .option('--max-cost <dollars>', 'what its whole tree may cost', dollars)
    .option('--max-turns <n>', 'model calls at most', wholeNumber)
    .option('--detach', 'print its id and leave it to itself')
    .action(async (goal, options) =>
      exitWith(startRun(await reach(options), printer(options), settings, goal, options)),
    );
  remote('follow', 'show a run from its beginning until it ends; leaving it does not stop it')
    .argument('<run>', 'its id', wholeNumber)
    .action(async (run, options) => exitWith(followRun(await reach(options), printer(options), settings, run)));
  remote('cancel', 'cancel a run with its descendants')
    .argument('<run>', 'its id', wholeNumber)
    .action(async (run, options) => cancelRun(await reach(options), printer(options), run));
  remote('runs', 'list runs, newest first')
    .addOption(new Option('--status <status...>', 'only runs in these states'))
    .option('--search <text>', 'only runs whose goal or result has these words')
    .option('--active', 'only runs that have not ended')
    .option('--limit <n>', 'how many', wholeNumber, 20)
    .action(async (options) => listRuns(await reach(options), printer(options), options));
}

function talkCommands({ remote, printer, reach }: World): void {
  remote('chat [message...]', 'chat: one message and its reply, or a conversation in the terminal')
    .option('--session <id>', 'go on in this session', wholeNumber)
    .option('--model <provider:model>', 'the model')
    .option('--identity <id>', 'whom to talk with', wholeNumber)
    .action(async (words, options) => exitWith(chat(await reach(options), printer(options), words.join(' '), options)));
  remote('import <file>', 'import an archive of ChatGPT, Claude, Gemini and others; a person commits it after a review')
    .option('--identity <id>', 'whose memory it goes to', wholeNumber)
    .option(
      '--commit',
      'remember without a review what one includes at first: nothing flagged, no branch that was left',
    )
    .action(async (file, options) => exitWith(importArchive(await reach(options), printer(options), file, options)));
  remote('export', 'write what the tenant, an identity or a chat holds into a file')
    .option('--identity <id>', 'one identity', wholeNumber)
    .option('--chat <id>', 'one chat', wholeNumber)
    .option('--portable', 'an identity as portable JSON instead of a ZIP')
    .requiredOption('-o, --out <file>', 'the file; "-" is the output')
    .action(async (options) => exportArchive(await reach(options), printer(options), options));
}

function accessCommands({ remote, settings, keyring, printer }: World): void {
  remote('login', 'keep a key for a server, and use that server from now on').action(async (options) => {
    const url = addressOf(options, settings, keyring);
    const { client, key } = await connect({ ...options, url }, settings, keyring);
    const me = await client.auth.me();
    if (options.key ?? settings.key) keyring.keep(url, key);
    const line = `${url} is used from now on, as ${nameOf(me)}. Its key is kept in ${settings.keyFile}.`;
    printer(options).tell({ result: { url, as: nameOf(me), keyFile: settings.keyFile }, lines: [line] });
  });
  remote('logout', 'forget the key that is kept for a server').action((options) => {
    const url = addressOf(options, settings, keyring);
    const gone = keyring.forget(url);
    const line = gone ? `The key for ${url} is forgotten.` : `No key is kept for ${url}.`;
    printer(options).tell({ result: { url, forgotten: gone }, lines: [line] });
  });
  remote('doctor', 'check this machine, the settings, the folder and the server').action((options) =>
    exitWith(doctor({ options, settings, keyring, printer: printer(options) })),
  );
}

function folderCommands({ program, local, settings, printer }: World): void {
  local('backup', 'write a backup of RIVULET_DATA into a new or empty folder; the server may go on working')
    .argument('<folder>', 'a new or empty one', named)
    .action(async (folder, options) => printer(options).tell(await backup(folder)));
  local('restore', 'restore a backup into RIVULET_DATA, which must be empty; no server may work on it')
    .argument('<folder>', 'the backup', named)
    .action(async (folder, options) => printer(options).tell(await restoreBackup(folder)));
  local('move', 'move the documents of RIVULET_DATA into the empty database of MONGODB_URI; no server may work on them')
    // Loaded here, since it reads the code of both stores.
    .action(async (options) => printer(options).tell(await (await import('./move.ts')).moveToMongo()));
  local(
    'prices [source]',
    "refresh the list prices of models from LiteLLM's list, or an address or file in its format",
  ).action(async (source, options) => printer(options).tell(await refreshedPrices(settings.dataDir, source)));
  const admin = program.command('admin').description('for the operator of this machine');
  local('reset', 'print a sign-in link for the administrator who has lost password and key', admin)
    .alias('link')
    .action(async (options) => printer(options).tell(await signInLink()));
}

const exitText = `Exit codes: ${exitCodes.done} done, ${exitCodes.failed} failed, ${exitCodes.usage} wrong usage, ${exitCodes.unreachable} no server, ${exitCodes.refused} not permitted, ${exitCodes.ended} the run ended other than Completed.`;
