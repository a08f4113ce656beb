import {
  body,
  type Fault,
  faultsIn,
  fields,
  hangUp,
  header,
  type Json,
  lacking,
  status,
  text,
  within,
} from './fault.ts'

const shows = {
  label: 'libraries.detail',
  status: 200,
  scenario: 'returns an empty library to the owner',
} as const
const lists = {
  label: 'libraries.list',
  status: 200,
  scenario: 'lists the most recently changed library first',
} as const
const hides = {
  label: 'libraries.detail',
  status: 404,
  scenario: 'with the id of another account, as for an unknown id',
} as const

const counted = (json: Json) => ({ ...json, trackCount: Number(json.trackCount) + 1 })
const reversed = within<Json[]>('records', (all) => all.toReversed())

let answers = 0

export const libraryFaults: readonly Fault[] = [
  ...faultsIn({ on: 'native', ...shows }, [
    ['a count that is one too high', body(counted), 'value at body.trackCount, regression'],
    ['a null that is left out', lacking('description'), 'missing at body.description, regression'],
    ['an empty text for null', fields({ description: '' }), 'type at body.description, regression'],
    ['the owner', fields({ ownerId: 'acct_somebody' }), 'extra at body.ownerId, critical'],
    ['an address within the store', fields({ cover: 's3://media/1' }), 'extra at body.cover, critical'],
    ['a count as text', fields({ shareCount: '0' }), 'type at body.shareCount, regression'],
    [
      'a moment without milliseconds',
      fields({ createdAt: '2026-11-20T10:00:00Z' }),
      'format at body.createdAt, regression',
    ],
    ['the id of another one', fields({ id: 'another-one' }), 'value at body.id, regression'],
    [
      'an id in capitals',
      body((json) => ({ ...json, id: String(json.id).toUpperCase() })),
      'value at body.id, regression',
    ],
    [
      'an answer that may be stored',
      header('cache-control', 'max-age=60'),
      'header at headers.cache-control, regression',
    ],
    [
      'another media type',
      header('content-type', 'text/plain'),
      'header at headers.content-type, regression',
    ],
    ['a body that is no JSON', text('fine'), 'type at body, regression'],
    ['no body', text(''), 'missing at body, regression'],
    ['a failure of the server', status(500, '{"error":"internal_error"}'), 'status at status, regression'],
    ['a connection that is cut', hangUp, 'status at status, failed'],
  ]),
  ...faultsIn({ on: 'core', ...shows }, [
    ['a count as text', fields({ shareCount: '0' }), 'type at body.shareCount, not_comparable'],
    ['a null that is left out', lacking('description'), 'extra at body.description, accepted'],
    ['the owner', fields({ ownerId: 'acct_somebody' }), 'missing at body.ownerId, not_comparable'],
    [
      'a moment by another clock',
      fields({ createdAt: '2026-11-20T10:00:00.000+01:00' }),
      'format at body.createdAt, not_comparable',
    ],
    ['null for a count', fields({ trackCount: null }), 'type at body.trackCount, not_comparable'],
    ['a body that is no JSON', text('fine'), 'type at body, not_comparable'],
    ['a connection that is cut', hangUp, 'status at status, failed'],
    [
      'a count that is another each time',
      body((json) => ({ ...json, trackCount: ++answers })),
      'value at body.trackCount, noise',
    ],
  ]),
  ...(['native', 'core'] as const).flatMap((on) =>
    faultsIn({ on, ...hides }, [
      [
        'another status for what is another’s',
        status(403, '{"error":"forbidden"}'),
        'status at status, regression',
      ],
    ]),
  ),
  ...faultsIn({ on: 'core', ...hides }, [
    ['a word that nobody knows', fields({ error: 'no_such_library' }), 'value at body.error, not_comparable'],
  ]),

  ...faultsIn({ on: 'native', ...lists }, [
    ['another order', reversed, 'order at body.records, regression'],
    ['a record less', within<Json[]>('records', (all) => all.slice(1)), 'length at body.records, regression'],
    [
      'a record twice',
      within<Json[]>('records', ([first, ...others]) => [first, first, ...others]),
      'length at body.records, regression',
    ],
    ['a bare list', body(({ records }) => records), 'type at body, regression'],
    [
      'the day for the moment',
      within<Json[]>('records', (all) => all.map((each) => ({ ...each, updatedAt: '2026-11-20' }))),
      'format at body.records.*.updatedAt, regression',
    ],
    [
      'a count that is always one',
      within<Json[]>('records', (all) => all.map((each) => ({ ...each, shareCount: 1 }))),
      'value at body.records.*.shareCount, regression',
    ],
  ]),
  ...faultsIn({ on: 'native', label: 'libraries.list', status: 401, scenario: 'without a token' }, [
    [
      'no word of how to sign in',
      header('www-authenticate'),
      'header at headers.www-authenticate, regression',
    ],
  ]),

  ...faultsIn({ on: 'native', ...shows, of: 'libraries.create', scenario: 'ignores unknown fields' }, [
    ['a count that is one too high after a write', body(counted), 'value at body.trackCount, regression'],
  ]),

  // What breaks no contract is wrong by nothing but the core, which native is to be like.
  ...faultsIn({ on: 'core', ...shows, blame: 'native' }, [
    ['a count that is one too high', body(counted), 'value at body.trackCount, regression'],
  ]),
  ...faultsIn({ on: 'core', ...lists, blame: 'native' }, [
    ['another order', reversed, 'order at body.records, regression'],
  ]),
]
