import { describe, expect, it } from 'vitest'
import { rejectionRatesFor } from '#migration/model/stop/rejections.ts'
import { createClients, runClients, simulateClients } from './simulate-clients.ts'

const never = Number.POSITIVE_INFINITY
const clients = createClients(200)
const base = { clients, native: 0.25, perSecond: 5, seconds: 60 }

describe('a native route that rejects what the core accepts', () => {
  it.each([
    ['200 equal clients', clients],
    ['200 clients, even if a few of them send most requests', createClients(200, { isUneven: true })],
  ])('is stopped within a minute if it returns 404 to %s', (_, given) => {
    const times = simulateClients(20, { ...base, clients: given, fault: () => 404 })
    expect(times.at(-1)).toBeLessThan(60)
  })

  it('is stopped even if nothing is known about the core yet or native serves everyone', () => {
    const unknown = simulateClients(20, { ...base, known: 0, fault: () => 404 })
    const full = simulateClients(20, { ...base, native: 1, fault: () => 403 })
    for (const times of [unknown, full]) expect(times.at(-1)).toBeLessThan(60)
  })

  it('is stopped within 20 minutes if it rejects one in ten requests', () => {
    const fault = (status: number, _: number, random: () => number) => (random() < 0.1 ? 422 : status)
    expect(simulateClients(10, { ...base, seconds: 1200, fault }).at(-1)).toBeLessThan(1200)
  })
})

describe('native is not stopped', () => {
  it.each([1, 6])('if it rejects %i clients that repeat their requests', (rejected) => {
    const fault = (status: number, client: number) => (client < rejected ? 400 : status)
    const options = { ...base, native: 1, seconds: 1800, fault }
    expect(simulateClients(5, options)).toEqual(Array(5).fill(never))
  })

  it('if clients start to send requests that both sides reject', () => {
    const change = () => 400
    expect(simulateClients(20, { ...base, seconds: 600, change })).toEqual(Array(20).fill(never))
  })

  it('if clients reach a limit while native serves everyone', () => {
    expect(runClients(1, { ...base, native: 1, fault: () => 429 })).toBe(never)
  })

  it('if native serves everyone and nothing is known about the usual rejections', () => {
    expect(runClients(1, { ...base, native: 1, known: 0, fault: () => 404 })).toBe(never)
  })
})

describe('the expected share of rejections', () => {
  const expected = (served: number, notFound: number) =>
    rejectionRatesFor({ served, rejected: { not_found: notFound } }, 'not_found')

  it("is the core's share, but at least 0.5 %", () => {
    expect(rejectionRatesFor(null, 'invalid')).toEqual({ good: 0.005, bad: 0.05 })
    expect(expected(100_000, 1)).toEqual({ good: 0.005, bad: 0.05 })
    expect(expected(90_000, 10_000)).toEqual({ good: expect.closeTo(0.1, 2), bad: expect.closeTo(0.41, 2) })
    expect(expected(5000, 5000)).toEqual({ good: expect.closeTo(0.51, 2), bad: expect.closeTo(0.755, 2) })
  })

  it('is higher while few responses are known, and null if almost all are rejected', () => {
    expect(expected(95, 5)?.good).toBeCloseTo(0.11, 2)
    expect(expected(10, 990)).toBeNull()
  })
})
