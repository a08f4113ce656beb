import {
  changeRequest,
  changeSentName,
  combine,
  createFaults,
  removeField,
  returnSentName,
  type SeededFault,
  setFields,
  setStatus,
  skipRequest,
} from './fault.ts'

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

export const libraryWriteFaults: readonly SeededFault[] = [
  ...createFaults({ on: 'native', ...createsLibrary }, [
    ['a name that is not trimmed', setFields({ name: untrimmed }), 'value at body.name, regression'],
    ['another success status', setStatus(200), 'status at status, regression'],
    [
      'another default description',
      setFields({ description: 'None yet' }),
      'type at body.description, regression',
    ],
    [
      'a name that is stored in lower case',
      combine(
        changeSentName((name) => name.toLowerCase()),
        returnSentName,
      ),
      'value at libraries.detail body.name, regression',
    ],
  ]),
  ...createFaults({ on: 'core', ...createsLibrary }, [
    ['another success status', setStatus(200), 'status at status, not_comparable'],
    ['a missing id', removeField('id'), 'extra at body.id, accepted'],
  ]),
  ...createFaults({ on: 'core', ...createsLibrary, blame: 'native' }, [
    ['a name that is not trimmed', setFields({ name: untrimmed }), 'value at body.name, regression'],
  ]),
  ...createFaults({ on: 'native', ...rejectsDuplicateName }, [
    [
      'another error code for a conflict',
      setFields({ error: 'slug_conflict' }),
      'value at body.error, regression',
    ],
    [
      'a validation error instead of a conflict',
      setStatus(400, '{"error":"validation_error","issues":[]}'),
      'status at status, regression',
    ],
  ]),
  ...createFaults({ on: 'native', ...rejectsEmptyName }, [
    ['an error with empty issues', setFields({ issues: [] }), 'missing at body.issues.*, regression'],
    ['an error without issues', removeField('issues'), 'missing at body.issues, regression'],
    [
      'an issue of another field',
      setFields({ issues: [{ path: 'title', message: 'must not be empty' }] }),
      'value at body.issues.*.path, regression',
    ],
  ]),
  ...createFaults({ on: 'native', ...renamesLibrary }, [
    [
      'another field that is cleared',
      combine(changeRequest({ description: '' }), setFields({ description: null })),
      'type at libraries.detail body.description, regression',
    ],
    [
      'a lost change',
      combine(
        changeSentName((name) => name.replace('Long', 'Night')),
        returnSentName,
      ),
      'value at libraries.detail body.name, regression',
    ],
  ]),
  ...createFaults({ on: 'native', ...removesLibrary }, [
    ['a removal without effect', skipRequest, 'status at libraries.detail status, regression'],
    ['200 with an empty object', setStatus(200, '{}'), 'status at status, regression'],
  ]),
  ...createFaults({ on: 'core', ...removesLibrary }, [
    ['200 with an empty object', setStatus(200, '{}'), 'status at status, not_comparable'],
  ]),
  ...createFaults({ on: 'native', ...invitesAccount }, [
    [
      'another access type that is stored',
      combine(changeRequest({ accessType: 'admin' }), setFields({ accessType: 'viewer' })),
      'value at libraries.shares.list body.records.*.accessType, regression',
    ],
  ]),
  ...createFaults({ on: 'native', label: 'libraries.shares.revoke', scenario: 'revokes an accepted share' }, [
    ['a share that is not revoked', skipRequest, 'value at libraries.shares.list body.records.*, regression'],
  ]),
  ...createFaults({ on: 'native', ...acceptsInvitation }, [
    ['null as the response time', setFields({ respondedAt: null }), 'type at body.respondedAt, regression'],
    [
      'a share that stays pending',
      setFields({ inviteStatus: 'pending' }),
      'value at body.inviteStatus, regression',
    ],
    [
      'an access type in upper case',
      setFields({ accessType: 'VIEWER' }),
      'value at body.accessType, regression',
    ],
  ]),
  ...createFaults({ on: 'core', ...acceptsInvitation }, [
    [
      'an access type in upper case',
      setFields({ accessType: 'VIEWER' }),
      'value at body.accessType, not_comparable',
    ],
  ]),
  ...createFaults({ on: 'native', ...requiresPlan }, [
    ['a limit instead of null', setFields({ limit: 9 }), 'type at body.limit, regression'],
    ['an error without a plan', removeField('planId'), 'missing at body.planId, regression'],
  ]),
]
