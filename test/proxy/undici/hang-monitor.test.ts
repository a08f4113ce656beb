import { setImmediate as nextIteration } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { HangMonitor } from '#proxy/undici/hang-monitor.ts'

const sweepMs = 250

interface Core {
  readonly waiting?: number
  /** The times at which a response head arrives for an earlier request. */
  readonly headsAt?: readonly number[]
  /** Time from sending the probe until the core responds to it. */
  readonly probeHeadAfterMs?: number
  readonly usualP99Ms?: number
  /** The process does not run between these two times. */
  readonly pause?: readonly [from: number, until: number]
}

/**
 * Checks the monitor at each sweep from time 0 on. Returns when probes were sent and when the core was found hanging.
 */
const watch = async (durationMs: number, core: Core) => {
  const { waiting = 5, headsAt = [], usualP99Ms = null, pause = [0, 0] } = core
  const probes: number[] = []
  const hangs: number[] = []
  let now = 0
  const monitor = new HangMonitor({
    requests: () => Array.from({ length: 9 }, (_, index) => ({ waitsForHead: index < waiting })),
    usualP99Ms: () => usualP99Ms,
    probe: () => {
      probes.push(now)
      return new Promise(() => {})
    },
    onHang: () => hangs.push(now),
  })
  for (; now <= durationMs && hangs.length === 0; now += sweepMs) {
    if (now > pause[0] && now < pause[1]) continue
    const probeHeads = probes.map((at) => at + (core.probeHeadAfterMs ?? Number.POSITIVE_INFINITY))
    for (const at of [...headsAt, ...probeHeads]) if (at > now - sweepMs && at <= now) monitor.lastHeadAt = at
    monitor.check(now)
    await nextIteration()
  }
  return { probes, hangs }
}

describe('a hang', () => {
  it('is reported if no head arrives for two seconds, and none within a second after a probe', async () => {
    const { probes, hangs } = await watch(4000, {})
    expect([probes, hangs]).toEqual([[2000], [3500]])
  })

  it('is reported later if three times the usual 99th percentile exceeds two seconds', async () => {
    const { probes, hangs } = await watch(8000, { usualP99Ms: 1500 })
    expect([probes, hangs]).toEqual([[4500], [6000]])
  })

  it.each<[string, Core]>([
    ['a head arrives every two seconds', { headsAt: [2000, 4000, 6000, 8000] }],
    ['the core becomes three seconds slower', { headsAt: [0, 3010, 3100, 3200], probeHeadAfterMs: 3010 }],
    ['the probe gets a head', { probeHeadAfterMs: 900 }],
    ['fewer than five requests wait', { waiting: 4 }],
    ['the process was paused meanwhile', { pause: [1000, 61_000] }],
  ])('is not reported when %s', async (_, core) => {
    const { hangs } = await watch(core.pause ? 62_000 : 6000, core)
    expect(hangs).toEqual([])
  })

  it('is reported only after a second probe if the process was paused during the first', async () => {
    const { probes, hangs } = await watch(66_000, { pause: [2250, 62_000] })
    expect([probes, hangs]).toEqual([[2000, 64_000], [65_500]])
  })
})

it('the hang monitor reads what has arrived before it decides whether the core hangs', async () => {
  const hangs: number[] = []
  const monitor = new HangMonitor({
    requests: () => Array.from({ length: 5 }, () => ({ waitsForHead: true })),
    usualP99Ms: () => null,
    probe: () => new Promise(() => {}),
    onHang: () => hangs.push(1),
  })
  for (let now = 0; now <= 3500; now += sweepMs) monitor.check(now)
  // The event loop reads from connections only after it has run the timer that calls `check`.
  monitor.lastHeadAt = 3500
  await nextIteration()
  expect(hangs).toEqual([])
})
