import { describe, expect, it } from 'vitest'
import { CoreLoad } from '#proxy/core-load.ts'
import { createRandom } from '#test/support/random.ts'
import { get, sendRaw } from '#test/support/raw-client.ts'
import { replyOk } from '#test/support/raw-core.ts'
import { startCoreAndGateway } from './forwarding-gateway.ts'
import { silent } from './misbehaving-core.ts'

const minuteMs = 60_000
const dayMs = 86_400_000

const startLoad = (options: { usualPeriodMs?: number; minUsualAgeMs?: number } = {}) => {
  const clock = { now: 0 }
  const load = new CoreLoad({ minUsualAgeMs: 0, ...options, now: () => clock.now })
  /** Records requests at an interval. 4 % of them take ten times as long, which does not affect the p95. */
  const serve = (requests: number, timeToHeadMs: number, intervalMs = 5) => {
    for (let request = 0; request < requests; request += 1) {
      clock.now += intervalMs
      load.record(request % 25 === 24 ? timeToHeadMs * 10 : timeToHeadMs, clock.now)
    }
  }
  return { clock, load, serve }
}

describe("the core's load", () => {
  it('has no usual p95 until there are enough requests', () => {
    const { load, serve } = startLoad()
    serve(199, 10)
    expect(load.read()).toEqual({ usualP95Ms: null, presentP95Ms: expect.any(Number), isSlow: false })
    serve(600, 10)
    expect(load.read().usualP95Ms).not.toBeNull()
  })

  it('has p95 values that are at most 6 % too high', () => {
    const { load, serve } = startLoad()
    serve(4000, 10)
    for (const p95Ms of [load.read().usualP95Ms, load.read().presentP95Ms]) {
      expect(p95Ms).toBeGreaterThanOrEqual(10)
      expect(p95Ms).toBeLessThan(10.6)
    }
  })

  it.each([
    [200, 5],
    [10, 100],
    [2, 500],
  ])('shows within 5 s that the core takes 5 times as long, at %i requests per second', (_, intervalMs) => {
    const { load, serve, clock } = startLoad()
    serve(10_000, 10, intervalMs)
    expect(load.read().isSlow).toBe(false)
    const slowSince = clock.now
    while (!load.read().isSlow) serve(1, 50, intervalMs)
    expect(clock.now - slowSince).toBeLessThan(5000)
  })

  it('does not show the core as slow when it takes 1.4 times as long', () => {
    const { load, serve } = startLoad()
    serve(10_000, 10)
    serve(2000, 14)
    expect(load.read().isSlow).toBe(false)
  })

  it('keeps showing a slow core as slow, even once it has been slow for longer than it was fast', () => {
    const { load, serve } = startLoad()
    serve(1000, 10)
    serve(50_000, 50)
    expect(load.read().isSlow).toBe(true)
    expect(load.read().usualP95Ms).toBeLessThan(11)
  })

  it('stops showing the core as slow within 5 s after it is fast again', () => {
    const { load, serve } = startLoad()
    serve(1000, 10)
    serve(1000, 50)
    serve(1000, 10)
    expect(load.read().isSlow).toBe(false)
  })

  it('has no usual p95 in the first minute, when a core may be unusually fast', () => {
    const { load, serve, clock } = startLoad({ minUsualAgeMs: minuteMs })
    serve(1000, 2)
    serve(6000, 10)
    expect(load.read()).toMatchObject({ usualP95Ms: null, presentP95Ms: expect.any(Number), isSlow: false })
    clock.now = minuteMs + 3000
    serve(400, 10)
    expect(load.read()).toMatchObject({ usualP95Ms: expect.closeTo(10, 0), isSlow: false })
    serve(400, 50)
    expect(load.read().isSlow).toBe(true)
  })

  it('counts a slower speed as usual once it has lasted for ten minutes', () => {
    const { load, serve, clock } = startLoad()
    serve(100_000, 10)
    const slowSince = clock.now
    serve(1000, 50)
    while (load.read().isSlow) serve(10, 50)
    expect((clock.now - slowSince) / minuteMs).toBeCloseTo(10, 0)
    expect(load.read().usualP95Ms).toBeCloseTo(51, -1)
  })

  it('counts the earlier speed as usual again ten minutes after a long load test', () => {
    const { load, serve } = startLoad()
    serve(100_000, 10)
    serve(180_000, 50)
    expect(load.read()).toMatchObject({ usualP95Ms: expect.closeTo(51, -1), isSlow: false })
    serve(121_000, 10)
    expect(load.read()).toMatchObject({ usualP95Ms: expect.closeTo(10, 0), isSlow: false })
    serve(500, 50)
    expect(load.read().isSlow).toBe(true)
  })

  it('treats slower responses as normal only after enough requests', () => {
    const { load, serve, clock } = startLoad()
    serve(1000, 10)
    const [intervalMs, requests] = [5900, 195]
    serve(requests, 50, intervalMs)
    expect(requests * intervalMs).toBeGreaterThan(15 * minuteMs)
    expect(load.read().isSlow).toBe(true)
    serve(100, 50, intervalMs)
    expect(load.read().isSlow).toBe(false)
    expect(clock.now).toBeLessThan(dayMs)
  })

  it('does not count five-minute load tests with pauses of five minutes as usual', () => {
    const { load, serve } = startLoad()
    serve(10_000, 10)
    for (let round = 0; round < 4; round += 1) {
      serve(60_000, 50)
      expect(load.read().isSlow).toBe(true)
      serve(60_000, 10)
      expect(load.read().isSlow).toBe(false)
    }
  })

  it("counts a slower speed as usual even if only the gateway's own requests measure it, with pauses", () => {
    const { load, clock } = startLoad()
    let pausedMs = 0
    const ask = (timeToHeadMs: number) => {
      clock.now += 200
      if (load.read().isSlow) pausedMs += 200
      else load.record(timeToHeadMs, clock.now)
    }
    for (let step = 0; step < 1000; step += 1) ask(10)
    for (let step = 0; step < (60 * minuteMs) / 200; step += 1) ask(50)
    expect(load.read().isSlow).toBe(false)
    expect(pausedMs / minuteMs).toBeGreaterThan(9)
    expect(pausedMs / minuteMs).toBeLessThan(25)
  })

  it('shows the core as slow while over 5 % of the requests fail, and never counts that as usual', () => {
    const { load, clock } = startLoad()
    for (let request = 0; request < 40_000; request += 1) {
      clock.now += 50
      if (request % 10 === 0) load.recordFailure(20, clock.now)
      else load.record(10, clock.now)
    }
    expect(clock.now / minuteMs).toBeGreaterThan(30)
    expect(load.read()).toMatchObject({ usualP95Ms: null, isSlow: true })
  })

  it('is judged correctly when durations vary as they do for a real core', () => {
    const random = createRandom(38)
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    const { load, clock } = startLoad({ minUsualAgeMs: minuteMs })
    /**
     * Serves 50 requests per second at random times. Returns the fraction of each minute in which the core was slow.
     */
    const serveMinutes = (minutes: number, medianMs: number) =>
      Array.from({ length: minutes }, () => {
        let slow = 0
        for (let request = 0; request < 3000; request += 1) {
          clock.now += -Math.log(1 - random()) * 20
          load.record(medianMs * Math.exp(0.5 * normal()), clock.now)
          if (load.read().isSlow) slow += 1
        }
        return slow / 3000
      })
    expect(Math.max(...serveMinutes(30, 10))).toBeLessThan(0.05)
    expect(Math.min(...serveMinutes(5, 50))).toBeGreaterThan(0.95)
    serveMinutes(10, 10)
    expect(Math.min(...serveMinutes(9, 20))).toBeGreaterThan(0.9)
    serveMinutes(2, 20)
    expect(Math.max(...serveMinutes(5, 20))).toBeLessThan(0.05)
  })

  it('forgets what was usual more than two days ago', () => {
    const { load, serve } = startLoad()
    serve(1000, 10)
    for (let day = 0; day < 3; day += 1) serve(1000, 5, dayMs / 1000)
    expect(load.read().usualP95Ms).toBeLessThan(5.3)
  })

  it('is unknown if there were no requests for five minutes', () => {
    const { load, serve, clock } = startLoad()
    serve(1000, 10)
    serve(1000, 50)
    clock.now += 300_000
    expect(load.read()).toMatchObject({ presentP95Ms: null, isSlow: false })
  })
})

describe('the load that a transport measures', () => {
  const createSmallLoad = () =>
    new CoreLoad({ windowMs: 0, minWindowRequests: 1, minUsualRequests: 5, minUsualAgeMs: 0 })

  it("is the time from a forwarded request's dispatch to the response head", async () => {
    const load = createSmallLoad()
    const { core, port } = await startCoreAndGateway(replyOk, { load, connections: 1 })
    for (let request = 0; request < 10; request += 1) await sendRaw(port, get('/v1/tracks'))
    expect(load.read()).toMatchObject({ usualP95Ms: expect.any(Number) })
    core.nextReplies.push((socket, request) => {
      setTimeout(() => replyOk(socket, request), 600)
    })
    await sendRaw(port, get('/v1/tracks'))
    expect(load.read().presentP95Ms).toBeGreaterThan(550)
  })

  it('includes requests that time out', async () => {
    const load = createSmallLoad()
    const { port } = await startCoreAndGateway(silent, { load, timeoutMs: 200 })
    expect((await sendRaw(port, get('/v1/tracks'))).status).toBe(504)
    expect(load.read().presentP95Ms).toBeGreaterThan(195)
  })
})
