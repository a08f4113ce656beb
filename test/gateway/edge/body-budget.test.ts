import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBodyBudget } from '#gateway/edge/body-budget.ts'
import { BodyBuffer } from '#gateway/edge/body-buffer.ts'

const catchError = (work: () => void) => {
  try {
    work()
    return null
  } catch (error) {
    return error
  }
}

describe('createBodyBudget', () => {
  it('throws gateway_busy with Retry-After when a reservation does not fit', () => {
    const budget = createBodyBudget(100)
    const [first, second] = [budget.reserve('10.0.0.1'), budget.reserve('10.0.0.2')]
    first.resize(60)
    expect(catchError(() => second.resize(41))).toMatchObject({
      status: 503,
      body: { error: 'gateway_busy' },
      headers: { 'retry-after': '1' },
    })
    expect(budget.usedBytes).toBe(60)
    second.resize(40)
    first.release()
    expect(budget.usedBytes).toBe(40)
  })

  it('rejects a resize of a released reservation', () => {
    const budget = createBodyBudget(100)
    const reservation = budget.reserve('10.0.0.1')
    reservation.resize(50)
    reservation.release()
    reservation.release()
    expect(() => reservation.resize(1)).toThrow('released')
    expect(budget.usedBytes).toBe(0)
  })

  it('never exceeds its total and never leaks, for any sequence of appends and releases', () => {
    const step = fc.record({
      body: fc.nat({ max: 7 }),
      what: fc.constantFrom('append', 'append', 'append', 'release'),
      bytes: fc.nat({ max: 400 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = createBodyBudget(1000)
        const open = () => {
          const reservation = budget.reserve('10.0.0.1')
          return { reservation, buffer: new BodyBuffer({ maxBytes: 600, reservation }), length: 0 }
        }
        const bodies = Array.from({ length: 8 }, open)
        for (const { body, what, bytes } of steps) {
          const target = bodies[body] ?? open()
          if (what === 'append' && !catchError(() => target.buffer.append(new Uint8Array(bytes))))
            target.length += bytes
          if (what === 'release') {
            target.reservation.release()
            bodies[body] = open()
          }
          const receivedBytes = bodies.reduce((sum, { length }) => sum + length, 0)
          expect(budget.usedBytes).toBeLessThanOrEqual(1000)
          expect(budget.usedBytes).toBeGreaterThanOrEqual(receivedBytes)
          expect(budget.usedBytes).toBeLessThanOrEqual(2 * receivedBytes)
        }
        for (const { reservation } of bodies) reservation.release()
        expect(budget.usedBytes).toBe(0)
      }),
    )
  })
})

describe('BodyBuffer', () => {
  const openBuffer = (options: { readonly expectedBytes?: number } = {}) => {
    const budget = createBodyBudget(10_000)
    return {
      budget,
      buffer: new BodyBuffer({ maxBytes: 1000, reservation: budget.reserve('10.0.0.1'), ...options }),
    }
  }

  it('returns a single chunk without a copy', () => {
    const { buffer, budget } = openBuffer()
    const chunk = new Uint8Array(300)
    buffer.append(chunk)
    expect(budget.usedBytes).toBe(300)
    expect(buffer.join()).toBe(chunk)
    expect(budget.usedBytes).toBe(300)
  })

  it("copies a chunk out of a larger allocation, and reserves only the chunk's bytes", () => {
    const { buffer, budget } = openBuffer()
    const pool = new Uint8Array(65_536).fill(7)
    buffer.append(pool.subarray(10, 13))
    expect(budget.usedBytes).toBe(3)
    const body = buffer.join()
    expect([...body]).toEqual([7, 7, 7])
    expect(body.buffer.byteLength).toBe(3)
  })

  it('reserves at most twice the received bytes when they arrive one at a time', () => {
    const { buffer, budget } = openBuffer()
    for (let index = 0; index < 700; index++) {
      buffer.append(Uint8Array.of(index % 256))
      expect(budget.usedBytes).toBeLessThanOrEqual(2 * (index + 1))
    }
    expect(buffer.join()).toEqual(Uint8Array.from({ length: 700 }, (_, at) => at % 256))
    expect(budget.usedBytes).toBe(700)
  })

  it('joins chunks of any lengths in order', () => {
    const lengths = fc.array(fc.nat({ max: 9000 }), { maxLength: 12 })
    fc.assert(
      fc.property(lengths, fc.boolean(), (chunkLengths, isPooled) => {
        const budget = createBodyBudget(400_000)
        const buffer = new BodyBuffer({ maxBytes: 200_000, reservation: budget.reserve('10.0.0.1') })
        const chunks = chunkLengths.map((length, at) => new Uint8Array(length).fill(at + 1))
        for (const chunk of chunks)
          buffer.append(isPooled ? new Uint8Array([0, ...chunk]).subarray(1) : chunk)
        const whole = new Uint8Array(Buffer.concat(chunks))
        expect(budget.usedBytes).toBeLessThanOrEqual(2 * whole.length)
        expect(Buffer.compare(buffer.join(), whole)).toBe(0)
        expect(budget.usedBytes).toBe(whole.length)
      }),
    )
  })

  it('reserves no more than the declared length', () => {
    const { buffer, budget } = openBuffer({ expectedBytes: 700 })
    for (let index = 0; index < 700; index++) buffer.append(Uint8Array.of(1))
    expect(budget.usedBytes).toBe(700)
  })
})
