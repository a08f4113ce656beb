import { describe, expect, it } from 'vitest'
import { changePlan, checkout, portal } from '#contracts/billing.ts'
import { faultPaths } from './inputs.ts'

describe('a billing body', () => {
  it.each(['/', '/settings/billing?tab=plan#top', '/a//b', '/%5Cevil.test', `/${'x'.repeat(2047)}`])(
    'may return to %s',
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
  ])('must not return to %j', (returnPath) => {
    expect(new Set(faultPaths(portal.body, { returnPath }))).toEqual(new Set(['returnPath']))
  })

  it('refuses a field it does not know', () => {
    const body = { planId: 'pro', returnPath: '/', customerId: 'cus_1' }
    for (const { body: schema } of [checkout, changePlan])
      expect(schema.safeParse(body).error?.issues).toMatchObject([
        { code: 'unrecognized_keys', keys: ['customerId'] },
      ])
    expect(faultPaths(portal.body, { planId: 'pro', returnPath: '/' })).toEqual([''])
  })

  it('names a plan in 1 to 100 characters', () => {
    expect(checkout.body.parse({ planId: ' pro ', returnPath: '/' })).toMatchObject({ planId: 'pro' })
    for (const planId of ['', ' ', 'x'.repeat(101), undefined])
      expect(faultPaths(checkout.body, { planId, returnPath: '/' })).toEqual(['planId'])
  })
})

describe('a changed plan', () => {
  it('says either how it was switched or where to check out', () => {
    const answer = changePlan.responses[200]
    const session = { sessionId: 'cs_1', url: 'https://pay.test/cs_1' }
    expect(answer.parse({ mode: 'switched', planId: 'pro', ...session })).toEqual({
      mode: 'switched',
      planId: 'pro',
    })
    expect(answer.parse({ mode: 'checkout', planId: 'pro', ...session })).toEqual({
      mode: 'checkout',
      ...session,
    })
  })
})
