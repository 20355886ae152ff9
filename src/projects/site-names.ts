// Names of projects' public sites: the one that a site's address has, and the project that a name means.
import type { Clock } from '../kernel/clock.ts';
import type { Db } from '../ports/db.ts';
import { type ProjectDoc, projectRecord } from './record.ts';

/** Milliseconds that a name is taken for the project that it meant. */
const knownMs = 500;
const mostKnown = 1000;

export const siteNameOf = ({ siteSlug, key }: ProjectDoc): string => siteSlug ?? key.toLowerCase();

/** Finds the project whose site has a name: its slug, or the key or the id of the project. Null where none is shown. */
export function createSiteNames({ db, clock }: { db: Db; clock: Clock }): (name: string) => Promise<number | null> {
  const projects = db.collection(projectRecord.spec);
  const known = new Map<string, { at: number; projectId: Promise<number | null> }>();
  const look = async (name: string): Promise<number | null> => {
    const shown = { siteEnabled: true, deletedAt: null };
    const bySlug = await projects.findOne({ siteSlug: name.toLowerCase(), ...shown });
    if (bySlug) return bySlug._id;
    const byId = /^\d{1,15}$/.test(name) ? await projects.findOne({ _id: Number(name), ...shown }) : null;
    if (byId) return byId._id;
    const byKey = await projects.find({ key: name.toUpperCase(), ...shown }, { limit: 2 }).toArray();
    // A key may be that of several tenants: then the slug tells them apart.
    return byKey.length === 1 ? (byKey[0]?._id ?? null) : null;
  };
  return (name) => {
    const there = known.get(name);
    if (there && clock.steady() - there.at < knownMs) return there.projectId;
    const projectId = look(name);
    known.delete(name);
    known.set(name, { at: clock.steady(), projectId });
    // A site is shown as soon as it is switched on.
    projectId.then(
      (id) => id === null && known.delete(name),
      () => known.delete(name),
    );
    if (known.size > mostKnown) known.delete(known.keys().next().value as string);
    return projectId;
  };
}
