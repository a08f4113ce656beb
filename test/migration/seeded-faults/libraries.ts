import {
  changeBody,
  changeField,
  createFaults,
  hangUp,
  type Json,
  removeField,
  type SeededFault,
  setFields,
  setHeader,
  setStatus,
  setText,
} from './fault.ts'

const readsLibrary = {
  label: 'libraries.detail',
  status: 200,
  scenario: 'returns an empty library to the owner',
} as const
const listsLibraries = {
  label: 'libraries.list',
  status: 200,
  scenario: 'lists the most recently changed library first',
} as const
const hidesLibrary = {
  label: 'libraries.detail',
  status: 404,
  scenario: 'with the id of another account, as for an unknown id',
} as const

const incrementTrackCount = (json: Json) => ({ ...json, trackCount: Number(json.trackCount) + 1 })
const reverseRecords = changeField<Json[]>('records', (all) => all.toReversed())

let responseCount = 0

export const libraryFaults: readonly SeededFault[] = [
  ...createFaults({ on: 'native', ...readsLibrary }, [
    ['a count that is one too high', changeBody(incrementTrackCount), 'value at body.trackCount, regression'],
    ['a missing null field', removeField('description'), 'missing at body.description, regression'],
    ['an empty text instead of null', setFields({ description: '' }), 'type at body.description, regression'],
    ['the owner', setFields({ ownerId: 'acct_other' }), 'extra at body.?, critical'],
    ['a storage location', setFields({ cover: 's3://media/1' }), 'extra at body.?, critical'],
    ['a count as text', setFields({ shareCount: '0' }), 'type at body.shareCount, regression'],
    [
      'a timestamp without milliseconds',
      setFields({ createdAt: '2026-11-20T10:00:00Z' }),
      'format at body.createdAt, regression',
    ],
    ['another id', setFields({ id: 'another-one' }), 'value at body.id, regression'],
    [
      'an id in upper case',
      changeBody((json) => ({ ...json, id: String(json.id).toUpperCase() })),
      'value at body.id, regression',
    ],
    [
      'a response that may be cached',
      setHeader('cache-control', 'max-age=60'),
      'header at headers.cache-control, regression',
    ],
    [
      'another media type',
      setHeader('content-type', 'text/plain'),
      'header at headers.content-type, regression',
    ],
    ['a body that is not JSON', setText('fine'), 'type at body, regression'],
    ['no body', setText(''), 'missing at body, regression'],
    ['an internal error', setStatus(500, '{"error":"internal_error"}'), 'status at status, regression'],
    ['a closed connection', hangUp, 'status at status, failed'],
  ]),
  ...createFaults({ on: 'core', ...readsLibrary }, [
    ['a count as text', setFields({ shareCount: '0' }), 'type at body.shareCount, not_comparable'],
    ['a missing null field', removeField('description'), 'extra at body.description, accepted'],
    ['the owner', setFields({ ownerId: 'acct_other' }), 'missing at body.?, not_comparable'],
    [
      'a timestamp in another time zone',
      setFields({ createdAt: '2026-11-20T10:00:00.000+01:00' }),
      'format at body.createdAt, not_comparable',
    ],
    ['null as a count', setFields({ trackCount: null }), 'type at body.trackCount, not_comparable'],
    ['a body that is not JSON', setText('fine'), 'type at body, not_comparable'],
    ['a closed connection', hangUp, 'status at status, failed'],
    [
      'a count that changes with each response',
      changeBody((json) => ({ ...json, trackCount: ++responseCount })),
      'value at body.trackCount, noise',
    ],
  ]),
  ...(['native', 'core'] as const).flatMap((on) =>
    createFaults({ on, ...hidesLibrary }, [
      [
        'another status for the library of another account',
        setStatus(403, '{"error":"forbidden"}'),
        'status at status, regression',
      ],
    ]),
  ),
  ...createFaults({ on: 'core', ...hidesLibrary }, [
    ['an unknown error code', setFields({ error: 'no_such_library' }), 'value at body.error, not_comparable'],
  ]),

  ...createFaults({ on: 'native', ...listsLibraries }, [
    ['another order', reverseRecords, 'order at body.records, regression'],
    [
      'a missing record',
      changeField<Json[]>('records', (all) => all.slice(1)),
      'length at body.records, regression',
    ],
    [
      'a duplicate record',
      changeField<Json[]>('records', ([first, ...others]) => [first, first, ...others]),
      'length at body.records, regression',
    ],
    ['a bare array', changeBody(({ records }) => records), 'type at body, regression'],
    [
      'a date instead of a timestamp',
      changeField<Json[]>('records', (all) => all.map((each) => ({ ...each, updatedAt: '2026-11-20' }))),
      'format at body.records.*.updatedAt, regression',
    ],
    [
      'a count that is always one',
      changeField<Json[]>('records', (all) => all.map((each) => ({ ...each, shareCount: 1 }))),
      'value at body.records.*.shareCount, regression',
    ],
  ]),
  ...createFaults({ on: 'native', label: 'libraries.list', status: 401, scenario: 'without a token' }, [
    ['a missing challenge', setHeader('www-authenticate'), 'header at headers.www-authenticate, regression'],
  ]),

  ...createFaults(
    { on: 'native', ...readsLibrary, of: 'libraries.create', scenario: 'ignores unknown fields' },
    [
      [
        'a count that is one too high after a write',
        changeBody(incrementTrackCount),
        'value at body.trackCount, regression',
      ],
    ],
  ),

  // Both values satisfy the contract, so the core is the reference and native gets the blame.
  ...createFaults({ on: 'core', ...readsLibrary, blame: 'native' }, [
    ['a count that is one too high', changeBody(incrementTrackCount), 'value at body.trackCount, regression'],
  ]),
  ...createFaults({ on: 'core', ...listsLibraries, blame: 'native' }, [
    ['another order', reverseRecords, 'order at body.records, regression'],
  ]),
]
