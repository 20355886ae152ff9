// Tools of a run for its sandbox and workspace.
import { z } from 'zod';
import type { ToolContext, ToolDefinition, ToolOutcome } from '../../runtime/ports.ts';
import { environmentOf } from '../../runtime/state/environment.ts';
import { Fault } from '../../src/kernel/fault.ts';
import type { ExecResult } from '../commands/execution.ts';
import { defaultLimits } from '../limits.ts';
import { createTranscript } from '../output/transcript.ts';
import { shellCommand } from '../shell.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Found } from './changed-files.ts';
import type { RunSandboxes } from './run-sandboxes.ts';

export interface SandboxToolsOptions {
  runs: RunSandboxes;
  /** Limit of a command's duration in ms. */
  commandTimeoutMs: number;
  /**
   * Outcome of a command without a driver: the run fails at once with cause and cure (`fail`), or its model reads
   * them and may continue (`tell`).
   */
  withoutDriver?: 'fail' | 'tell';
  /** Takes secrets out of texts of changed files; those of the run's environment are `known`. */
  scrub?: (text: string, known: string[]) => string;
  /** Receives what keeps changed files out of a run's log; its commands go on. */
  onTrouble?: (error: unknown, runId: number) => void;
}

const path = z.string().min(1).max(4096).describe('Path relative to the workspace.');
/** Limit in bytes of the text that one call returns to a model. */
const shownText = 64 * 1024;
const shownEntries = 1000;

/** shell_exec, file_read, file_write, file_list. */
export function sandboxTools(options: SandboxToolsOptions): ToolDefinition[] {
  const { runs } = options;
  return [shellExec(options), fileRead(runs), fileWrite(runs), fileList(runs)];
}

function shellExec(options: SandboxToolsOptions): ToolDefinition {
  const { commandTimeoutMs, withoutDriver = 'fail' } = options;
  return define({
    name: 'shell_exec',
    displayName: 'Run a command',
    description:
      'Run a command line in the sandbox, in the workspace by default. There is no network unless hosts were allowed, and every command starts in fresh processes; only files in the workspace and /tmp stay. The workspace is under version control by the server, so there is no need to commit.',
    risk: 'Moderate',
    source: 'Sandbox',
    sandboxed: true,
    // The margin lets the command's own timeout end it first.
    timeoutMs: commandTimeoutMs + 30_000,
    whenInterrupted: 'report',
    input: z.strictObject({
      command: z.string().min(1).max(100_000).describe('A command line for bash.'),
      cwd: z.string().max(4096).optional().describe('Folder to start in, relative to the workspace.'),
      timeoutMs: z
        .int()
        .min(100)
        .max(commandTimeoutMs)
        .optional()
        .describe(`Time the command may take; ${defaultLimits.commandTimeoutMs} unless given.`),
    }),
    handler: async (input, context) => {
      try {
        return await execute(options, input, context);
      } catch (error) {
        if (withoutDriver === 'tell' || !(error instanceof Fault) || error.code !== 'NOT_CONFIGURED') throw error;
        const reason = error.text;
        return { content: reason, isError: true, end: { status: 'Failed', reason } };
      }
    },
  });
}

const onFiles = { risk: 'Safe', source: 'Workspace', sandboxed: false } as const;

function fileRead(runs: RunSandboxes): ToolDefinition {
  return define({
    ...onFiles,
    name: 'file_read',
    displayName: 'Read a file',
    description: 'Read a text file of the workspace, whole or a range of lines.',
    input: z.strictObject({ path, fromLine: z.int().min(1).optional(), toLine: z.int().min(1).optional() }),
    handler: async (input, { run }) => {
      const { files } = await runs.workspace(run);
      return readLines(await files.readText(input.path, 16 * shownText), input.fromLine, input.toLine);
    },
  });
}

function fileWrite(runs: RunSandboxes): ToolDefinition {
  return define({
    ...onFiles,
    name: 'file_write',
    displayName: 'Write a file',
    description: 'Write a text file of the workspace; it replaces what was there. Missing folders are made.',
    input: z.strictObject({ path, content: z.string().max(4_000_000) }),
    handler: async (input, { run }) => {
      const workspace = await runs.workspace(run);
      const changes = await runs.changes(run);
      const written = await changes.apart(() => workspace.files.write(input.path, input.content));
      const { path: changed, sizeBytes } = written;
      return {
        content: `Wrote ${changed}, ${sizeBytes} bytes.`,
        set: whereabouts(workspace),
        events: [{ type: 'FileChanged', title: changed, payload: { path: changed, sizeBytes, by: 'file_write' } }],
      };
    },
  });
}

