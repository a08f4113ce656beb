import { describe, expect, it } from 'vitest'
import {
  appOrigin,
  buyPlan,
  captureProviderWrites,
  deleteCustomer,
  payCheckout,
} from '#test/support/billing.ts'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'

const order = { planId: 'pro', returnPath: '/plans?from=test' }

describe('billing.checkout', () => {
  const gateway = startTestGateway({ billing: true })

  const checkOut = (account: TestAccount, body: object = order, headers = {}) =>
    account.post('/v1/billing/checkout', body, headers)
  const sessions = () => Object.values(gateway.billing.store.sessions)
  const sessionOf = (id: string) => gateway.billing.store.sessions[id]

  it('returns a page where the plan can be bought', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const { status, body } = await checkOut(account)
    expect(status).toBe(201)
    expect(body).toEqual({ sessionId: expect.stringMatching(/^cs_/), url: expect.stringMatching(/^http/) })
    expect(sessionOf(body.sessionId)).toMatchObject({
      clientReferenceId: account.accountId,
      priceId: 'price_pro',
      successUrl: `${appOrigin}/plans?from=test`,
      cancelUrl: `${appOrigin}/plans?from=test`,
    })
    expect((await fetch(body.url)).status).toBe(200)

    const paid = await payCheckout(gateway, body)
    expect(paid.headers.get('location')).toBe(`${appOrigin}/plans?from=test`)
    expect((await account.get('/v1/billing/status')).body).toMatchObject({ planId: 'pro', status: 'active' })
  })

  it.each([
    ['a verified', true],
    ['no unverified', false],
  ])('sends %s e-mail address to the provider', async (_, emailVerified) => {
    const account = await gateway.signUp({ plan: 'free', emailVerified })
    expect((await checkOut(account)).status).toBe(201)
    const customers = Object.values(gateway.billing.store.customers)
    const mine = customers.filter(({ metadata }) => metadata.account_id === account.accountId)
    expect(mine.map(({ email }) => email)).toEqual([emailVerified ? account.email : null])
  })

  it('creates only one customer for concurrent requests from an account', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const responses = await Promise.all([checkOut(account), checkOut(account), checkOut(account)])
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201])
    const customers = Object.values(gateway.billing.store.customers)
    expect(customers.filter(({ metadata }) => metadata.account_id === account.accountId)).toHaveLength(1)
  })

  it('expires all open checkout pages except the latest', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const mine = () => sessions().filter(({ clientReferenceId }) => clientReferenceId === account.accountId)
    const open = () => mine().filter(({ status }) => status === 'open')
    await checkOut(account)
    const { body } = await checkOut(account, { ...order, planId: 'starter' })
    expect(open().map(({ id }) => id)).toEqual([body.sessionId])

    await Promise.all(Array.from({ length: 6 }, () => checkOut(account)))
    expect(mine()).toHaveLength(8)
    expect(open()).toHaveLength(1)
  })

  it('stores the id of a share-link click in the session’s metadata', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const clickOf = async (headers: Record<string, string>) =>
      sessionOf((await checkOut(account, order, headers)).body.sessionId)?.metadata.link_click_id
    expect(await clickOf({ 'x-link-click-id': 'click_1' })).toBe('click_1')
    expect(await clickOf({ cookie: 'a=b; link_click_id=click_2; c=d' })).toBe('click_2')
    expect(await clickOf({ 'x-link-click-id': 'not a click' })).toBeUndefined()
    expect(await clickOf({ cookie: `link_click_id=${'x'.repeat(129)}` })).toBeUndefined()
    expect(await clickOf({})).toBeUndefined()
  })

  describe('while first payments are due', () => {
    const unpaidCustomer = async () => {
      const account = await gateway.signUp({ plan: 'free' })
      await checkOut(account)
      const { billingCustomerId: customer } = (await account.get('/v1/billing/status')).body
      const metadata = { account_id: account.accountId }
      const begin = () =>
        gateway.billing.lifecycle.subscribe({ customer, priceId: 'price_pro', metadata }, 'incomplete').id
      return { account, begin }
    }
    const statusOf = (id: string) => gateway.billing.store.subscriptions[id]?.status

    it('cancels the unpaid subscription', async () => {
      const { account, begin } = await unpaidCustomer()
      const id = begin()
      await gateway.billing.deliveries.waitUntilIdle()
      expect((await account.get('/v1/billing/status')).body.status).toBe('incomplete')
      expect((await checkOut(account)).status).toBe(201)
      expect(statusOf(id)).toBe('incomplete_expired')
    })

    it('cancels all unpaid subscriptions', async () => {
      const { account, begin } = await unpaidCustomer()
      const ids = [begin(), begin(), begin()]
      await gateway.billing.deliveries.waitUntilIdle()
      expect((await checkOut(account)).status).toBe(201)
      expect(ids.map(statusOf)).toEqual(ids.map(() => 'incomplete_expired'))
    })

    it('returns 409 if one of the subscriptions is paid in the meantime', async () => {
      const { account, begin } = await unpaidCustomer()
      const ids = [begin(), begin()]
      await gateway.billing.deliveries.waitUntilIdle()
      gateway.billing.setBehaviour({ delayMs: 200 })
      const response = checkOut(account)
      const called = () =>
        gateway.billing.requests.find(
          ({ method, path }) => method === 'DELETE' && ids.some((id) => path.endsWith(id)),
        )
      await expect.poll(called, { interval: 5 }).toBeDefined()
      const other = ids.find((id) => !called()!.path.endsWith(id))!
      gateway.billing.lifecycle.change(other, { status: 'active' })
      const { status, body } = await response
      gateway.billing.setBehaviour({ delayMs: 0 })
      expect([status, body.reason]).toEqual([409, 'already_subscribed'])
      await gateway.billing.deliveries.waitUntilIdle()
    })
  })

  it.each(['no-such-plan', 'free', 'price_pro', 'PRO'])(
    'returns 400 with the available plans if the plan is %s',
    async (planId) => {
      const account = await gateway.signUp({ plan: 'free' })
      const response = await checkOut(account, { ...order, planId })
      const { availablePlanIds } = (await account.get('/v1/billing/status')).body
      expect(availablePlanIds).toContain(order.planId)
      expect([response.status, response.body]).toEqual([
        400,
        errorBody('billing_bad_input', { availablePlanIds }),
      ])
    },
  )

  it.each([
    '//evil.test',
    '/\\evil.test',
    'https://evil.test',
    'plans',
    '',
    '/a\tb',
    '/a\u007fb',
    '/a\u0085b',
    `/${'x'.repeat(2048)}`,
  ])('returns 400 for the return path %j', async (returnPath) => {
    const { status, body } = await checkOut(await gateway.signUp({ plan: 'free' }), {
      ...order,
      returnPath,
    })
    expect([status, body.error, body.issues[0].path]).toEqual([400, 'validation_error', 'returnPath'])
  })

  it('returns 400 for an unknown field', async () => {
    const { status, body } = await checkOut(await gateway.signUp({ plan: 'free' }), {
      ...order,
      customerId: 'cus_other',
    })
    expect([status, body.error, body.issues[0].path]).toEqual([400, 'validation_error', 'customerId'])
  })

  it.each(['active', 'trialing', 'past_due', 'unpaid', 'paused'])(
    'returns 409 if the account has a subscription that is %s',
    async (status) => {
      const account = await gateway.signUp({ plan: 'free' })
      const { billingSubscriptionId } = await buyPlan(gateway, account)
      gateway.billing.lifecycle.change(billingSubscriptionId, { status })
      await gateway.billing.deliveries.waitUntilIdle()
      const writes = await captureProviderWrites(gateway, async () => {
        const response = await checkOut(account)
        expect([response.status, response.body]).toEqual([
          409,
          errorBody('billing_bad_input', { reason: 'already_subscribed' }),
        ])
      })
      expect(writes).toEqual([])
    },
  )

  it('returns 409 after a purchase whose webhook is not delivered yet', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const { body } = await checkOut(account)
    const session = sessionOf(body.sessionId)
    gateway.billing.lifecycle.subscribe({ customer: session!.customer, priceId: 'price_pro', metadata: {} })
    expect((await checkOut(account)).status).toBe(409)
    await gateway.billing.deliveries.waitUntilIdle()
  })

  it('returns 409 for an account whose plan was granted manually', async () => {
    const account = await gateway.signUp({ plan: 'pro' })
    expect((await checkOut(account)).body).toEqual(
      errorBody('billing_bad_input', { reason: 'already_subscribed' }),
    )
  })

  it('sells to an account whose subscription has ended', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const { billingSubscriptionId: first } = await buyPlan(gateway, account)
    gateway.billing.lifecycle.cancel(first)
    await gateway.billing.deliveries.waitUntilIdle()
    expect((await account.get('/v1/billing/status')).body.status).toBe('canceled')
    const status = await buyPlan(gateway, account, 'starter')
    expect(status).toMatchObject({ status: 'active', planId: 'starter' })
    expect(status.billingSubscriptionId).not.toBe(first)
  })

  it('sells to an account whose customer was deleted at the provider', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const { billingCustomerId } = await buyPlan(gateway, account)
    await deleteCustomer(gateway, billingCustomerId)
    const responses = await Promise.all([checkOut(account), checkOut(account)])
    expect(responses.map(({ status }) => status)).toEqual([201, 201])
    const status = await buyPlan(gateway, account, 'starter')
    expect(status).toMatchObject({ status: 'active', planId: 'starter' })
    const mine = Object.values(gateway.billing.store.customers).filter(
      ({ metadata }) => metadata.account_id === account.accountId,
    )
    expect(mine.map(({ id }) => id)).toEqual([billingCustomerId, status.billingCustomerId])
  })

  it('logs no URL of a hosted page', async () => {
    const { body } = await checkOut(await gateway.signUp({ plan: 'free' }))
    expect(JSON.stringify(gateway.log.lines)).not.toContain(body.sessionId)
  })
})
