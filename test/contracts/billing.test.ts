import { describe, expect, it } from 'vitest'
import { changePlan, checkout, portal } from '#contracts/billing.ts'
import { issuePaths } from './inputs.ts'

describe("a billing request's body", () => {
  it.each(['/', '/settings/billing?tab=plan#top', '/a//b', '/%5Cevil.test', `/${'x'.repeat(2047)}`])(
    'accepts the return path %s',
    (returnPath) => {
      expect(portal.body.parse({ returnPath })).toEqual({ returnPath })
    },
  )

  it.each([
    '',
    'settings',
    ' /settings',
    '//evil.test',
    '///evil.test',
    '/\\evil.test',
    '\\\\evil.test',
    '/a\\b',
    'https://evil.test/',
    'javascript:alert(1)',
    '/a\nb',
    '/\t/evil.test',
    '/\u0000',
    `/${'x'.repeat(2048)}`,
    null,
    7,
  ])('rejects the return path %j', (returnPath) => {
    expect(new Set(issuePaths(portal.body, { returnPath }))).toEqual(new Set(['returnPath']))
  })

  it('rejects an unknown field', () => {
    const body = { planId: 'pro', returnPath: '/', customerId: 'cus_1' }
    for (const { body: schema } of [checkout, changePlan])
      expect(schema.safeParse(body).error?.issues).toMatchObject([
        { code: 'unrecognized_keys', keys: ['customerId'] },
      ])
    expect(issuePaths(portal.body, { planId: 'pro', returnPath: '/' })).toEqual([''])
  })

  it('accepts plan ids of 1 to 100 characters', () => {
    expect(checkout.body.parse({ planId: ' pro ', returnPath: '/' })).toMatchObject({ planId: 'pro' })
    for (const planId of ['', ' ', 'x'.repeat(101), undefined])
      expect(issuePaths(checkout.body, { planId, returnPath: '/' })).toEqual(['planId'])
  })
})

describe('the response to a plan change', () => {
  it('has either the new plan or a checkout session', () => {
    const response = changePlan.responses[200]
    const session = { sessionId: 'cs_1', url: 'https://pay.test/cs_1' }
    expect(response.parse({ mode: 'switched', planId: 'pro', ...session })).toEqual({
      mode: 'switched',
      planId: 'pro',
    })
    expect(response.parse({ mode: 'checkout', planId: 'pro', ...session })).toEqual({
      mode: 'checkout',
      ...session,
    })
  })
})
