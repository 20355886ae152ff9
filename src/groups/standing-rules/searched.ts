// How the search over everything finds standing rules.
import { visibleTo } from '../../ports/in-project.ts';
import type { Keeper } from '../../ports/keeper.ts';
import type { SearchLeg } from '../../ports/search.ts';
import type { RuleBook } from './book.ts';
import { type RuleDoc, ruleScope } from './record.ts';

export const ruleSearch = ({ rules, book }: { rules: Keeper<RuleDoc>; book: RuleBook }): SearchLeg => ({
  kind: 'StandingRule',
  needs: 'RulesRead',
  find: async (caller, { question, mode, limit }) => {
    const load = (ids: readonly number[]) =>
      rules
        .of(caller.tenantId)
        .find({ $and: [{ _id: { $in: [...ids] } }, visibleTo<RuleDoc>(caller)] })
        .toArray();
    const found = await book.finder.search({
      ...{ tenantId: caller.tenantId, scopes: [ruleScope] },
      ...{ question, mode, limit, load },
    });
    return found.map(({ doc, nearness }) => ({
      id: doc._id,
      guid: doc.guid,
      title: doc.assertion,
      text: doc.rationale ?? doc.assertion,
      url: `/rules/${doc._id}`,
      identityId: doc.identityId,
      projectId: doc.projectId,
      tags: [],
      updatedAt: doc.updatedAt,
      nearness,
    }));
  },
});
