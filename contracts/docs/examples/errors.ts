import { type ErrorCode, errorRowOf } from '../../errors.ts'

const fieldsOf: { readonly [C in ErrorCode]?: object } = {
  validation_error: { issues: [{ path: 'name', message: 'name must not be empty.' }] },
  entitlement_required: {
    code: 'entitlement_required',
    feature: 'tracks.share',
    current: 2,
    limit: 2,
    planId: 'starter',
    status: 'active',
    upgradeRequired: true,
  },
  quota_exceeded: { quota: 'libraries', limit: 500 },
  native_route_not_implemented: { path: '/v1/tracks/019a2c41/notes' },
  billing_bad_input: { reason: 'already_subscribed' },
  split_sheet_structural_validation_failed: {
    issues: [
      {
        path: 'writers',
        code: 'writers_total_mismatch',
        message: 'the percentages total 90',
        expected: 100,
        actual: 90,
      },
    ],
  },
}

export const errorExampleOf = (code: ErrorCode) => ({
  error: code,
  message: errorRowOf(code).message,
  ...fieldsOf[code],
})
