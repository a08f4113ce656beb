import { contentTypeAliases } from '#contracts/shared/uploads.ts'
import type { AcceptedDifference } from '../diff/accepted.ts'

const accept = (entry: Omit<AcceptedDifference, 'owner' | 'expires'>): AcceptedDifference => ({
  ...entry,
  owner: 'gateway',
  expires: '2027-02-15',
})

const purchasesOfGrantedPlans = ['active', 'trialing', 'past_due', 'unpaid'].map(
  (status) => `rejects a granted plan that is ${status}`,
)

export const acceptedDifferences: readonly AcceptedDifference[] = [
  accept({
    label: '*',
    path: 'body.error',
    kind: 'value',
    match: { native: 'validation_error', core: 'validation_failed' },
    reason:
      'The core uses a different error code for invalid input, and its responses are forwarded unchanged.',
  }),
  ...(['sample_rate', 'samples_per_pixel'] as const).map((field) =>
    accept({
      label: 'tracks.peaks.detail',
      path: `body.${field}`,
      kind: 'extra',
      reason:
        "With `format=audiowaveform`, native adds audiowaveform's field names. The core ignores `format`.",
    }),
  ),
  accept({
    label: '*',
    path: 'body.message',
    kind: 'extra',
    reason: 'The gateway’s errors have a human-readable message, and the core’s have none.',
  }),
  accept({
    label: 'tracks.split-sheet.share-links.list',
    path: 'body.records',
    kind: 'length',
    match: { native: 0 },
    reason: 'Native lists no review links, because only the core creates and revokes them.',
    forbidsPromotion: true,
  }),
  ...(
    [
      ['billing.checkout', 201],
      ['billing.change-plan', 200],
    ] as const
  ).map(([label, core]) =>
    accept({
      label,
      path: 'status',
      kind: 'status',
      match: { native: 409, core },
      scenarios: purchasesOfGrantedPlans,
      reason:
        'Native rejects a purchase if an operator has granted the account a plan. The core asks only the billing provider, which knows of no subscription, so it starts a checkout.',
    }),
  ),
  ...(
    [
      ['body.customerConfigured', 'value'],
      ['body.billingCustomerId', 'missing'],
    ] as const
  ).map(([path, kind]) =>
    accept({
      label: 'billing.status',
      path,
      kind,
      scenarios: purchasesOfGrantedPlans.map((title) => `${title}, then billing.status`),
      reason: 'The core has created a customer for the checkout that native rejects.',
    }),
  ),
  ...(
    [
      ['tracks.versions.upload', contentTypeAliases.audio],
      ['tracks.artwork.upload', contentTypeAliases.image],
      ['tracks.documents.upload', contentTypeAliases.document],
    ] as const
  ).map(([label, aliases]) =>
    accept({
      label,
      path: 'status',
      kind: 'status',
      match: { native: 201, core: 400 },
      scenarios: aliases.map((alias) => `accepts ${alias}`),
      reason: 'Native accepts additional names for the same content types; the core rejects them.',
    }),
  ),
]
