// The public sites of projects: the server's own builder, and which folder is shown under which name.
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { addressOf, type OwnAddress } from '../groups/base-url.ts';
import { type DocDoc, docRecord, versionRecord } from '../groups/docs/record.ts';
import { publishedOf } from '../groups/site-builds/published.ts';
import { createBuildQueue } from '../groups/site-builds/queue.ts';
import { type SiteBuildDoc, siteBuildRecord } from '../groups/site-builds/record.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { createRounds } from '../kernel/rounds.ts';
import type { Gate } from '../ports/queues.ts';
import type { Publisher } from '../ports/stream.ts';
import { perTenant } from '../ports/tenanted.ts';
import { type ProjectDoc, projectRecord } from '../projects/record.ts';
import { createSiteNames, siteNameOf } from '../projects/site-names.ts';
import { buildSite } from '../sites/build.ts';
import { createSiteFolders } from '../sites/folders.ts';
import type { SiteDoc, SiteSource } from '../sites/site.ts';
import type { Storage } from './storage.ts';

interface Deps {
  config: Config;
  storage: Storage;
  publisher: Publisher;
  nodeId: string;
  address: OwnAddress;
  gate: Gate;
  clock: Clock;
  log: Logger;
}

/** Milliseconds between two looks for builds that wait, and how long a builder may be silent. */
const lookEveryMs = 500;
const leaseMs = 30_000;
const builder = 'server';

export async function openSites(deps: Deps) {
  const { config, storage, clock } = deps;
  const log = deps.log.child({ domain: 'SiteBuild' });
  const folders = createSiteFolders(join(config.dataDir, 'sites'));
  const queue = createBuildQueue({ ...storage, clock, publisher: deps.publisher });
  // The embedded store has one process: what a builder of it holds was held by one that is gone.
  if (storage.file) await queue.recover(({ claimedBy }) => claimedBy === builder);
  const rounds = createRounds({ clock, log });
  let closing = false;
  const build = createBuilder({ ...deps, folders, queue, isClosing: () => closing });
  if (config.siteBuilder === 'server')
    rounds.start({
      name: 'site builds',
      everyMs: lookEveryMs,
      work: async () => (deps.gate.isPaused() ? undefined : build.all()),
    });
  const projectOf = createSiteNames({ ...storage, clock });
  const projects = storage.db.collection(projectRecord.spec);
  const builds = perTenant(storage.db.collection(siteBuildRecord.spec));
  return {
    async folderOf(name: string): Promise<string | null> {
      const projectId = await projectOf(name);
      return projectId === null ? null : folders.current(projectId);
    },
    async isElsewhere(name: string): Promise<boolean> {
      const projectId = storage.kind === 'MongoDB' ? await projectOf(name) : null;
      const project = projectId === null ? null : await projects.findOne({ _id: projectId });
      if (!project) return false;
      const built = { projectId: project._id, status: 'Published', claimedBy: builder } as const;
      return (await builds(project.tenantId).findOne(built)) !== null;
    },
    close: () => {
      closing = true;
      return rounds.close();
    },
  };
}

interface BuilderDeps extends Deps {
  folders: ReturnType<typeof createSiteFolders>;
  queue: ReturnType<typeof createBuildQueue>;
  isClosing(): boolean;
}

function createBuilder({ storage, nodeId, clock, log, address, gate, folders, queue, isClosing }: BuilderDeps) {
  const projects = perTenant(storage.db.collection(projectRecord.spec));
  const sourceOf = createSourceOf({ storage, clock, base: () => addressOf(address) });

  const make = async (claimed: SiteBuildDoc): Promise<string> => {
    const { tenantId, projectId, _id } = claimed;
    const project = await projects(tenantId).findOne({ _id: projectId, deletedAt: null });
    if (!project?.siteEnabled) throw new Error('The site of the project has been switched off.');
    const folder = await folders.begin(projectId, _id);
    let renewedAt = clock.steady();
    const progress = async () => {
      if (isClosing()) throw new Error('The server stops.');
      if (clock.steady() - renewedAt < leaseMs / 3) return;
      renewedAt = clock.steady();
      if (!(await queue.renew(claimed, leaseMs))) throw new Error('The lease of the build has ended.');
    };
    try {
      const previous = (await queue.isForced(claimed)) ? null : await folders.current(projectId);
      const built = await buildSite({ source: await sourceOf(project), folder, previous, progress });
      // A builder that was taken for dead shows nothing: its successor does.
      if (!(await queue.renew(claimed, leaseMs))) throw new Error('The lease of the build has ended.');
      await folders.publish(projectId, folder);
      return `${built.pages} documents, ${built.rendered} of them rendered anew.`;
    } catch (error) {
      await folders.discard(folder);
      throw error;
    }
  };

  return {
    async all(): Promise<void> {
      while (!isClosing() && !gate.isPaused()) {
        const claimed = await queue.claim({ by: builder, builderHost: nodeId, leaseMs });
        if (!claimed) return;
        try {
          await queue.complete(claimed, { success: true, detail: await make(claimed) });
        } catch (error) {
          // A server that stops leaves the build to the next one.
          if (isClosing()) return;
          log.error({ err: error, build: claimed._id }, 'a site could not be built');
          await queue.complete(claimed, {
            success: false,
            detail: `${(error as Error).message} The site is as it was.`,
          });
        }
      }
    },
  };
}

/** What a project's site is made from, as it is now. */
function createSourceOf({ storage, clock, base }: { storage: Storage; clock: Clock; base: () => string }) {
  const docs = perTenant(storage.db.collection(docRecord.spec));
  const versions = perTenant(storage.db.collection(versionRecord.spec));
  return async (project: ProjectDoc): Promise<SiteSource> => {
    const { tenantId, _id } = project;
    const found = await docs(tenantId)
      .find(publishedOf(_id, new Date(clock.now())))
      .toArray();
    const contentOf = async (some: readonly SiteDoc[]) => {
      const wanted = new Map(some.map((doc) => [doc._id, doc.version]));
      const texts = new Map<number, string>();
      for (const [docId, version] of wanted)
        texts.set(docId, (await versions(tenantId).findOne({ docId, version }))?.content ?? '');
      return texts;
    };
    const url = `${base().replace(/\/$/, '')}/sites/${encodeURIComponent(siteNameOf(project))}/`;
    return { name: project.name, description: project.description, url, docs: found.map(toSiteDoc), contentOf };
  };
}

const toSiteDoc = (doc: DocDoc): SiteDoc => ({
  ...doc,
  isPost: doc.type === 'Blog',
  publishedAt: doc.publishedAt ?? doc.createdAt,
});
