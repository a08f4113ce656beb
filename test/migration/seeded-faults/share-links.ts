import {
  body,
  type Fault,
  faultsIn,
  fields,
  type Json,
  lacking,
  nothingDone,
  status,
  within,
} from './fault.ts'

const makes = {
  label: 'tracks.share-links.create',
  status: 201,
  scenario: 'creates a link with a trimmed name',
} as const
const lists = {
  label: 'tracks.share-links.list',
  status: 200,
  scenario: 'returns a link that was reset',
} as const
const revokes = { label: 'tracks.share-links.revoke', scenario: 'revokes the link' } as const

const first = (change: (json: Json) => unknown) =>
  within<Json[]>('records', ([one = {}, ...others]) => [change(one), ...others])

export const shareLinkFaults: readonly Fault[] = [
  ...faultsIn({ on: 'native', ...makes }, [
    ['a token that is too short', fields({ token: 'abcdefghijkl' }), 'format at body.token, regression'],
    ['a name that is not trimmed', fields({ name: '  For the label \n' }), 'value at body.name, regression'],
    ['an end that is left out', lacking('expiresAt'), 'missing at body.expiresAt, regression'],
    [
      'the page of another app',
      body((json) => ({ ...json, sharePath: `/share/packs/${json.token}` })),
      'format at body.sharePath, regression',
    ],
    ['the hash of the token', fields({ tokenHash: 'abc' }), 'extra at body.tokenHash, critical'],
  ]),
  ...faultsIn({ on: 'core', ...makes }, [
    ['a token that is too short', fields({ token: 'abcdefghijkl' }), 'format at body.token, not_comparable'],
    [
      'a whole token for its end',
      body((json) => ({ ...json, tokenPreview: json.token })),
      'format at body.tokenPreview, not_comparable',
    ],
  ]),
  ...faultsIn({ on: 'native', ...lists }, [
    [
      'a token that is shown once more',
      first((link) => ({ ...link, token: 'a'.repeat(43) })),
      'extra at body.records.*.token, critical',
    ],
    [
      'a link that is expired',
      first((link) => ({ ...link, status: 'expired' })),
      'value at body.records.*.status, regression',
    ],
  ]),
  ...faultsIn({ on: 'core', ...lists }, [
    [
      'a status in capitals',
      first((link) => ({ ...link, status: 'ACTIVE' })),
      'value at body.records.*.status, not_comparable',
    ],
  ]),
  ...faultsIn({ on: 'native', ...revokes }, [
    [
      'a link that is not revoked',
      nothingDone,
      'value at tracks.share-links.list body.records.*, regression',
    ],
    ['a body of nothing', status(200, '{}'), 'status at status, regression'],
  ]),
  ...faultsIn({ on: 'core', ...revokes, blame: 'native' }, [
    [
      'a link that is not revoked',
      nothingDone,
      'value at tracks.share-links.list body.records.*, regression',
    ],
  ]),
  ...faultsIn(
    {
      on: 'native',
      label: 'tracks.share-links.reset',
      status: 409,
      scenario: 'rejects a link that is revoked',
    },
    [
      [
        'a link that is not found',
        status(404, '{"error":"share_link_not_found"}'),
        'status at status, regression',
      ],
    ],
  ),
]
