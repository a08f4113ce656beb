import { answer } from '../answers.ts'
import {
  append,
  drop,
  header,
  id,
  instead,
  moment,
  noiseAt,
  noNoise,
  pairsOf,
  prepend,
  remove,
  reverse,
  set,
  text,
} from './pairs.ts'

const library = (number: number) => ({
  id: id(number),
  name: `Library ${number}`,
  description: null,
  createdAt: moment(number),
  updatedAt: moment(number),
})

const listed = (number: number) => ({ ...library(number), trackCount: number, shareCount: 0 })

export const libraryPairs = [
  ...pairsOf('libraries.list', answer(200, { records: [listed(1), listed(2), listed(3)] }), [
    ['says the same', {}],
    ['made at other times', { native: set('records.0.updatedAt', moment(50)) }],
    ['is in another order', { native: reverse('records') }, 'order body.records regression unknown'],
    [
      'of a core that is steady is in another order',
      { native: reverse('records'), noise: noNoise },
      'order body.records regression native',
    ],
    [
      'is in an order the core itself changes',
      { native: reverse('records'), noise: noiseAt('order body.records') },
      'order body.records noise core',
    ],
    [
      'lacks a record in the middle',
      { native: remove('records', 1) },
      'length body.records regression unknown',
    ],
    ['lacks the first record', { native: remove('records', 0) }, 'length body.records regression unknown'],
    ['lacks the last record', { native: remove('records', 2) }, 'length body.records regression unknown'],
    [
      'lacks two records',
      { native: [remove('records', 2), remove('records', 0)] },
      'length body.records regression unknown',
    ],
    ['has a record more', { native: append('records', listed(9)) }, 'length body.records regression unknown'],
    [
      'has a record more at its head',
      { native: prepend('records', listed(9)) },
      'length body.records regression unknown',
    ],
    [
      'lacks a record and renames one',
      { native: [remove('records', 2), set('records.0.name', 'Other')] },
      'length body.records regression unknown',
      'value body.records.*.name regression unknown',
    ],
    ['is empty', { native: set('records', []) }, 'length body.records regression unknown'],
    [
      'lacks a count',
      { native: drop('records.1.trackCount') },
      'missing body.records.*.trackCount regression native',
    ],
    [
      'lacks a count on both sides',
      { both: drop('records.1.trackCount') },
      'schema body.records.*.trackCount regression both',
    ],
    [
      'lacks a count at the core',
      { core: drop('records.1.trackCount') },
      'extra body.records.*.trackCount accepted core',
    ],
    [
      'counts otherwise',
      { native: set('records.1.trackCount', 7) },
      'value body.records.*.trackCount regression unknown',
    ],
    [
      'counts otherwise where the core is noisy',
      { native: set('records.1.trackCount', 7), noise: noiseAt('value body.records.*.trackCount') },
      'value body.records.*.trackCount noise core',
    ],
    [
      'counts in a string',
      { native: set('records.1.trackCount', '2') },
      'type body.records.*.trackCount regression native',
    ],
    [
      'counts in a string at the core',
      { core: set('records.1.trackCount', '2') },
      'type body.records.*.trackCount not_comparable core',
    ],
    [
      'counts below zero',
      { native: set('records.1.trackCount', -1) },
      'value body.records.*.trackCount regression native',
    ],
    [
      'counts a half at the core',
      { core: set('records.1.trackCount', 1.5) },
      'value body.records.*.trackCount not_comparable core',
    ],
    [
      'names the owner',
      { native: set('records.0.ownerId', 'acct_owner') },
      'extra body.records.*.ownerId critical native',
    ],
    [
      'names the owner at the core',
      { core: set('records.0.ownerId', 'acct_owner') },
      'missing body.records.*.ownerId not_comparable core',
    ],
    [
      'names the owner on both sides',
      { both: set('records.0.ownerId', 'acct_owner') },
      'schema body.records.*.ownerId critical both',
    ],
    [
      'is noisy where it names the owner',
      { native: set('records.0.ownerId', 'acct_owner'), noise: noiseAt('presence body.records.*.ownerId') },
      'extra body.records.*.ownerId critical native',
    ],
    [
      'says more than is asked',
      { native: set('records.0.colour', 'blue') },
      'extra body.records.*.colour accepted native',
    ],
    [
      'says less than the core, beyond the contract',
      { core: set('records.0.colour', 'blue') },
      'missing body.records.*.colour regression core',
    ],
    ['says more of the list', { native: set('total', 3) }, 'extra body.total accepted native'],
    [
      'writes moments without milliseconds',
      { native: set('records.0.createdAt', '2026-11-20T10:01:00Z') },
      'format body.records.*.createdAt regression native',
    ],
    [
      'writes moments without milliseconds at the core',
      { core: set('records.0.createdAt', '2026-11-20T10:01:00Z') },
      'format body.records.*.createdAt not_comparable core',
    ],
    [
      'writes moments as numbers',
      { native: set('records.0.createdAt', 1_700_000_000) },
      'type body.records.*.createdAt regression native',
    ],
    [
      'writes moments in another zone on both sides',
      { both: set('records.0.createdAt', '2026-11-20T10:01:00+01:00') },
      'schema body.records.*.createdAt regression both',
    ],
    [
      'has no id that could be one',
      { native: set('records.0.id', 'not an id') },
      'format body.records.*.id regression native',
    ],
    [
      'gives one record the id of another',
      { native: set('records.0.id', id(2)) },
      'value body.records.*.id regression unknown',
    ],
    [
      'is a bare array',
      { native: instead(200, [listed(1), listed(2), listed(3)]) },
      'type body regression native',
    ],
    ['is null', { native: instead(200, null) }, 'type body regression native'],
    [
      'is empty of all',
      { native: instead(200) },
      'header headers.content-type regression unknown',
      'missing body regression native',
    ],
    [
      'is a page of HTML',
      { native: [text('<html>'), header('content-type', 'text/html')] },
      'header headers.content-type regression unknown',
      'type body regression native',
    ],
    [
      'is a page of HTML at the core',
      { core: [text('<html>'), header('content-type', 'text/html')] },
      'header headers.content-type regression unknown',
      'type body not_comparable core',
    ],
    ['is cut off', { native: text('{"records":[') }, 'type body regression native'],
  ]),
]
