import { body, type Fault, faultsIn, fields, type Json, lacking, status, within } from './fault.ts'

const tells = {
  label: 'billing.status',
  status: 200,
  scenario: 'returns the status of an active subscription',
} as const
const tellsOfNobody = {
  ...tells,
  scenario: 'returns the status of an account that never subscribed',
} as const
const sells = {
  label: 'billing.checkout',
  status: 201,
  scenario: 'accepts as the return path: the root path',
} as const
const refuses = {
  label: 'billing.checkout',
  status: 400,
  scenario: 'rejects the free plan',
} as const
const ends = {
  label: 'billing.cancel',
  status: 200,
  scenario: 'cancels an active subscription',
} as const
const customersOnly = {
  label: 'billing.portal',
  status: 409,
  scenario: 'requires a billing customer',
} as const

const renamed = ({ planId, ...json }: Json) => ({ ...json, planId: `price_${planId}` })

export const billingFaults: readonly Fault[] = [
  ...faultsIn({ on: 'native', ...tells }, [
    ['the price for the plan', body(renamed), 'value at body.planId, regression'],
    [
      'a day for the end of the period',
      fields({ currentPeriodEnd: '2026-12-21' }),
      'format at body.currentPeriodEnd, regression',
    ],
    [
      'an end that is not told',
      fields({ currentPeriodEnd: null }),
      'type at body.currentPeriodEnd, regression',
    ],
    [
      'a plan too many',
      within<string[]>('availablePlanIds', (ids) => [...ids, 'legacy']),
      'length at body.availablePlanIds, regression',
    ],
  ]),
  ...faultsIn({ on: 'native', ...tellsOfNobody }, [
    [
      'null for what is left out',
      fields({ billingCustomerId: null }),
      'extra at body.billingCustomerId, regression',
    ],
    ['another default', fields({ status: 'incomplete' }), 'value at body.status, regression'],
  ]),
  ...faultsIn({ on: 'core', ...tells }, [
    ['a status that there is not', fields({ status: 'paid' }), 'value at body.status, not_comparable'],
    ['a number for no', fields({ cancelAtPeriodEnd: 0 }), 'type at body.cancelAtPeriodEnd, not_comparable'],
    [
      'a moment in seconds',
      fields({ currentPeriodEnd: 1_763_712_000 }),
      'type at body.currentPeriodEnd, not_comparable',
    ],
  ]),
  ...faultsIn({ on: 'native', ...sells }, [
    [
      'an address with another query',
      within<string>('url', (url) => `${url}?key=1`),
      'format at body.url, regression',
    ],
    ['no id of the session', lacking('sessionId'), 'missing at body.sessionId, regression'],
  ]),
  ...faultsIn({ on: 'core', ...sells }, [
    ['another status of success', status(200), 'status at status, not_comparable'],
    ['a path for an address', fields({ url: '/pay/1' }), 'format at body.url, not_comparable'],
  ]),
  ...faultsIn({ on: 'native', ...refuses }, [
    ['another word for a bad plan', fields({ error: 'bad_request' }), 'value at body.error, regression'],
  ]),
  ...faultsIn({ on: 'core', ...ends }, [
    [
      'a word for yes',
      fields({ cancelAtPeriodEnd: 'yes' }),
      'type at body.cancelAtPeriodEnd, not_comparable',
    ],
  ]),
  ...faultsIn({ on: 'native', ...ends }, [
    [
      'a subscription that goes on',
      fields({ cancelAtPeriodEnd: false }),
      'value at body.cancelAtPeriodEnd, regression',
    ],
  ]),
  ...faultsIn({ on: 'native', ...customersOnly }, [
    ['another reason', fields({ reason: 'no_subscription' }), 'value at body.reason, regression'],
  ]),
  ...faultsIn({ on: 'core', ...customersOnly }, [
    [
      'a reason that there is not',
      fields({ reason: 'unknown_customer' }),
      'value at body.reason, not_comparable',
    ],
  ]),
]
