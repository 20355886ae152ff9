// Where the servers of the integration tests answer otherwise than MongoDB, by the title of the test.
// A deviation that starts with `sometimes` is not run; any other must show, so that the list stays true.

import type { Deviations } from '../known.ts';

const noNestedArrays = 'refuses arrays in arrays';
export const notAtomic = 'sometimes loses updates: its SQLite back end reads and writes in two steps';

export const ferretDeviations: Deviations = {
  'filter: a dotted path through an array, null': 'a missing field of an element does not count, an empty array does',
  'filter: a dotted path through an array, $ne': 'compares with the first element only',
  'filter: $elemMatch on fields': 'takes fields for operators',
  'filter: $elemMatch with a missing field': 'takes fields for operators',
  'filter: $elemMatch needs an array': 'takes fields for operators',
  'filter: $elemMatch on values that no one element meets': 'lets two elements meet one $elemMatch',
  'update: $unset of an element': 'removes the element instead of setting it to null',
  'update: $push of an array is one element': noNestedArrays,
  'update: $pull by operators': 'compares the condition as a value',
  'update: $pull by $in': 'compares the condition as a value',
  'update: $pull by fields': 'compares the condition as a value',
  'findOneAndUpdate takes the first by sort and returns before or after': 'has no projection in findAndModify',
  'types: nesting come back as they were': noNestedArrays,
  'aggregate: $group with sums': 'a sum with a null or missing value is 0',
  'aggregate: $group of everything': 'a sum with a null or missing value is 0',
  'aggregate: $avg, $min, $max': 'has only $sum and $count',
  'aggregate: $first and $last after $sort': 'has only $sum and $count',
  'aggregate: $unwind that keeps what is empty': 'has no preserveNullAndEmptyArrays',
  'unique: insertion and change': 'reports a violation by an update as an internal error',
  'unique: missing and null are one value': 'lets several documents lack a unique field',
  'unique: partial counts only what matches': 'has no partial indexes',
  'unique: can not be made over duplicates': 'reports existing duplicates as an internal error',
  'race: 64 increments at once add up and each sees its own': notAtomic,
  'race: 64 claims of one document, one winner': notAtomic,
  'race: a guarded sum never overshoots': notAtomic,
  'race: 64 upserts of one _id make one document': notAtomic,
  'race: ids of two allocators never repeat': notAtomic,
  'random: steps answer as the naive model does': '$elemMatch and null in arrays, as above',
};

export const javaDeviations: Deviations = {
  'filter: a range over elements may be met by two': 'one element must meet both ends of a range',
  'filter: $gte null is null': 'null equals nothing under $gte and $lte',
  'update: does not fit: $inc of null': 'takes null for 0',
  'update: does not fit: $set through null': 'replaces null by an object',
  'update: does not fit: $addToSet to a string': 'reports it without a code',
  'sort: strings by code point': 'orders strings by UTF-16 unit',
  'random: steps answer as the naive model does': 'ranges over elements, as above',
};
