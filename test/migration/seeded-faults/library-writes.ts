import { asked, both, type Fault, faultsIn, fields, lacking, nothingDone, status } from './fault.ts'

const makes = {
  label: 'libraries.create',
  status: 201,
  scenario: 'trims the name',
} as const
const conflicts = {
  label: 'libraries.create',
  status: 409,
  scenario: 'rejects "Demos" if Demos exists',
} as const
const refuses = { label: 'libraries.create', status: 400, scenario: 'rejects an empty name' } as const
const renames = { label: 'libraries.update', status: 200, scenario: 'changes the name' } as const
const removes = { label: 'libraries.remove', scenario: 'removes the library and keeps its tracks' } as const
const invites = { label: 'libraries.shares.create', status: 201, scenario: 'invites an account' } as const
const accepts = {
  label: 'libraries.shares.update',
  status: 200,
  scenario: 'lets the invitee set accepted',
} as const
const limits = {
  label: 'libraries.shares.create',
  status: 403,
  scenario: 'requires a plan before it validates the body',
} as const

const untrimmed = '  Night  Drives\u3000'

export const libraryWriteFaults: readonly Fault[] = [
  ...faultsIn({ on: 'native', ...makes }, [
    ['a name that is not trimmed', fields({ name: untrimmed }), 'value at body.name, regression'],
    ['another status of success', status(200), 'status at status, regression'],
    ['another default', fields({ description: 'None yet' }), 'type at body.description, regression'],
    [
      'a name that is stored in small letters',
      both(asked({ name: 'night  drives' }), fields({ name: 'Night  Drives' })),
      'value at libraries.detail body.name, regression',
    ],
  ]),
  ...faultsIn({ on: 'core', ...makes }, [
    ['another status of success', status(200), 'status at status, not_comparable'],
    ['no id', lacking('id'), 'extra at body.id, accepted'],
  ]),
  ...faultsIn({ on: 'core', ...makes, blame: 'native' }, [
    ['a name that is not trimmed', fields({ name: untrimmed }), 'value at body.name, regression'],
  ]),
  ...faultsIn({ on: 'native', ...conflicts }, [
    ['another word for a conflict', fields({ error: 'slug_conflict' }), 'value at body.error, regression'],
    [
      'a conflict that is an invalid body',
      status(400, '{"error":"validation_error","issues":[]}'),
      'status at status, regression',
    ],
  ]),
  ...faultsIn({ on: 'native', ...refuses }, [
    ['a refusal that names no fault', fields({ issues: [] }), 'missing at body.issues.*, regression'],
    ['a refusal without a list', lacking('issues'), 'missing at body.issues, regression'],
    [
      'the fault of another field',
      fields({ issues: [{ path: 'title', message: 'must not be empty' }] }),
      'value at body.issues.*.path, regression',
    ],
  ]),
  ...faultsIn({ on: 'native', ...renames }, [
    [
      'another field that is cleared',
      both(asked({ description: '' }), fields({ description: null })),
      'type at libraries.detail body.description, regression',
    ],
    [
      'a change that is lost',
      both(asked({ name: 'Night Drives' }), fields({ name: 'Long Drives' })),
      'value at libraries.detail body.name, regression',
    ],
  ]),
  ...faultsIn({ on: 'native', ...removes }, [
    ['a removal of nothing', nothingDone, 'status at libraries.detail status, regression'],
    ['a body of nothing', status(200, '{}'), 'status at status, regression'],
  ]),
  ...faultsIn({ on: 'core', ...removes }, [
    ['a body of nothing', status(200, '{}'), 'status at status, not_comparable'],
  ]),
  ...faultsIn({ on: 'native', ...invites }, [
    [
      'an access that is stored as another',
      both(asked({ accessType: 'admin' }), fields({ accessType: 'viewer' })),
      'value at libraries.shares.list body.records.*.accessType, regression',
    ],
  ]),
  ...faultsIn({ on: 'native', label: 'libraries.shares.revoke', scenario: 'revokes an accepted share' }, [
    ['a share that is not revoked', nothingDone, 'value at libraries.shares.list body.records.*, regression'],
  ]),
  ...faultsIn({ on: 'native', ...accepts }, [
    ['no time of the answer', fields({ respondedAt: null }), 'type at body.respondedAt, regression'],
    [
      'a share that stays pending',
      fields({ inviteStatus: 'pending' }),
      'value at body.inviteStatus, regression',
    ],
    ['an access in capitals', fields({ accessType: 'VIEWER' }), 'value at body.accessType, regression'],
  ]),
  ...faultsIn({ on: 'core', ...accepts }, [
    ['an access in capitals', fields({ accessType: 'VIEWER' }), 'value at body.accessType, not_comparable'],
  ]),
  ...faultsIn({ on: 'native', ...limits }, [
    ['a limit where there is none', fields({ limit: 9 }), 'type at body.limit, regression'],
    ['a refusal that names no plan', lacking('planId'), 'missing at body.planId, regression'],
  ]),
]
