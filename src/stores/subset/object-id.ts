// The driver's ObjectId, loaded on first use: few documents have one, and the driver takes 20 MiB.
import { createRequire } from 'node:module';
import type { ObjectId } from 'mongodb';

const require = createRequire(import.meta.url);

const driver = () => require('mongodb') as typeof import('mongodb');

export const newObjectId = (): ObjectId => new (driver().ObjectId)();

export const objectIdOf = (hex: string): ObjectId => driver().ObjectId.createFromHexString(hex);

export const isObjectId = (value: object): value is ObjectId => '_bsontype' in value && value._bsontype === 'ObjectId';
