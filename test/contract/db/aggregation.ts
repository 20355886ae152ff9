// Aggregation: each stage and accumulator.
import { describe, expect } from 'vitest';
import type { Stage } from '../../../src/ports/db.ts';
import type { Doc, Setting } from './setting.ts';

const day = (n: number) => new Date(Date.UTC(2026, 0, n));

const rows: Doc[] = [
  { _id: 1, role: 'coder', cost: 1.5, n: 2, tags: ['a', 'b'], at: day(1), m: { k: 'x' } },
  { _id: 2, role: 'coder', cost: 2.5, n: 4, tags: [], at: day(2), m: { k: 'y' } },
  { _id: 3, role: 'critic', cost: 10, n: null, tags: ['a'], at: day(3), m: { k: 'x' } },
  { _id: 4, role: null, n: 'text' },
  { _id: 5, cost: 1, n: 1, tags: 'solo' },
];

const cases: [title: string, pipeline: Stage[], expected: unknown[]][] = [
  [
    '$match',
    [{ $match: { role: 'coder' } }, { $project: { n: 1 } }, { $sort: { _id: 1 } }],
    [
      { _id: 1, n: 2 },
      { _id: 2, n: 4 },
    ],
  ],
  [
    '$group distinct',
    [{ $group: { _id: '$role' } }, { $sort: { _id: 1 } }],
    [{ _id: null }, { _id: 'coder' }, { _id: 'critic' }],
  ],
  [
    '$group with sums',
    [
      { $match: { role: { $in: ['coder', 'critic'] } } },
      { $group: { _id: '$role', runs: { $sum: 1 }, cost: { $sum: '$cost' }, n: { $sum: '$n' } } },
      { $sort: { _id: 1 } },
    ],
    [
      { _id: 'coder', runs: 2, cost: 4, n: 6 },
      { _id: 'critic', runs: 1, cost: 10, n: 0 },
    ],
  ],
  [
    '$group of everything',
    [{ $group: { _id: null, count: { $count: {} }, cost: { $sum: '$cost' } } }],
    [{ _id: null, count: 5, cost: 15 }],
  ],
  [
    '$avg, $min, $max',
    [
      { $match: { _id: { $lte: 3 } } },
      {
        $group: {
          _id: null,
          avg: { $avg: '$cost' },
          min: { $min: '$cost' },
          max: { $max: '$at' },
          none: { $avg: '$zzz' },
        },
      },
    ],
    [{ _id: null, avg: 14 / 3, min: 1.5, max: day(3), none: null }],
  ],
  [
    '$first and $last after $sort',
    [
      { $match: { role: 'coder' } },
      { $sort: { at: -1 } },
      { $group: { _id: '$role', newest: { $first: '$_id' }, oldest: { $last: '$_id' } } },
    ],
    [{ _id: 'coder', newest: 2, oldest: 1 }],
  ],
  [
    '$group by several fields',
    [
      { $match: { _id: { $lte: 3 } } },
      { $group: { _id: { role: '$role', k: '$m.k' }, n: { $sum: 1 } } },
      { $sort: { '_id.role': 1, '_id.k': 1 } },
    ],
    [
      { _id: { role: 'coder', k: 'x' }, n: 1 },
      { _id: { role: 'coder', k: 'y' }, n: 1 },
      { _id: { role: 'critic', k: 'x' }, n: 1 },
    ],
  ],
  [
    '$unwind',
    [{ $unwind: '$tags' }, { $group: { _id: '$tags', n: { $sum: 1 } } }, { $sort: { _id: 1 } }],
    [
      { _id: 'a', n: 2 },
      { _id: 'b', n: 1 },
      { _id: 'solo', n: 1 },
    ],
  ],
  [
    '$unwind that keeps what is empty',
    [
      { $unwind: { path: '$tags', preserveNullAndEmptyArrays: true } },
      { $project: { tags: 1 } },
      { $sort: { _id: 1, tags: 1 } },
    ],
    [
      { _id: 1, tags: 'a' },
      { _id: 1, tags: 'b' },
      { _id: 2 },
      { _id: 3, tags: 'a' },
      { _id: 4 },
      { _id: 5, tags: 'solo' },
    ],
  ],
  [
    '$skip and $limit',
    [{ $sort: { _id: -1 } }, { $skip: 1 }, { $limit: 2 }, { $project: { _id: 1 } }],
    [{ _id: 4 }, { _id: 3 }],
  ],
  ['$count', [{ $match: { tags: 'a' } }, { $count: 'total' }], [{ total: 2 }]],
  ['$count of nothing', [{ $match: { tags: 'zzz' } }, { $count: 'total' }], []],
  [
    '$match after $group',
    [{ $group: { _id: '$role', n: { $sum: 1 } } }, { $match: { n: { $gte: 2 } } }, { $sort: { _id: 1 } }],
    [
      { _id: null, n: 2 },
      { _id: 'coder', n: 2 },
    ],
  ],
  ['$project leaves out', [{ $match: { _id: 4 } }, { $project: { n: 0 } }], [{ _id: 4, role: null }]],
];

const refused: [string, unknown][] = [
  ['an unknown stage', [{ $lookup: {} }]],
  ['two stages in one', [{ $skip: 1, $limit: 1 }]],
  ['an unknown accumulator', [{ $group: { _id: null, a: { $push: '$a' } } }]],
  ['an expression', [{ $group: { _id: { $toUpper: '$a' } } }]],
  ['a computed field', [{ $project: { a: '$b' } }]],
  ['$limit 0', [{ $limit: 0 }]],
];

export function aggregationContract({ test, fresh }: Setting): void {
  describe('aggregation', () => {
    for (const [title, pipeline, expected] of cases) {
      test(`aggregate: ${title}`, async () => {
        const collection = await fresh(rows);
        expect(await collection.aggregate(pipeline).toArray()).toEqual(expected);
      });
    }
    for (const [title, pipeline] of refused) {
      test(`aggregate: refuses ${title}`, async () => {
        const collection = await fresh();
        await expect((async () => collection.aggregate(pipeline as Stage[]).toArray())()).rejects.toMatchObject({
          name: 'Fault',
        });
      });
    }
  });
}
