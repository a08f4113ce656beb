import { body, type Fault, faultsIn, fields, type Json, lacking, setStatus, within } from './fault.ts'

const readsActive = {
  label: 'billing.status',
  status: 200,
  scenario: 'returns the status of an active subscription',
} as const
const readsWithoutSubscription = {
  ...readsActive,
  scenario: 'returns the status of an account that never subscribed',
} as const
const startsCheckout = {
  label: 'billing.checkout',
  status: 201,
  scenario: 'accepts as the return path: the root path',
} as const
const rejectsFreePlan = {
  label: 'billing.checkout',
  status: 400,
  scenario: 'rejects the free plan',
} as const
const cancels = {
  label: 'billing.cancel',
  status: 200,
  scenario: 'cancels an active subscription',
} as const
const requiresCustomer = {
  label: 'billing.portal',
  status: 409,
  scenario: 'requires a billing customer',
} as const

const withPriceId = ({ planId, ...json }: Json) => ({ ...json, planId: `price_${planId}` })

export const billingFaults: readonly Fault[] = [
  ...faultsIn({ on: 'native', ...readsActive }, [
    ['a price id as the plan', body(withPriceId), 'value at body.planId, regression'],
    [
      'a date as the end of the period',
      fields({ currentPeriodEnd: '2026-12-21' }),
      'format at body.currentPeriodEnd, regression',
    ],
    [
      'null as the end of the period',
      fields({ currentPeriodEnd: null }),
      'type at body.currentPeriodEnd, regression',
    ],
    [
      'an additional plan',
      within<string[]>('availablePlanIds', (ids) => [...ids, 'legacy']),
      'length at body.availablePlanIds, regression',
    ],
  ]),
  ...faultsIn({ on: 'native', ...readsWithoutSubscription }, [
    [
      'null for an absent field',
      fields({ billingCustomerId: null }),
      'extra at body.billingCustomerId, regression',
    ],
    ['another default status', fields({ status: 'incomplete' }), 'value at body.status, regression'],
  ]),
  ...faultsIn({ on: 'core', ...readsActive }, [
    ['an unknown status', fields({ status: 'paid' }), 'value at body.status, not_comparable'],
    [
      '0 instead of false',
      fields({ cancelAtPeriodEnd: 0 }),
      'type at body.cancelAtPeriodEnd, not_comparable',
    ],
    [
      'a timestamp in seconds',
      fields({ currentPeriodEnd: 1_763_712_000 }),
      'type at body.currentPeriodEnd, not_comparable',
    ],
  ]),
  ...faultsIn({ on: 'native', ...startsCheckout }, [
    [
      'a URL with another query',
      within<string>('url', (url) => `${url}?key=1`),
      'format at body.url, regression',
    ],
    ['a missing session id', lacking('sessionId'), 'missing at body.sessionId, regression'],
  ]),
  ...faultsIn({ on: 'core', ...startsCheckout }, [
    ['another success status', setStatus(200), 'status at status, not_comparable'],
    ['a path instead of a URL', fields({ url: '/pay/1' }), 'format at body.url, not_comparable'],
  ]),
  ...faultsIn({ on: 'native', ...rejectsFreePlan }, [
    [
      'another error code for an invalid plan',
      fields({ error: 'bad_request' }),
      'value at body.error, regression',
    ],
  ]),
  ...faultsIn({ on: 'core', ...cancels }, [
    [
      'yes instead of true',
      fields({ cancelAtPeriodEnd: 'yes' }),
      'type at body.cancelAtPeriodEnd, not_comparable',
    ],
  ]),
  ...faultsIn({ on: 'native', ...cancels }, [
    [
      'a subscription that is not cancelled',
      fields({ cancelAtPeriodEnd: false }),
      'value at body.cancelAtPeriodEnd, regression',
    ],
  ]),
  ...faultsIn({ on: 'native', ...requiresCustomer }, [
    ['another reason', fields({ reason: 'no_subscription' }), 'value at body.reason, regression'],
  ]),
  ...faultsIn({ on: 'core', ...requiresCustomer }, [
    ['an unknown reason', fields({ reason: 'unknown_customer' }), 'value at body.reason, not_comparable'],
  ]),
]
