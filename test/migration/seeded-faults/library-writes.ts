import { asked, both, type Fault, faultsIn, fields, lacking, nothingDone, setStatus } from './fault.ts'

const createsLibrary = {
  label: 'libraries.create',
  status: 201,
  scenario: 'trims the name',
} as const
const rejectsDuplicateName = {
  label: 'libraries.create',
  status: 409,
  scenario: 'rejects "Demos" if Demos exists',
} as const
const rejectsEmptyName = {
  label: 'libraries.create',
  status: 400,
  scenario: 'rejects an empty name',
} as const
const renamesLibrary = { label: 'libraries.update', status: 200, scenario: 'changes the name' } as const
const removesLibrary = {
  label: 'libraries.remove',
  scenario: 'removes the library and keeps its tracks',
} as const
const invitesAccount = {
  label: 'libraries.shares.create',
  status: 201,
  scenario: 'invites an account',
} as const
const acceptsInvitation = {
  label: 'libraries.shares.update',
  status: 200,
  scenario: 'lets the invitee set accepted',
} as const
const requiresPlan = {
  label: 'libraries.shares.create',
  status: 403,
  scenario: 'requires a plan before it validates the body',
} as const

const untrimmed = '  Night  Drives\u3000'

export const libraryWriteFaults: readonly Fault[] = [
  ...faultsIn({ on: 'native', ...createsLibrary }, [
    ['a name that is not trimmed', fields({ name: untrimmed }), 'value at body.name, regression'],
    ['another success status', setStatus(200), 'status at status, regression'],
    [
      'another default description',
      fields({ description: 'None yet' }),
      'type at body.description, regression',
    ],
    [
      'a name that is stored in lower case',
      both(asked({ name: 'night  drives' }), fields({ name: 'Night  Drives' })),
      'value at libraries.detail body.name, regression',
    ],
  ]),
  ...faultsIn({ on: 'core', ...createsLibrary }, [
    ['another success status', setStatus(200), 'status at status, not_comparable'],
    ['a missing id', lacking('id'), 'extra at body.id, accepted'],
  ]),
  ...faultsIn({ on: 'core', ...createsLibrary, blame: 'native' }, [
    ['a name that is not trimmed', fields({ name: untrimmed }), 'value at body.name, regression'],
  ]),
  ...faultsIn({ on: 'native', ...rejectsDuplicateName }, [
    [
      'another error code for a conflict',
      fields({ error: 'slug_conflict' }),
      'value at body.error, regression',
    ],
    [
      'a validation error instead of a conflict',
      setStatus(400, '{"error":"validation_error","issues":[]}'),
      'status at status, regression',
    ],
  ]),
  ...faultsIn({ on: 'native', ...rejectsEmptyName }, [
    ['an error with empty issues', fields({ issues: [] }), 'missing at body.issues.*, regression'],
    ['an error without issues', lacking('issues'), 'missing at body.issues, regression'],
    [
      'an issue of another field',
      fields({ issues: [{ path: 'title', message: 'must not be empty' }] }),
      'value at body.issues.*.path, regression',
    ],
  ]),
  ...faultsIn({ on: 'native', ...renamesLibrary }, [
    [
      'another field that is cleared',
      both(asked({ description: '' }), fields({ description: null })),
      'type at libraries.detail body.description, regression',
    ],
    [
      'a lost change',
      both(asked({ name: 'Night Drives' }), fields({ name: 'Long Drives' })),
      'value at libraries.detail body.name, regression',
    ],
  ]),
  ...faultsIn({ on: 'native', ...removesLibrary }, [
    ['a removal without effect', nothingDone, 'status at libraries.detail status, regression'],
    ['200 with an empty object', setStatus(200, '{}'), 'status at status, regression'],
  ]),
  ...faultsIn({ on: 'core', ...removesLibrary }, [
    ['200 with an empty object', setStatus(200, '{}'), 'status at status, not_comparable'],
  ]),
  ...faultsIn({ on: 'native', ...invitesAccount }, [
    [
      'another access type that is stored',
      both(asked({ accessType: 'admin' }), fields({ accessType: 'viewer' })),
      'value at libraries.shares.list body.records.*.accessType, regression',
    ],
  ]),
  ...faultsIn({ on: 'native', label: 'libraries.shares.revoke', scenario: 'revokes an accepted share' }, [
    ['a share that is not revoked', nothingDone, 'value at libraries.shares.list body.records.*, regression'],
  ]),
  ...faultsIn({ on: 'native', ...acceptsInvitation }, [
    ['null as the response time', fields({ respondedAt: null }), 'type at body.respondedAt, regression'],
    [
      'a share that stays pending',
      fields({ inviteStatus: 'pending' }),
      'value at body.inviteStatus, regression',
    ],
    [
      'an access type in upper case',
      fields({ accessType: 'VIEWER' }),
      'value at body.accessType, regression',
    ],
  ]),
  ...faultsIn({ on: 'core', ...acceptsInvitation }, [
    [
      'an access type in upper case',
      fields({ accessType: 'VIEWER' }),
      'value at body.accessType, not_comparable',
    ],
  ]),
  ...faultsIn({ on: 'native', ...requiresPlan }, [
    ['a limit instead of null', fields({ limit: 9 }), 'type at body.limit, regression'],
    ['an error without a plan', lacking('planId'), 'missing at body.planId, regression'],
  ]),
]
