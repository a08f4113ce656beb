import {
  changeBody,
  changeField,
  createFaults,
  type Json,
  removeField,
  type SeededFault,
  setFields,
  setStatus,
} from './fault.ts'

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

export const billingFaults: readonly SeededFault[] = [
  ...createFaults({ on: 'native', ...readsActive }, [
    ['a price id as the plan', changeBody(withPriceId), 'value at body.planId, regression'],
    [
      'a date as the end of the period',
      setFields({ currentPeriodEnd: '2026-12-21' }),
      'format at body.currentPeriodEnd, regression',
    ],
    [
      'null as the end of the period',
      setFields({ currentPeriodEnd: null }),
      'type at body.currentPeriodEnd, regression',
    ],
    [
      'an additional plan',
      changeField<string[]>('availablePlanIds', (ids) => [...ids, 'legacy']),
      'length at body.availablePlanIds, regression',
    ],
  ]),
  ...createFaults({ on: 'native', ...readsWithoutSubscription }, [
    [
      'null for an absent field',
      setFields({ billingCustomerId: null }),
      'extra at body.billingCustomerId, regression',
    ],
    ['another default status', setFields({ status: 'incomplete' }), 'value at body.status, regression'],
  ]),
  ...createFaults({ on: 'core', ...readsActive }, [
    ['an unknown status', setFields({ status: 'paid' }), 'value at body.status, not_comparable'],
    [
      '0 instead of false',
      setFields({ cancelAtPeriodEnd: 0 }),
      'type at body.cancelAtPeriodEnd, not_comparable',
    ],
    [
      'a timestamp in seconds',
      setFields({ currentPeriodEnd: 1_763_712_000 }),
      'type at body.currentPeriodEnd, not_comparable',
    ],
  ]),
  ...createFaults({ on: 'native', ...startsCheckout }, [
    [
      'a URL with another query',
      changeField<string>('url', (url) => `${url}?key=1`),
      'format at body.url, regression',
    ],
    ['a missing session id', removeField('sessionId'), 'missing at body.sessionId, regression'],
  ]),
  ...createFaults({ on: 'core', ...startsCheckout }, [
    ['another success status', setStatus(200), 'status at status, not_comparable'],
    ['a path instead of a URL', setFields({ url: '/pay/1' }), 'format at body.url, not_comparable'],
  ]),
  ...createFaults({ on: 'native', ...rejectsFreePlan }, [
    [
      'another error code for an invalid plan',
      setFields({ error: 'bad_request' }),
      'value at body.error, regression',
    ],
  ]),
  ...createFaults({ on: 'core', ...cancels }, [
    [
      'yes instead of true',
      setFields({ cancelAtPeriodEnd: 'yes' }),
      'type at body.cancelAtPeriodEnd, not_comparable',
    ],
  ]),
  ...createFaults({ on: 'native', ...cancels }, [
    [
      'a subscription that is not cancelled',
      setFields({ cancelAtPeriodEnd: false }),
      'value at body.cancelAtPeriodEnd, regression',
    ],
  ]),
  ...createFaults({ on: 'native', ...requiresCustomer }, [
    ['another reason', setFields({ reason: 'no_subscription' }), 'value at body.reason, regression'],
  ]),
  ...createFaults({ on: 'core', ...requiresCustomer }, [
    ['an unknown reason', setFields({ reason: 'unknown_customer' }), 'value at body.reason, not_comparable'],
  ]),
]