function fileList(runs: RunSandboxes): ToolDefinition {
  return define({
    ...onFiles,
    name: 'file_list',
    displayName: 'List files',
    description: 'List files of the workspace with their sizes.',
    input: z.strictObject({
      path: z.string().max(4096).optional().describe('Folder relative to the workspace; its root when absent.'),
      recursive: z.boolean().optional(),
      glob: z.string().max(500).optional().describe('Only paths that match, e.g. src/**/*.ts'),
    }),
    handler: async (input, { run }) => {
      const { files } = await runs.workspace(run);
      const found = await files.list({
        path: input.path ?? '',
        isRecursive: input.recursive ?? input.glob !== undefined,
        limit: shownEntries + 1,
        ...(input.glob === undefined ? {} : { glob: input.glob }),
      });
      if (found.length === 0) return 'No files.';
      const lines = found
        .slice(0, shownEntries)
        .map((file) => (file.isDirectory ? `${file.path}/` : `${file.path}\t${file.sizeBytes}`));
      if (found.length > shownEntries) lines.push(`… and more than these ${shownEntries}; name a folder or a glob.`);
      return lines.join('\n');
    },
  });
}

/** Keeps the arguments' type within the tool. */
function define<Input>(tool: Omit<ToolDefinition<Input>, 'category'>): ToolDefinition {
  return { category: tool.name.split('_')[0] as string, ...tool } as ToolDefinition;
}

/** Fields of the run that name the place of its work, set on first use. */
export const whereabouts = ({ branch, baseSha, directory }: Workspace) => ({
  reviewBranch: branch,
  reviewBaseSha: baseSha,
  reviewWorktreePath: directory,
});

interface Command {
  command: string;
  cwd?: string | undefined;
  timeoutMs?: number | undefined;
}

async function execute(
  options: SandboxToolsOptions,
  { command, cwd, timeoutMs = defaultLimits.commandTimeoutMs }: Command,
  context: ToolContext,
): Promise<ToolOutcome> {
  const { runs } = options;
  const { run, toolCallId, signal, traceparent } = context;
  const sandbox = await runs.sandbox(run);
  const log = await runs.output(run.id);
  const written = log.command(toolCallId);
  const transcript = createTranscript(shownText);
  const folder = cwd === undefined ? {} : { cwd: cwd.startsWith('/') ? cwd : `/workspace/${cwd}` };
  const environment = environmentOf(run.environmentJson);
  const { result, found } = await watchingFiles(options, context, Object.values(environment), async () => {
    const execution = await sandbox.exec({
      argv: shellCommand(command),
      ...folder,
      // As OpenTelemetry names it for programs that are started.
      env: { ...(traceparent && { TRACEPARENT: traceparent }), ...environment },
      timeoutMs,
      signal,
      onOutput: async (piece) => {
        transcript.add(piece.bytes);
        await written.onOutput(piece);
      },
    });
    const result = await execution.result;
    await written.finish(result);
    signal.throwIfAborted();
    return result;
  });
  return {
    content: `${transcript.text()}${ending(transcript.endsLine(), result)}`,
    isError: result.endedBy !== 'exit',
    set: { ...whereabouts(await runs.workspace(run)), sandboxContainerId: sandbox.id, ...found.set },
    events: found.events,
  };
}

/** Runs a command, and finds out which files it changed. A command is never refused because that fails. */
async function watchingFiles<Result>(
  { runs, scrub = (text) => text, onTrouble }: SandboxToolsOptions,
  { run, toolCallId, idempotencyKey }: ToolContext,
  secrets: string[],
  work: () => Promise<Result>,
): Promise<{ result: Result; found: Found }> {
  const trouble = (error: unknown) => {
    onTrouble?.(error, run.id);
    return null;
  };
  const call = { key: idempotencyKey, callId: toolCallId };
  const told = { filesTold: run.filesTold, scrub: (text: string) => scrub(text, secrets) };
  const changes = await runs.changes(run);
  const earlier = await changes.begin(call, told).catch(trouble);
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    await changes.giveUp(call);
    throw error;
  }
  const own = await changes.end(call, { ...told, ...earlier?.set }).catch(trouble);
  return {
    result,
    found: { set: { ...earlier?.set, ...own?.set }, events: [...(earlier?.events ?? []), ...(own?.events ?? [])] },
  };
}

function ending(isLineEnded: boolean, { exitCode, durationMs, outOfMemory, endedBy }: ExecResult): string {
  const memory = outOfMemory && endedBy === 'exit' ? ' A process was killed for want of memory.' : '';
  const seconds = (durationMs / 1000).toFixed(1);
  return `${isLineEnded ? '' : '\n'}[exit code ${exitCode ?? 'none'}, ${seconds} s]${memory}`;
}

function readLines(
  file: { path: string; text: string | null; truncated: boolean; sizeBytes: number },
  fromLine = 1,
  toLine = Number.POSITIVE_INFINITY,
): ToolOutcome | string {
  if (file.text === null) return { content: `${file.path} is binary, ${file.sizeBytes} bytes.`, isError: true };
  const lines = file.text.split('\n');
  const chosen = lines.slice(fromLine - 1, toLine).join('\n');
  if (chosen.length <= shownText) return file.truncated ? `${chosen}\n[the file goes on]` : chosen;
  return `${chosen.slice(0, shownText)}\n[cut; the file has ${lines.length} lines: ask for a range of them]`;
}
