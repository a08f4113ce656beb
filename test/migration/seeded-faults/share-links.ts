import {
  changeBody,
  changeField,
  createFaults,
  type Json,
  removeField,
  type SeededFault,
  setFields,
  setStatus,
  skipRequest,
} from './fault.ts'

const createsLink = {
  label: 'tracks.share-links.create',
  status: 201,
  scenario: 'creates a link with a trimmed name',
} as const
const listsLinks = {
  label: 'tracks.share-links.list',
  status: 200,
  scenario: 'returns a link that was reset',
} as const
const revokesLink = { label: 'tracks.share-links.revoke', scenario: 'revokes one of two links' } as const

const changeFirst = (change: (json: Json) => unknown) =>
  changeField<Json[]>('records', ([one = {}, ...others]) => [change(one), ...others])

export const shareLinkFaults: readonly SeededFault[] = [
  ...createFaults({ on: 'native', ...createsLink }, [
    ['a token that is too short', setFields({ token: 'abcdefghijkl' }), 'format at body.token, regression'],
    [
      'a name that is not trimmed',
      setFields({ name: '  For the label \n' }),
      'value at body.name, regression',
    ],
    ['a missing expiry', removeField('expiresAt'), 'missing at body.expiresAt, regression'],
    [
      'a share path of another kind',
      changeBody((json) => ({ ...json, sharePath: `/share/packs/${json.token}` })),
      'format at body.sharePath, regression',
    ],
    ['the hash of the token', setFields({ tokenHash: 'abc' }), 'extra at body.?, critical'],
  ]),
  ...createFaults({ on: 'core', ...createsLink }, [
    [
      'a token that is too short',
      setFields({ token: 'abcdefghijkl' }),
      'format at body.token, not_comparable',
    ],
    [
      'the whole token as the preview',
      changeBody((json) => ({ ...json, tokenPreview: json.token })),
      'format at body.tokenPreview, not_comparable',
    ],
  ]),
  ...createFaults({ on: 'native', ...listsLinks }, [
    [
      'a token in a list',
      changeFirst((link) => ({ ...link, token: 'a'.repeat(43) })),
      'extra at body.records.*.?, critical',
    ],
    [
      'another link status',
      changeFirst((link) => ({ ...link, status: 'expired' })),
      'value at body.records.*.status, regression',
    ],
  ]),
  ...createFaults({ on: 'core', ...listsLinks }, [
    [
      'a status in upper case',
      changeFirst((link) => ({ ...link, status: 'ACTIVE' })),
      'value at body.records.*.status, not_comparable',
    ],
  ]),
  ...createFaults({ on: 'native', ...revokesLink }, [
    [
      'a link that is not revoked',
      skipRequest,
      'value at tracks.share-links.list body.records.*, regression',
    ],
    ['200 with an empty object', setStatus(200, '{}'), 'status at status, regression'],
  ]),
  ...createFaults({ on: 'core', ...revokesLink, blame: 'native' }, [
    [
      'a link that is not revoked',
      skipRequest,
      'value at tracks.share-links.list body.records.*, regression',
    ],
  ]),
  ...createFaults(
    {
      on: 'native',
      label: 'tracks.share-links.reset',
      status: 409,
      scenario: 'rejects a link that is revoked',
    },
    [
      [
        'not found instead of a conflict',
        setStatus(404, '{"error":"share_link_not_found"}'),
        'status at status, regression',
      ],
    ],
  ),
]
