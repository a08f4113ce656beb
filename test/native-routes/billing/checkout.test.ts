import { describe, expect, it } from 'vitest'
import { appOrigin, buy, payAt, writesDuring } from '#test/support/billing.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'

const order = { planId: 'pro', returnPath: '/plans?from=test' }

describe('billing.checkout', () => {
  const gateway = startTestGateway({ billing: true })

  const checkOut = (account: TestAccount, body: object = order, headers = {}) =>
    account.post('/v1/billing/checkout', body, headers)
  const sessions = () => Object.values(gateway.billing.books.sessions)
  const sessionOf = (id: string) => gateway.billing.books.sessions[id]

  it('leads to a page where the plan can be bought', async () => {
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

    const paid = await payAt(gateway, body)
    expect(paid.headers.get('location')).toBe(`${appOrigin}/plans?from=test`)
    expect((await account.get('/v1/billing/status')).body).toMatchObject({ planId: 'pro', status: 'active' })
  })

  it('makes one customer for an account, however often it is asked', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const answers = await Promise.all([checkOut(account), checkOut(account), checkOut(account)])
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
    const customers = Object.values(gateway.billing.books.customers)
    expect(customers.filter(({ metadata }) => metadata.account_id === account.accountId)).toHaveLength(1)
  })

  it('leaves one page open, the last one', async () => {
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

  it('remembers the click on a share link that led here', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const clickOf = async (headers: Record<string, string>) =>
      sessionOf((await checkOut(account, order, headers)).body.sessionId)?.metadata.link_click_id
    expect(await clickOf({ 'x-link-click-id': 'click_1' })).toBe('click_1')
    expect(await clickOf({ cookie: 'a=b; link_click_id=click_2; c=d' })).toBe('click_2')
    expect(await clickOf({ 'x-link-click-id': 'not a click' })).toBeUndefined()
    expect(await clickOf({ cookie: `link_click_id=${'x'.repeat(129)}` })).toBeUndefined()
    expect(await clickOf({})).toBeUndefined()
  })

  describe('with first payments that are still owed', () => {
    const debtor = async () => {
      const account = await gateway.signUp({ plan: 'free' })
      await checkOut(account)
      const { billingCustomerId: customer } = (await account.get('/v1/billing/status')).body
      const metadata = { account_id: account.accountId }
      const begin = () =>
        gateway.billing.ledger.subscribe({ customer, priceId: 'price_pro', metadata }, 'incomplete').id
      return { account, begin }
    }
    const statusOf = (id: string) => gateway.billing.books.subscriptions[id]?.status

    it('calls it off', async () => {
      const { account, begin } = await debtor()
      const id = begin()
      await gateway.billing.deliveries.settled()
      expect((await account.get('/v1/billing/status')).body.status).toBe('incomplete')
      expect((await checkOut(account)).status).toBe(201)
      expect(statusOf(id)).toBe('incomplete_expired')
    })

    it('calls all of them off', async () => {
      const { account, begin } = await debtor()
      const ids = [begin(), begin(), begin()]
      await gateway.billing.deliveries.settled()
      expect((await checkOut(account)).status).toBe(201)
      expect(ids.map(statusOf)).toEqual(ids.map(() => 'incomplete_expired'))
    })

    it('sells no second subscription where one of them is made meanwhile', async () => {
      const { account, begin } = await debtor()
      const ids = [begin(), begin()]
      await gateway.billing.deliveries.settled()
      gateway.billing.behave({ delayMs: 200 })
      const answer = checkOut(account)
      const called = () =>
        gateway.billing.requests.find(
          ({ method, path }) => method === 'DELETE' && ids.some((id) => path.endsWith(id)),
        )
      await expect.poll(called, { interval: 5 }).toBeDefined()
      const other = ids.find((id) => !called()!.path.endsWith(id))!
      gateway.billing.ledger.change(other, { status: 'active' })
      const { status, body } = await answer
      gateway.billing.behave({ delayMs: 0 })
      expect([status, body.reason]).toEqual([409, 'already_subscribed'])
      await gateway.billing.deliveries.settled()
    })
  })

  it.each(['no-such-plan', 'free', 'price_pro', 'PRO'])('refuses the plan %s', async (planId) => {
    const account = await gateway.signUp({ plan: 'free' })
    const refusal = await checkOut(account, { ...order, planId })
    expect([refusal.status, refusal.body]).toEqual([400, { error: 'billing_bad_input' }])
  })

  it.each([
    ['//evil.test', 'returnPath'],
    ['/\\evil.test', 'returnPath'],
    ['https://evil.test', 'returnPath'],
    ['plans', 'returnPath'],
    ['', 'returnPath'],
    ['/a\tb', 'returnPath'],
    [`/${'x'.repeat(2048)}`, 'returnPath'],
  ])('refuses to lead back to %j', async (returnPath, path) => {
    const { status, body } = await checkOut(await gateway.signUp({ plan: 'free' }), { ...order, returnPath })
    expect([status, body.error, body.issues[0].path]).toEqual([400, 'validation_error', path])
  })

  it('refuses a field it does not know', async () => {
    const { status, body } = await checkOut(await gateway.signUp({ plan: 'free' }), {
      ...order,
      customerId: 'cus_of_somebody',
    })
    expect([status, body.error, body.issues[0].path]).toEqual([400, 'validation_error', 'customerId'])
  })

  it.each(['active', 'trialing', 'past_due', 'unpaid', 'paused'])(
    'refuses a second subscription beside one that is %s',
    async (status) => {
      const account = await gateway.signUp({ plan: 'free' })
      const { billingSubscriptionId } = await buy(gateway, account)
      gateway.billing.ledger.change(billingSubscriptionId, { status })
      await gateway.billing.deliveries.settled()
      const writes = await writesDuring(gateway, async () => {
        const refusal = await checkOut(account)
        expect([refusal.status, refusal.body]).toEqual([
          409,
          { error: 'billing_bad_input', reason: 'already_subscribed' },
        ])
      })
      expect(writes).toEqual([])
    },
  )

  it('knows of a purchase before the webhook tells of it', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const { body } = await checkOut(account)
    const session = sessionOf(body.sessionId)
    gateway.billing.ledger.subscribe({ customer: session!.customer, priceId: 'price_pro', metadata: {} })
    expect((await checkOut(account)).status).toBe(409)
    await gateway.billing.deliveries.settled()
  })

  it('refuses an account that was given its plan by hand', async () => {
    const account = await gateway.signUp({ plan: 'pro' })
    expect((await checkOut(account)).body).toEqual({
      error: 'billing_bad_input',
      reason: 'already_subscribed',
    })
  })

  it('sells anew to an account whose subscription has ended', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const { billingSubscriptionId: first } = await buy(gateway, account)
    gateway.billing.ledger.cancel(first)
    await gateway.billing.deliveries.settled()
    expect((await account.get('/v1/billing/status')).body.status).toBe('canceled')
    const status = await buy(gateway, account, 'starter')
    expect(status).toMatchObject({ status: 'active', planId: 'starter' })
    expect(status.billingSubscriptionId).not.toBe(first)
  })

  it('writes no address of a hosted page to the log', async () => {
    const { body } = await checkOut(await gateway.signUp({ plan: 'free' }))
    expect(JSON.stringify(gateway.log.lines)).not.toContain(body.sessionId)
  })
})
