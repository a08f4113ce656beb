import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { observeStore, sharedRate, startInstances } from './limit-instances.ts'
import { limitStores, type OpenedStore } from './limit-stores.ts'

describe.each(limitStores)('rate limits of instances that share $name', ({ isMissing, open }) => {
  describe.skipIf(isMissing)('if the server is installed', () => {
    let opened: OpenedStore
    beforeAll(async () => {
      opened = await open()
    })
    afterAll(() => opened.close())

    const start = (count: number, rate = sharedRate(300)) => {
      const { observed, store } = observeStore(opened.store)
      const { instances, ...others } = startInstances(count, store, rate)
      return { observed, instances, first: instances[0]!, second: instances[1]!, ...others }
    }
    const subject = () => crypto.randomUUID()

    it('take one statement per sixteen requests from a client while there is only one instance', async () => {
      const { observed, first } = start(1)
      expect(await first.countAdmitted(subject(), 400)).toBe(300)
      expect(observed.statements).toBe(Math.ceil(300 / 16) + 1)
    })

    it('let one instance use everything except the batch that an idle instance holds', async () => {
      const { first, second } = start(2)
      const client = subject()
      expect(await first.admits(client)).toBe(true)
      expect(await second.countAdmitted(client, 400)).toBe(284)
      expect(await first.countAdmitted(client, 20)).toBe(15)
    })

    it('free the uses that an instance holds for an idle client', async () => {
      const { first, second, clock, meet } = start(2)
      const client = subject()
      await meet()
      expect(await first.admits(client)).toBe(true)
      expect(await second.countAdmitted(client, 400)).toBe(284)
      await first.limits.refundIdleUses()
      clock.advance(1000)
      expect(await second.admits(client)).toBe(false)
      clock.passIdleTime()
      await first.limits.refundIdleUses()
      expect(await second.countAdmitted(client, 20)).toBe(15)
      expect(await first.countAdmitted(client, 20)).toBe(0)
    })

    it('do not free idle uses while there is only one instance', async () => {
      const { observed, first, clock } = start(1)
      await first.admits(subject())
      clock.passIdleTime()
      await first.limits.refundIdleUses()
      expect(observed.statements).toBe(1)
    })

    it("free an instance's uses when it shuts down", async () => {
      const { first, second } = start(2)
      const client = subject()
      expect(await first.admits(client)).toBe(true)
      await first.limits.refundAllUses()
      expect(await second.countAdmitted(client, 400)).toBe(299)
    })

    it('ask the store about an exhausted client only once per window if no instance holds uses for it', async () => {
      const { observed, first, second, clock } = start(2, { ...sharedRate(300), maxHeld: 0 })
      const client = subject()
      expect(await first.countAdmitted(client, 300)).toBe(300)
      for (let round = 0; round < 5; round++) {
        expect(await second.countAdmitted(client, 10)).toBe(0)
        clock.passIdleTime()
      }
      expect(observed.statements).toBe(301)
    })

    it('start each window at the full limit', async () => {
      const { first, second, clock } = start(2)
      const client = subject()
      await first.admits(client)
      await second.admits(client)
      await opened.endWindows()
      clock.passWindow()
      const admitted = [await second.countAdmitted(client, 290), await first.countAdmitted(client, 290)]
      // The second instance still holds the last ten uses.
      expect(admitted).toEqual([290, 0])
      expect(await second.countAdmitted(client, 20)).toBe(10)
    })

    it('ignore refunds for a window that has ended', async () => {
      const { first, second } = start(2)
      const client = subject()
      await first.admits(client)
      await opened.endWindows()
      expect(await second.countAdmitted(client, 400)).toBe(300)
      // The first instance's clock is behind, so it does not know that its window has ended.
      await first.limits.refundAllUses()
      expect(await second.countAdmitted(client, 20)).toBe(0)
      expect(await start(1).first.countAdmitted(client, 20)).toBe(0)
    })

    it('admit another request after a refund, on any instance', async () => {
      const { first, second, clock } = start(2, { ...sharedRate(10), isRefundable: true })
      const client = subject()
      const refund = await first.limits.reserve('public-reads', client)
      expect(await first.countAdmitted(client, 20)).toBe(9)
      expect(await second.admits(client)).toBe(false)
      await refund()
      clock.advance(1000)
      expect([await second.admits(client), await first.admits(client)]).toEqual([true, false])
    })

    it('do not count rejected requests', async () => {
      const { first, second } = start(2, { ...sharedRate(3), isRefundable: true })
      const client = subject()
      const refund = await first.limits.reserve('public-reads', client)
      expect(await first.countAdmitted(client, 9)).toBe(2)
      await refund()
      expect(await second.countAdmitted(client, 9)).toBe(1)
    })

    it('do not refund a use to a later window', async () => {
      const { first, second, clock } = start(2, { ...sharedRate(5), isRefundable: true })
      const client = subject()
      const refunds = []
      for (let n = 0; n < 5; n++) refunds.push(await first.limits.reserve('public-reads', client))
      await opened.endWindows()
      clock.passWindow()
      expect(await first.countAdmitted(client, 9)).toBe(5)
      for (const refund of refunds) await refund()
      clock.advance(1000)
      expect([await first.admits(client), await second.admits(client)]).toEqual([false, false])
    })

    it('continue in memory while the store is down, and share counters again afterwards', async () => {
      const { observed, first, second, clock, log } = start(2, sharedRate(10))
      const client = subject()
      expect(await first.countAdmitted(client, 4)).toBe(4)
      observed.isAvailable = false
      expect(await second.countAdmitted(client, 20)).toBe(10)
      expect(log.lines.map(({ message }) => message)).toEqual([
        'rate-limit store unavailable, using in-memory counters',
      ])
      observed.isAvailable = true
      clock.passWindow()
      expect(await second.countAdmitted(client, 20)).toBe(6)
      expect(await first.countAdmitted(client, 20)).toBe(0)
    })

    it('store no names of limits or clients, and give everything that they store an expiry', async () => {
      const { first } = start(1)
      await first.admits('192.0.2.77 link:pack the-token-of-a-link')
      const stored = await opened.dump()
      expect(stored).toMatch(/"used":"?16"?/)
      expect(stored).not.toMatch(/public-reads|192\.0\.2|link:pack|the-token/)
      expect(stored).not.toContain('false')
    })
  })
})
