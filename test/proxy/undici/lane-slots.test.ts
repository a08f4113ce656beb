import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Admission, LaneQueue, type QueueEntry, type ShareKeys } from '#proxy/undici/lane-slots.ts'

const everything: Admission = { admitsRoute: () => true, admitsClient: () => true }

const request = (name: string): ShareKeys & { readonly name: string } => {
  const [route = '', clientNetwork = ''] = name.split('.')
  return { name, route, clientNetwork }
}

const openQueue = (capacity: number, ...names: string[]) => {
  const queue = new LaneQueue<ReturnType<typeof request>>(capacity)
  const entries = new Map(names.map((name) => [name, queue.push(request(name))]))
  const shiftAll = (admission = everything) => {
    const order: string[] = []
    for (let next = queue.shift(admission); next; next = queue.shift(admission)) order.push(next.name)
    return order
  }
  return { queue, entries, shiftAll }
}

describe('LaneQueue', () => {
  it('serves routes round-robin, clients round-robin within a route, and each client in order', () => {
    const { queue, shiftAll } = openQueue(100, 'x.a.1', 'x.a.2', 'x.a.3', 'x.b.1', 'y.a.1', 'y.a.2')
    expect(shiftAll()).toEqual(['x.a.1', 'y.a.1', 'x.b.1', 'y.a.2', 'x.a.2', 'x.a.3'])
    expect(queue.isEmpty).toBe(true)
  })

  it('keeps no reference to a request in a removed entry', () => {
    const { entries, shiftAll } = openQueue(100, 'x.a.1', 'x.a.2', 'x.a.3')
    shiftAll()
    for (const entry of entries.values()) expect(entry).toEqual({ value: null, previous: null, next: null })
  })

  it('skips routes and clients that are over their share', () => {
    const { shiftAll } = openQueue(100, 'x.a.1', 'x.b.1', 'y.a.1', 'y.b.1')
    expect(shiftAll({ ...everything, admitsRoute: (route) => route !== 'x' })).toEqual(['y.a.1', 'y.b.1'])
    expect(shiftAll({ ...everything, admitsClient: (client) => client !== 'a' })).toEqual(['x.b.1'])
    expect(shiftAll()).toEqual(['x.a.1'])
  })

  it('limits each client to a share of the places in the queue', () => {
    const flood = Array.from({ length: 20 }, (_, at) => `x.a.${at}`)
    const { queue, shiftAll } = openQueue(16, ...flood)
    for (const name of ['x.b.1', 'x.b.2', 'x.c.1']) expect(queue.push(request(name))).not.toBeNull()
    const order = shiftAll()
    expect(order.slice(0, 3)).toEqual(['x.a.0', 'x.b.1', 'x.c.1'])
    expect(order.filter((name) => name.startsWith('x.a'))).toHaveLength(8)
  })

  it('returns each request exactly once, for any order of arrivals, cancellations and departures', () => {
    const name = fc
      .tuple(fc.constantFrom('x', 'y', 'z'), fc.constantFrom('a', 'b', 'c', 'd'))
      .map((keys) => keys.join('.'))
    const step = fc.oneof(
      name.map((added) => ({ added })),
      fc.nat().map((cancelled) => ({ cancelled })),
      fc.constant({}),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const queue = new LaneQueue<ShareKeys>(1000)
        const waiting = new Map<ShareKeys, QueueEntry<ShareKeys>>()
        for (const step of steps) {
          if ('added' in step) {
            const added = request(step.added)
            const entry = queue.push(added)
            if (entry) waiting.set(added, entry)
          } else if ('cancelled' in step) {
            const [cancelled, entry] = [...waiting][step.cancelled % Math.max(1, waiting.size)] ?? []
            if (!cancelled || !entry) continue
            queue.remove(entry)
            waiting.delete(cancelled)
          } else {
            const next = queue.shift(everything)
            expect(next === null ? waiting.size === 0 : waiting.delete(next)).toBe(true)
          }
          expect(queue.isEmpty).toBe(waiting.size === 0)
        }
        while (waiting.size > 0) expect(waiting.delete(queue.shift(everything)!)).toBe(true)
        expect(queue.shift(everything)).toBeNull()
      }),
    )
  })
})
