import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleCases } from '#test/support/count-cases.ts'
import { sharedRate, startInstances } from './limit-instances.ts'
import { limitStores, type OpenedStore } from './limit-stores.ts'
import { type Spread, simulate, spreads } from './simulate.ts'

describe.each(limitStores)('rate limits that many instances share in $name', ({ isMissing, open }) => {
  describe.skipIf(isMissing)('if the server is installed', () => {
    let opened: OpenedStore
    beforeAll(async () => {
      opened = await open()
    })
    afterAll(() => opened.close())

    const limit = 300
    const cases = [1, 10, 30, 100].flatMap((count) =>
      (Object.keys(spreads) as Spread[]).map((spread) => [count, spread] as const),
    )

    it.each(sampleCases(cases, 0.4))(
      'admit at least 95 % of a limit before the first rejection, and exactly the limit in total, over %i instances (%s)',
      async (count, spread) => {
        const { admittedFirst, admitted } = await simulate(opened.store, limit, count, spread)
        expect(admittedFirst).toBeGreaterThanOrEqual(0.95 * limit)
        expect(admitted).toBe(limit)
      },
    )

    it('admit all concurrent clients', async () => {
      const { instances } = startInstances(2, opened.store, sharedRate(20))
      const clients = Array.from({ length: 250 }, () => crypto.randomUUID())
      const admitted = await Promise.all(clients.map((client, n) => instances[n % 2]!.admits(client)))
      expect(admitted.filter(Boolean)).toHaveLength(250)
    })

    it.each([1, 2, 7, 19])('admit exactly %i of 60 concurrent requests to 30 instances', async (exact) => {
      const { instances } = startInstances(30, opened.store, sharedRate(exact))
      const subject = crypto.randomUUID()
      const admitted = await Promise.all(
        Array.from({ length: 60 }, (_, n) => instances[n % 30]!.admits(subject)),
      )
      expect(admitted.filter(Boolean)).toHaveLength(exact)
    })
  })
})
