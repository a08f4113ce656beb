import { recordedResponse } from '../responses.ts'
import {
  append,
  createResponsePairs,
  id,
  identicalRepeat,
  noiseAt,
  prepend,
  removeElement,
  removeField,
  replaceResponse,
  reverse,
  setField,
  setHeader,
  setText,
  timestampAt,
} from './pairs.ts'

const library = (number: number) => ({
  id: id(number),
  name: `Library ${number}`,
  description: null,
  createdAt: timestampAt(number),
  updatedAt: timestampAt(number),
})

const listed = (number: number) => ({ ...library(number), trackCount: number, shareCount: 0 })

export const libraryPairs = [
  ...createResponsePairs(
    'libraries.list',
    recordedResponse(200, { records: [listed(1), listed(2), listed(3)] }),
    [
      ['is equal', {}],
      ['has a different update time', { native: setField('records.0.updatedAt', timestampAt(50)) }],
      ['is in a different order', { native: reverse('records') }, 'order body.records regression unknown'],
      [
        'is in a different order although the core is deterministic',
        { native: reverse('records'), noise: identicalRepeat },
        'order body.records regression native',
      ],
      [
        'is in an order that also differs between responses of the core',
        { native: reverse('records'), noise: noiseAt('order body.records') },
        'order body.records noise core',
      ],
      [
        'lacks a record in the middle',
        { native: removeElement('records', 1) },
        'length body.records regression unknown',
      ],
      [
        'lacks the first record',
        { native: removeElement('records', 0) },
        'length body.records regression unknown',
      ],
      [
        'lacks the last record',
        { native: removeElement('records', 2) },
        'length body.records regression unknown',
      ],
      [
        'lacks two records',
        { native: [removeElement('records', 2), removeElement('records', 0)] },
        'length body.records regression unknown',
      ],
      [
        'has an additional record',
        { native: append('records', listed(9)) },
        'length body.records regression unknown',
      ],
      [
        'has an additional first record',
        { native: prepend('records', listed(9)) },
        'length body.records regression unknown',
      ],
      [
        'lacks a record and renames one',
        { native: [removeElement('records', 2), setField('records.0.name', 'Other')] },
        'length body.records regression unknown',
        'value body.records.*.name regression unknown',
      ],
      ['is empty', { native: setField('records', []) }, 'length body.records regression unknown'],
      [
        'lacks a count',
        { native: removeField('records.1.trackCount') },
        'missing body.records.*.trackCount regression native',
      ],
      [
        'lacks a count on both sides',
        { both: removeField('records.1.trackCount') },
        'schema body.records.*.trackCount regression both',
      ],
      [
        'lacks a count at the core',
        { core: removeField('records.1.trackCount') },
        'extra body.records.*.trackCount accepted core',
      ],
      [
        'has a different count',
        { native: setField('records.1.trackCount', 7) },
        'value body.records.*.trackCount regression unknown',
      ],
      [
        'has a different count where the core differs from itself',
        { native: setField('records.1.trackCount', 7), noise: noiseAt('value body.records.*.trackCount') },
        'value body.records.*.trackCount noise core',
      ],
      [
        'has a count as text',
        { native: setField('records.1.trackCount', '2') },
        'type body.records.*.trackCount regression native',
      ],
      [
        'has a count as text at the core',
        { core: setField('records.1.trackCount', '2') },
        'type body.records.*.trackCount not_comparable core',
      ],
      [
        'has a negative count',
        { native: setField('records.1.trackCount', -1) },
        'value body.records.*.trackCount regression native',
      ],
      [
        'has a fractional count at the core',
        { core: setField('records.1.trackCount', 1.5) },
        'value body.records.*.trackCount not_comparable core',
      ],
      [
        'leaks the owner',
        { native: setField('records.0.ownerId', 'acct_owner') },
        'extra body.records.*.? critical native',
      ],
      [
        'leaks the owner at the core',
        { core: setField('records.0.ownerId', 'acct_owner') },
        'missing body.records.*.? not_comparable core',
      ],
      [
        'leaks the owner on both sides',
        { both: setField('records.0.ownerId', 'acct_owner') },
        'schema body.records.*.? critical both',
      ],
      [
        'leaks the owner where the core differs from itself',
        {
          native: setField('records.0.ownerId', 'acct_owner'),
          noise: noiseAt('presence body.records.*.ownerId'),
        },
        'extra body.records.*.? critical native',
      ],
      [
        'has an additional field',
        { native: setField('records.0.colour', 'blue') },
        'extra body.records.*.? accepted native',
      ],
      [
        'lacks an undeclared field of the core',
        { core: setField('records.0.colour', 'blue') },
        'missing body.records.*.? regression core',
      ],
      [
        'has an additional field of the list',
        { native: setField('total', 3) },
        'extra body.? accepted native',
      ],
      [
        'has timestamps without milliseconds',
        { native: setField('records.0.createdAt', '2026-11-20T10:01:00Z') },
        'format body.records.*.createdAt regression native',
      ],
      [
        'has timestamps without milliseconds at the core',
        { core: setField('records.0.createdAt', '2026-11-20T10:01:00Z') },
        'format body.records.*.createdAt not_comparable core',
      ],
      [
        'has timestamps as numbers',
        { native: setField('records.0.createdAt', 1_700_000_000) },
        'type body.records.*.createdAt regression native',
      ],
      [
        'has timestamps in a different time zone on both sides',
        { both: setField('records.0.createdAt', '2026-11-20T10:01:00+01:00') },
        'schema body.records.*.createdAt regression both',
      ],
      [
        'has a malformed id',
        { native: setField('records.0.id', 'not an id') },
        'format body.records.*.id regression native',
      ],
      [
        'has the id of another record',
        { native: setField('records.0.id', id(2)) },
        'value body.records.*.id regression unknown',
      ],
      [
        'is a bare array',
        { native: replaceResponse(200, [listed(1), listed(2), listed(3)]) },
        'type body regression native',
      ],
      ['is null', { native: replaceResponse(200, null) }, 'type body regression native'],
      [
        'has no body',
        { native: replaceResponse(200) },
        'header headers.content-type regression unknown',
        'missing body regression native',
      ],
      [
        'is an HTML page',
        { native: [setText('<html>'), setHeader('content-type', 'text/html')] },
        'header headers.content-type regression unknown',
        'type body regression native',
      ],
      [
        'is an HTML page at the core',
        { core: [setText('<html>'), setHeader('content-type', 'text/html')] },
        'header headers.content-type regression unknown',
        'type body not_comparable core',
      ],
      ['is truncated', { native: setText('{"records":[') }, 'type body regression native'],
    ],
  ),
]
