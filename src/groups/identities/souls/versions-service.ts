// Shows, compares and restores the souls that an identity had.
import { createTwoFilesPatch } from 'diff';
import type { Caller } from '../../../contract/caller.ts';
import { implement } from '../../../contract/operation.ts';
import { toPage } from '../../../contract/page.ts';
import { shown } from '../../../ports/shown.ts';
import type { Roles } from '../../agent/roles/roles.ts';
import type { People } from '../people.ts';
import { toIdentityDto } from '../to-dto.ts';
import { soulVersions } from './contract.ts';
import { SoulVersionDto } from './dto.ts';
import { createOverwriting } from './overwriting.ts';
import { readSoul } from './soul.ts';
import { soulFile } from './soul-file.ts';
import type { SoulVersionDoc, SoulVersions } from './versions.ts';

interface Deps {
  people: People;
  roles: Roles;
  versions: SoulVersions;
}

export const soulVersionsService = implement(soulVersions, ({ people, roles, versions }: Deps) => {
  const { overwrite } = createOverwriting({ people, roles });
  const find = async (caller: Caller, { id, versionId }: { id: number; versionId: number }) => {
    const identity = await people.get(caller, id);
    return { identity, version: await versions.keeper.get(caller, versionId, { identityId: identity._id }) };
  };

  return {
    list: async ({ caller, params, query }) => {
      const { _id: identityId } = await people.get(caller, params.id);
      const { items, totalCount } = await versions.keeper.page(caller, query, { within: { identityId } });
      return toPage(items.map(toVersionDto), totalCount, query);
    },
    get: async ({ caller, params, query }) => {
      const { identity, version } = await find(caller, params);
      return soulFile(version.markdown, `${identity.name}-${version.number}`, query.download);
    },
    diff: async ({ caller, params, query: { againstId } }) => {
      const { identity, version } = await find(caller, params);
      const against =
        againstId === undefined
          ? await versions.before(version)
          : (await find(caller, { id: params.id, versionId: againstId })).version;
      return {
        identityId: identity._id,
        fromNumber: against?.number ?? null,
        toNumber: version.number,
        diff: diffOf(against, version),
      };
    },
    restore: async ({ caller, params }) => {
      const { version } = await find(caller, params);
      const soul = readSoul(version.markdown);
      const { displayName } = soul;
      return toIdentityDto(await overwrite(caller, params.id, soul, { displayName }, { exact: true }));
    },
  };
});

/** Lines that may differ before a comparison is given up: its time grows with their square. */
const mostEdits = 2000;

function diffOf(from: SoulVersionDoc | null, to: SoulVersionDoc): string {
  const title = (one: SoulVersionDoc | null) => (one ? `version ${one.number}` : '/dev/null');
  const [old, now] = [from?.markdown ?? '', to.markdown];
  const found = createTwoFilesPatch(title(from), title(to), old, now, undefined, undefined, {
    maxEditLength: mostEdits,
  });
  if (found !== undefined) return found;
  const rows = (text: string, mark: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((row) => mark + row);
  const [gone, come] = [rows(old, '-'), rows(now, '+')];
  const head = [`--- ${title(from)}`, `+++ ${title(to)}`, `@@ -1,${gone.length} +1,${come.length} @@`];
  return `${[...head, ...gone, ...come].join('\n')}\n`;
}

const toVersionDto = (version: SoulVersionDoc): SoulVersionDto =>
  shown(SoulVersionDto, version, { sizeBytes: Buffer.byteLength(version.markdown) });
